package dev.foretoken.sim.serving;

/**
 * One request of a trace or schedule.
 *
 * @param arrivalNs arrival, ns since the first arrival of the trace
 * @param isl prompt tokens, at least 1
 * @param osl output tokens, at least 1
 * @param workload id of its workload; null = drawn by the workloads' shares
 * @param cachedTokens prompt tokens found in the prefix cache, 0..isl; {@link #UNKNOWN} = the engine's prefix hit rate
 */
public record TraceRequest(long arrivalNs, int isl, int osl, String workload, int cachedTokens) {
    /** Cached tokens that the trace doesn't give. */
    public static final int UNKNOWN = -1;

    public TraceRequest {
        if (arrivalNs < 0) {
            throw new IllegalArgumentException("arrival must not be negative, ns: " + arrivalNs);
        }
        if (isl < 1 || osl < 1) {
            throw new IllegalArgumentException(
                    "a request has at least 1 prompt and 1 output token: " + isl + ", " + osl);
        }
        if (cachedTokens < UNKNOWN || cachedTokens > isl) {
            throw new IllegalArgumentException("cached tokens must lie in 0.." + isl + ": " + cachedTokens);
        }
    }

    /** A request of any workload without known prefix hits. */
    public TraceRequest(long arrivalNs, int isl, int osl) {
        this(arrivalNs, isl, osl, null, UNKNOWN);
    }
}
