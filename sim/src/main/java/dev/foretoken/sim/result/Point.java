package dev.foretoken.sim.result;

import java.util.List;
import java.util.Map;

/**
 * One cell of the grid: one arm on {@code tp} cards under one load. A component that is null is unknown or does not apply.
 * Rates are per second, times are ms, counts are means over busy rounds unless said.
 *
 * @param variant values of axes that are neither TP, method, workload nor load, by key; null when there are none
 * @param tp cards of the replica
 * @param method the method's id
 * @param kind the method's kind
 * @param budget tree nodes without the root
 * @param topK cap on ranks per depth
 * @param draftTokens drafts proposed per round where no budget says it
 * @param parameters other axes of the method with several values, by name; null when there are none
 * @param workload workload id, or "mix"
 * @param load the offered load
 * @param feasible false when at least one request cannot run; then reason says why and figures are absent
 * @param reason why the point is not feasible
 * @param outputTokS output tokens per second of the replica
 * @param outputTokSPerRequest output tokens per second that one request sees over its life: L / e2e
 * @param outputTokSPerGpu output_tok_s / tp
 * @param requestsPerS completed requests per second
 * @param speedupVsAr closed loop: ratio of output_tok_s to the autoregressive arm; open loop: its mean TPOT over this one's
 * @param acceptLength mean tokens per round of the untruncated law
 * @param roundsPerRequest expected rounds of one answer after its first token
 * @param roundMs mean decode round, ms
 * @param rowsPerRound mean query tokens per round after padding
 * @param residentRequests mean requests in the batch
 * @param ttftMs time to first token, ms
 * @param tpotMs time per output token after the first, mean over requests, ms
 * @param roundGapMs time between commits as a client sees it, ms
 * @param e2eMs arrival to last token, ms
 * @param termsMs parts of round_ms by name
 * @param hiddenMs part of the terms that overlap hides
 * @param prefillShare share of the busy time spent on prompts
 * @param boundBy what limits the point
 * @param meetsSlo true when every limit holds; null without limits or when a limit's figure is unknown
 * @param costPerMillionTokens price of a million output tokens
 * @param breakEvenAcceptLength tokens per round at which the speed-up would be 1
 * @param interval band or confidence interval
 * @param calibrated weakest source of the terms: none, published, measured, black-box
 * @param extrapolated true when a curve was used outside its knots
 * @param notes assumptions, each a sentence
 */
public record Point(
        Map<String, String> variant,
        int tp,
        String method,
        String kind,
        Integer budget,
        Integer topK,
        Integer draftTokens,
        Map<String, Object> parameters,
        String workload,
        LoadPoint load,
        boolean feasible,
        String reason,
        Double outputTokS,
        Double outputTokSPerRequest,
        Double outputTokSPerGpu,
        Double requestsPerS,
        Double speedupVsAr,
        Double acceptLength,
        Double roundsPerRequest,
        Double roundMs,
        Double rowsPerRound,
        Double residentRequests,
        Stat ttftMs,
        Stat tpotMs,
        Stat roundGapMs,
        Stat e2eMs,
        Map<String, Double> termsMs,
        Double hiddenMs,
        Double prefillShare,
        String boundBy,
        Boolean meetsSlo,
        Double costPerMillionTokens,
        Double breakEvenAcceptLength,
        Interval interval,
        String calibrated,
        Boolean extrapolated,
        List<String> notes) {

    public static final String CALIBRATED_NONE = "none";
    public static final String CALIBRATED_PUBLISHED = "published";
    public static final String CALIBRATED_MEASURED = "measured";
    public static final String CALIBRATED_BLACK_BOX = "black-box";

    public Point {
        notes = notes == null ? List.of() : List.copyOf(notes);
    }

    /**
     * The offered load of a point.
     *
     * @param kind closed, poisson, gamma or trace
     * @param concurrency closed-loop clients
     * @param ratePerS arrivals per second
     * @param burstiness shape of gamma inter-arrival times
     * @param file trace file name
     */
    public record LoadPoint(String kind, Integer concurrency, Double ratePerS, Double burstiness, String file) {
        /** Short label for tables: c=8, 2/s, 2/s b=0.5, day.csv. */
        public String label() {
            if (concurrency != null) {
                return "c=" + concurrency;
            }
            if (ratePerS != null) {
                return Num.plain(ratePerS) + "/s" + (burstiness == null ? "" : " b=" + Num.plain(burstiness));
            }
            return file == null ? kind : file;
        }
    }

    /**
     * A figure's mean and percentiles; null = unknown.
     *
     * @param halfWidth half-width of the confidence interval of the mean (simulation), null for the analytical model
     */
    public record Stat(Double mean, Double p50, Double p95, Double p99, Double halfWidth) {
        public static Stat mean(double mean) {
            return new Stat(mean, null, null, null, null);
        }

        /** Mean or percentile by its contract name. */
        public Double get(String name) {
            return switch (name) {
                case "mean" -> mean;
                case "p50" -> p50;
                case "p95" -> p95;
                case "p99" -> p99;
                default -> throw new IllegalArgumentException("unknown figure " + name);
            };
        }
    }

    /**
     * An interval of output tokens per second and what it means.
     *
     * @param level "band" for ranges over what the data leave open, else the confidence level such as "0.95"
     * @param outputTokS lower and upper end
     */
    public record Interval(String level, List<Double> outputTokS) {
        public Interval {
            outputTokS = List.copyOf(outputTokS);
            if (outputTokS.size() != 2 || !(outputTokS.get(0) <= outputTokS.get(1))) {
                throw new IllegalArgumentException("an interval needs a lower and an upper end: " + outputTokS);
            }
        }
    }
}
