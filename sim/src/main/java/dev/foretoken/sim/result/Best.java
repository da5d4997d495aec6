package dev.foretoken.sim.result;

import java.util.List;
import java.util.Map;

/**
 * The best arm for one workload and load.
 *
 * @param variant as in {@link Point}
 * @param workload workload id
 * @param load the offered load
 * @param tp cards per replica of the best arm (ranked per GPU)
 * @param method its id
 * @param budget its budget, null where the kind has none
 * @param topK its top-k, null where absent
 * @param draftTokens its draft tokens, null where a budget says it
 * @param outputTokS its output tokens per second
 * @param outputTokSPerGpu the same per card, which ranks closed loops
 * @param speedupVsAr against autoregressive decoding at the same TP and load
 * @param margin relative advantage over the best arm of another method id (same workload and load, any TP): 0.1 = 10 %; null
 *     with one method only
 * @param runnerUp that other method's id
 * @param flatBudgets lowest and highest budget of the same method and TP within 2 % of the best; null without budgets
 * @param sure whether nothing speaks against the choice of method: no {@code doubts}; null with one method only
 * @param regret largest share of output lost against the arm that would be best at one end of the band; null without bands
 * @param extrapolated true when the best arm's round times lie outside what was measured
 * @param doubts what speaks against the choice of method, each a sentence; null with one method only
 * @param launch the engine's launch flags for this arm, null when the engine is not in the catalogue
 */
public record Best(
        Map<String, String> variant,
        String workload,
        Point.LoadPoint load,
        int tp,
        String method,
        Integer budget,
        Integer topK,
        Integer draftTokens,
        Double outputTokS,
        Double outputTokSPerGpu,
        Double speedupVsAr,
        Double margin,
        String runnerUp,
        List<Integer> flatBudgets,
        Boolean sure,
        Double regret,
        Boolean extrapolated,
        List<String> doubts,
        String launch) {
    /** Least margin of a sure choice by calibration: what speed-ups of public measurements were missed by, rounded up. */
    private static final Map<String, Double> LEAST_SURE_MARGIN = Map.of(
            Point.CALIBRATED_BLACK_BOX, 0.05,
            Point.CALIBRATED_MEASURED, 0.05,
            Point.CALIBRATED_PUBLISHED, 0.15,
            Point.CALIBRATED_NONE, 0.30);

    /**
     * Least margin at which a choice between two methods is sure: .05 with the server's own rounds or the card's own timings,
     * .15 with published kernel timings, .30 without any.
     *
     * @param calibrated of the weaker of the two points, null as if nothing were calibrated
     */
    public static double leastSureMargin(String calibrated) {
        return LEAST_SURE_MARGIN.getOrDefault(calibrated == null ? Point.CALIBRATED_NONE : calibrated, 0.30);
    }

    /** The same best arm with one more doubt. */
    public Best doubted(String doubt) {
        List<String> all = new java.util.ArrayList<>(doubts == null ? List.of() : doubts);
        if (all.contains(doubt)) {
            return this;
        }
        all.add(doubt);
        return new Best(
                variant,
                workload,
                load,
                tp,
                method,
                budget,
                topK,
                draftTokens,
                outputTokS,
                outputTokSPerGpu,
                speedupVsAr,
                margin,
                runnerUp,
                flatBudgets,
                false,
                regret,
                extrapolated,
                List.copyOf(all),
                launch);
    }
}
