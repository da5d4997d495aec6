package dev.foretoken.validation.sweep;

import com.fasterxml.jackson.annotation.JsonInclude;
import dev.foretoken.sim.round.BlackBoxKnot;
import dev.foretoken.validation.measure.MeasuredAcceptance;
import dev.foretoken.validation.server.ServerSnapshot;
import java.util.List;

/**
 * What a sweep of a running server gave.
 *
 * @param server what the server says of itself
 * @param speculative whether it verified drafts during the sweep
 * @param knots autoregressive rounds; empty when the server speculates
 * @param rounds speculative rounds; empty when it does not
 * @param prefillMsPerToken prefill time per prompt token; null if not measured
 * @param acceptance measured with forced or real acceptance, null if autoregressive
 * @param notes what to know, each a sentence
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
public record SweepResult(
        ServerSnapshot server,
        boolean speculative,
        List<Knot> knots,
        List<SpeculativeRound> rounds,
        Interval prefillMsPerToken,
        MeasuredAcceptance acceptance,
        List<String> notes) {

    /**
     * A figure with its 90 % interval.
     *
     * @param estimate central value
     * @param lo lower end
     * @param hi upper end
     */
    public record Interval(double estimate, double lo, double hi) {}

    /**
     * An autoregressive round.
     *
     * @param rows requests in the batch
     * @param contextTokens mean KV length over the samples
     * @param ms median round time with its interval (bootstrap over repeats and requests)
     * @param samples gaps measured
     */
    public record Knot(int rows, double contextTokens, Interval ms, int samples) {
        /** For scenarios and the black-box model. */
        public BlackBoxKnot blackBox(boolean withContext) {
            return new BlackBoxKnot(rows, withContext ? contextTokens : null, ms.estimate(), null);
        }
    }

    /**
     * A speculative round.
     *
     * @param concurrency requests in the batch
     * @param rows query tokens of the round (requests x width); null when the width is not known
     * @param contextTokens mean KV length over the samples
     * @param ms median round time with its interval
     * @param acceptLength tokens per round recovered from the events
     * @param samples rounds measured
     */
    @JsonInclude(JsonInclude.Include.NON_NULL)
    public record SpeculativeRound(
            int concurrency, Long rows, double contextTokens, Interval ms, double acceptLength, int samples) {}

    /**
     * What speculative rounds cost beyond the autoregressive round of the same rows: draft and host together.
     *
     * @param ms mean over the loads
     * @param lo smallest over the loads
     * @param hi largest over the loads
     * @param extrapolated loads whose rows lie beyond the autoregressive knots (left out of the mean if others are there)
     * @param notes what to know
     */
    public record DraftAndHost(double ms, double lo, double hi, int extrapolated, List<String> notes) {}
}
