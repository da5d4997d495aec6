package dev.foretoken.formats.requests;

/**
 * One request of a trace.
 *
 * @param arrivalS arrival, seconds from the start of the trace
 * @param isl prompt tokens
 * @param osl output tokens
 * @param workload id of its workload; null when the trace does not say
 * @param cachedTokens prompt tokens found in a prefix cache; null when the trace does not say
 */
public record TraceRow(double arrivalS, int isl, int osl, String workload, Integer cachedTokens) {
    public TraceRow {
        if (!(arrivalS >= 0) || Double.isInfinite(arrivalS)) {
            throw new IllegalArgumentException("arrival_s must be finite and not negative: " + arrivalS);
        }
        if (isl < 1 || osl < 1) {
            throw new IllegalArgumentException(
                    "a request has at least one prompt and one output token: isl " + isl + ", osl " + osl);
        }
        if (cachedTokens != null && (cachedTokens < 0 || cachedTokens > isl)) {
            throw new IllegalArgumentException("cached_tokens must lie in 0.." + isl + " (isl): " + cachedTokens);
        }
    }
}
