package dev.foretoken.formats.requests;

/**
 * What became of one request; a component that is null is unknown or does not apply.
 *
 * @param arrivalS arrival, seconds from the start
 * @param isl prompt tokens
 * @param osl output tokens
 * @param workload id of its workload
 * @param queueMs arrival to the first work on it, ms
 * @param ttftMs arrival to first token, ms
 * @param tpotMs (last token - first token) / (osl - 1), ms; null for a single token
 * @param e2eMs arrival to last token, ms
 * @param rounds decode rounds
 * @param accepted drafts accepted
 */
public record RequestRow(
        double arrivalS,
        int isl,
        int osl,
        String workload,
        Double queueMs,
        Double ttftMs,
        Double tpotMs,
        Double e2eMs,
        Integer rounds,
        Integer accepted) {
    public RequestRow {
        if (!Double.isFinite(arrivalS)) {
            throw new IllegalArgumentException("arrival_s must be finite: " + arrivalS);
        }
        finite("queue_ms", queueMs);
        finite("ttft_ms", ttftMs);
        finite("tpot_ms", tpotMs);
        finite("e2e_ms", e2eMs);
    }

    private static void finite(String name, Double value) {
        if (value != null && !(value >= 0 && Double.isFinite(value))) {
            throw new IllegalArgumentException(name + " must be finite and not negative: " + value);
        }
    }
}
