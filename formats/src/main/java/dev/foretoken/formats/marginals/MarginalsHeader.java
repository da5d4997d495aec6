package dev.foretoken.formats.marginals;

/**
 * What holds for all rounds of a trace of marginals; a component that is null is not said.
 *
 * @param schema {@value #SCHEMA}
 * @param workload id of the workload
 * @param drafter catalogue id or name of the drafter
 * @param target catalogue id or name of the target
 * @param temperature of sampling
 * @param source where the trace comes from
 */
public record MarginalsHeader(
        String schema, String workload, String drafter, String target, Double temperature, String source) {
    public static final String SCHEMA = "foretoken/marginals/1";

    public MarginalsHeader {
        if (schema == null) {
            schema = SCHEMA;
        }
        if (temperature != null && !(temperature >= 0 && Double.isFinite(temperature))) {
            throw new IllegalArgumentException("temperature must be finite and not negative: " + temperature);
        }
    }

    /** A header that says nothing. */
    public static MarginalsHeader unknown() {
        return new MarginalsHeader(SCHEMA, null, null, null, null, null);
    }
}
