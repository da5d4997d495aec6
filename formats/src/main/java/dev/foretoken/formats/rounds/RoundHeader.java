package dev.foretoken.formats.rounds;

import dev.foretoken.formats.rounds.RoundRecord.RoundDesign;

/**
 * What holds for all rounds of a log; a component that is null is not said.
 *
 * @param schema {@value #SCHEMA}
 * @param workload id of the workload
 * @param method id or kind of the method
 * @param engine engine that logged
 * @param version its version
 * @param design design of rounds that carry none of their own
 * @param source where the log comes from
 */
public record RoundHeader(
        String schema,
        String workload,
        String method,
        String engine,
        String version,
        RoundDesign design,
        String source) {
    public static final String SCHEMA = "foretoken/rounds/1";

    public RoundHeader {
        if (schema == null) {
            schema = SCHEMA;
        }
    }

    /** A header that says nothing. */
    public static RoundHeader unknown() {
        return new RoundHeader(SCHEMA, null, null, null, null, null, null);
    }
}
