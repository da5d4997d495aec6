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
 * @param sure false when the band or interval of the best overlaps the runner-up's, when the margin is below
 *     {@link #LEAST_SURE_MARGIN}, or when either rests on times beyond what was measured
 * @param regret largest share of output lost against the arm that would be best at one end of the band; null without bands
 * @param extrapolated true when the best arm's round times lie outside what was measured
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
        String launch) {
    /** Least margin of a sure choice: public measurements of one server differ between runs by at least this share. */
    public static final double LEAST_SURE_MARGIN = 0.03;
}
