package dev.foretoken.formats.acceptance.readers;

/**
 * What acceptance counts belong to. Every part is null where the source does not say and the user has not said: unknown is
 * never merged with known.
 *
 * @param workload content class, such as code or prose
 * @param method method id or kind of the scenario
 * @param engine sglang, vllm, llama.cpp, tensorrt-llm, ...
 * @param version engine version
 */
public record AcceptanceKey(String workload, String method, String engine, String version) {
    public static final AcceptanceKey UNKNOWN = new AcceptanceKey(null, null, null, null);

    /** Parts that are null here are taken from the other key. */
    public AcceptanceKey orElse(AcceptanceKey other) {
        return new AcceptanceKey(
                workload != null ? workload : other.workload,
                method != null ? method : other.method,
                engine != null ? engine : other.engine,
                version != null ? version : other.version);
    }

    @Override
    public String toString() {
        return "workload " + shown(workload) + ", method " + shown(method) + ", engine " + shown(engine) + " "
                + shown(version);
    }

    private static String shown(String part) {
        return part == null ? "unknown" : part;
    }
}
