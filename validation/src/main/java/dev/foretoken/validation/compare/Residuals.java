package dev.foretoken.validation.compare;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Objects;

/**
 * Which term of the model explains the errors. Acceptance: the change of log throughput between the full prediction and the one
 * with measured acceptance. Rounds: measured minus predicted round time over the rows of the round; what autoregressive runs
 * miss is the host where it is the same at every load, else the verify curve, and so is what grows with rows in speculative runs;
 * the constant that only speculative runs miss is draft and host. Prefill: what single clients wait for their first token beyond the
 * prediction, by what it does to their throughput. What is left under load is scheduling. What is left where the round times are
 * not known, and of single clients, is not told apart. Every share is of throughput.
 */
public final class Residuals {
    private static final double SMALL = 0.01;
    private static final double UNKNOWN_HOST_MS = 10;
    private static final double TOLD_APART = 4;
    private static final double TTFT_WORTH_SAYING = 0.05;

    private static final String PREFILL = "prefill";
    private static final String NOT_TOLD_APART = "not_told_apart";

    private Residuals() {}

    /**
     * One cell with everything known of it; null = unknown.
     *
     * @param speculative whether the arm drafts
     * @param clients closed-loop clients, null for open loads
     * @param rows query tokens per round
     * @param predictedRoundMs predicted decode round
     * @param measuredRoundMs measured decode round (median gap between commits)
     * @param fullTokS throughput of the full prediction
     * @param withAcceptanceTokS throughput predicted with measured acceptance
     * @param measuredTokS measured throughput
     * @param predictedTtftMs predicted time to first token
     * @param measuredTtftMs measured time to first token
     * @param promptTokens mean prompt length
     * @param predictedE2eMs predicted latency of a request
     */
    public record CellFacts(
            boolean speculative,
            Integer clients,
            Double rows,
            Double predictedRoundMs,
            Double measuredRoundMs,
            Double fullTokS,
            Double withAcceptanceTokS,
            Double measuredTokS,
            Double predictedTtftMs,
            Double measuredTtftMs,
            Double promptTokens,
            Double predictedE2eMs) {

        /** True when what is left of the throughput after acceptance is known. */
        private boolean compared() {
            return withAcceptanceTokS != null && measuredTokS != null;
        }

        private boolean single() {
            return Objects.equals(clients, 1);
        }

        /** Predicted latency with measured acceptance: a single client's throughput is one answer per latency. */
        private Double latencyMs() {
            return predictedE2eMs == null || fullTokS == null || withAcceptanceTokS == null
                    ? null
                    : Double.valueOf(predictedE2eMs * fullTokS / withAcceptanceTokS);
        }

        private double ttftResidualMs() {
            return predictedTtftMs == null || measuredTtftMs == null ? 0 : measuredTtftMs - predictedTtftMs;
        }

        /** Log of what the residual time to first token does to a single client's throughput, null when unknown. */
        private Double prefillLog() {
            Double latency = latencyMs();
            return latency == null ? null : Double.valueOf(-Math.log1p(Math.max(-0.99, ttftResidualMs() / latency)));
        }

        /** Log throughput that neither acceptance nor, where they are known, prefill and rounds of a single client explain. */
        private double left() {
            double left = Math.log(measuredTokS / withAcceptanceTokS);
            if (!single()) {
                return left;
            }
            Double latency = latencyMs();
            double stretch = roundResidualMs() == null ? 1 : measuredRoundMs / predictedRoundMs;
            if (latency == null || predictedTtftMs == null) {
                return left + Math.log(stretch);
            }
            double decode = Math.max(0, latency - predictedTtftMs);
            double explained = latency + ttftResidualMs() + (stretch - 1) * decode;
            return left + Math.log(Math.max(0.01, explained / latency));
        }

        Double roundResidualMs() {
            return predictedRoundMs == null || measuredRoundMs == null ? null : measuredRoundMs - predictedRoundMs;
        }
    }

    /** Terms by the size of what they explain, largest first; terms that explain nothing are left out. */
    public static List<TermResidual> explain(List<CellFacts> cells) {
        List<TermResidual> terms = new ArrayList<>();
        acceptance(cells, terms);
        rounds(cells, terms);
        prefill(cells, terms);
        scheduling(cells, terms);
        notToldApart(cells, terms);
        terms.removeIf(t -> t.share() != null && t.share() < SMALL && !t.term().equals(PREFILL));
        terms.sort(Comparator.comparing(TermResidual::share, Comparator.nullsLast(Comparator.<Double>reverseOrder())));
        return List.copyOf(terms);
    }

    private static void acceptance(List<CellFacts> cells, List<TermResidual> terms) {
        double[] d = cells.stream()
                .filter(c -> c.speculative && c.fullTokS != null && c.withAcceptanceTokS != null)
                .mapToDouble(c -> Math.log(c.fullTokS / c.withAcceptanceTokS))
                .toArray();
        if (d.length > 0) {
            double mean = mean(d);
            terms.add(new TermResidual(
                    "acceptance",
                    meanAbsolute(d),
                    null,
                    say("with measured acceptance predictions change by %+.1f %% on average", 100 * Math.expm1(-mean)),
                    "calibrate acceptance on this workload, drafter and target quantisation"));
        }
    }

    private static void rounds(List<CellFacts> cells, List<TermResidual> terms) {
        List<CellFacts> ar = with(cells, false);
        List<CellFacts> spec = with(cells, true);
        double arMean = ar.isEmpty() ? 0 : mean(residuals(ar));
        if (!ar.isEmpty()) {
            autoregressive(ar, terms);
        }
        if (spec.isEmpty()) {
            return;
        }
        double[] rows = spec.stream().mapToDouble(CellFacts::rows).toArray();
        double[] ms = residuals(spec);
        double slope = 0;
        if (rows.length >= 3 && spread(rows) > 0) {
            slope = slope(rows, ms);
        }
        double meanRows = mean(rows);
        double growing = slope * (meanRows - min(rows));
        double constant = mean(ms) - growing - arMean;
        double round = mean(spec.stream().mapToDouble(c -> c.predictedRoundMs).toArray());
        if (Math.abs(growing) / round > SMALL) {
            terms.add(new TermResidual(
                    "verify",
                    Math.abs(Math.log1p(Math.max(-0.99, growing / round))),
                    growing,
                    say(
                            "speculative rounds miss %+.4f ms per row, %+.2f ms at the mean of %.0f rows",
                            slope, growing, meanRows),
                    "measure wide rounds: knots at the rows of this method (requests x width), with a knot on each side of"
                            + " every stair"));
        }
        terms.add(new TermResidual(
                "draft_and_host",
                Math.abs(Math.log1p(Math.max(-0.99, constant / round))),
                constant,
                say(
                        "speculative rounds miss %+.2f ms that autoregressive ones do not and that do not grow with rows",
                        constant),
                "calibrate endpoint with speculation on (draft_ms, host_ms), or time the drafter's pass"));
    }

    /**
     * What autoregressive rounds miss: a time that is the same at every load is the host's (it reads no rows), one in proportion to
     * the rounds or to their rows is the curve's. Where loads do not tell them apart it counts as the curve's.
     */
    private static void autoregressive(List<CellFacts> ar, List<TermResidual> terms) {
        double[] rows = ar.stream().mapToDouble(CellFacts::rows).toArray();
        double[] predicted =
                ar.stream().mapToDouble(CellFacts::predictedRoundMs).toArray();
        double[] ms = residuals(ar);
        double[] ones = new double[ms.length];
        java.util.Arrays.fill(ones, 1);
        double curve = Math.min(unexplained(rows, ms), unexplained(predicted, ms));
        boolean constant = ms.length >= 3 && TOLD_APART * unexplained(ones, ms) < curve;
        double mean = mean(ms);
        String size = mean > UNKNOWN_HOST_MS
                ? say(": that is more than any host published for these engines takes (%.0f ms)", UNKNOWN_HOST_MS)
                : "";
        terms.add(new TermResidual(
                constant ? "host" : "verify",
                meanAbsolute(logs(ar)),
                mean,
                say(
                        "autoregressive rounds take %+.2f ms against the prediction (%d loads%s)%s",
                        mean, ar.size(), constant ? ", the same at each" : "", size),
                constant
                        ? "sweep the server autoregressively again (calibrate endpoint); a constant points at launches, sampling,"
                                + " communication or a busy CPU (calibrate host)"
                        : "sweep the server autoregressively again (calibrate endpoint), or recalibrate weights and attention of the"
                                + " card"));
    }

    /** Sum of squares left by y = b x. */
    private static double unexplained(double[] x, double[] y) {
        double xy = 0;
        double xx = 0;
        for (int i = 0; i < x.length; i++) {
            xy += x[i] * y[i];
            xx += x[i] * x[i];
        }
        double left = 0;
        for (int i = 0; i < x.length; i++) {
            double d = y[i] - xy / xx * x[i];
            left += d * d;
        }
        return left;
    }

    private static List<CellFacts> with(List<CellFacts> cells, boolean speculative) {
        return cells.stream()
                .filter(c -> c.speculative == speculative && c.roundResidualMs() != null && c.rows != null)
                .toList();
    }

    private static void prefill(List<CellFacts> cells, List<TermResidual> terms) {
        List<CellFacts> single = cells.stream()
                .filter(c -> Objects.equals(c.clients, 1)
                        && c.predictedTtftMs != null
                        && c.measuredTtftMs != null
                        && c.promptTokens != null
                        && c.promptTokens > 0)
                .toList();
        if (single.isEmpty()) {
            return;
        }
        double ttft = mean(single.stream()
                .mapToDouble(c -> Math.log(Math.max(c.measuredTtftMs, 1e-3) / Math.max(c.predictedTtftMs, 1e-3)))
                .toArray());
        double[] logs = single.stream()
                .map(CellFacts::prefillLog)
                .filter(Objects::nonNull)
                .mapToDouble(Double::doubleValue)
                .toArray();
        Double share = logs.length == 0 ? null : Double.valueOf(meanAbsolute(logs));
        if (Math.abs(ttft) < TTFT_WORTH_SAYING && (share == null || share < SMALL)) {
            return;
        }
        double mean = mean(single.stream()
                .mapToDouble(c -> c.ttftResidualMs() / c.promptTokens)
                .toArray());
        terms.add(new TermResidual(
                PREFILL,
                share,
                mean,
                say(
                        "single clients wait %+.4f ms per prompt token beyond the prediction: their time to first token is"
                                + " off by %+.1f %%, their throughput by %s",
                        mean,
                        100 * Math.expm1(ttft),
                        logs.length == 0 ? "an unknown part" : say("%+.1f %%", 100 * Math.expm1(mean(logs)))),
                "set or calibrate prefill_ms_per_token for this prompt length; check the prefix hit rate"));
    }

    private static void scheduling(List<CellFacts> cells, List<TermResidual> terms) {
        double[] left = cells.stream()
                .filter(c -> c.clients != null
                        && c.clients > 1
                        && c.withAcceptanceTokS != null
                        && c.measuredTokS != null
                        && c.roundResidualMs() != null)
                .mapToDouble(c -> Math.log(c.measuredTokS / c.withAcceptanceTokS)
                        + Math.log(c.measuredRoundMs / c.predictedRoundMs))
                .toArray();
        if (left.length > 0) {
            terms.add(new TermResidual(
                    "scheduling",
                    meanAbsolute(left),
                    null,
                    say(
                            "under load %+.1f %% of throughput is left after acceptance and round time",
                            100 * Math.expm1(mean(left))),
                    "check max_running_requests, KV memory, prefill policy and foreign traffic"));
        }
    }

    /** Throughput that no term above explains: of cells without round times, and of single clients. */
    private static void notToldApart(List<CellFacts> cells, List<TermResidual> terms) {
        List<CellFacts> blind = cells.stream()
                .filter(c -> c.compared() && c.roundResidualMs() == null)
                .toList();
        if (!blind.isEmpty()) {
            double[] left = blind.stream().mapToDouble(CellFacts::left).toArray();
            terms.add(new TermResidual(
                    NOT_TOLD_APART,
                    meanAbsolute(left),
                    null,
                    say(
                            "%+.1f %% of throughput is left in %s after %s: no round times in the file or run, so the verify curve, draft"
                                    + " and host%s%s are not told apart",
                            100 * Math.expm1(mean(left)),
                            blind.size() == 1 ? "one cell" : blind.size() + " cells",
                            blind.stream().allMatch(CellFacts::single)
                                    ? "measured acceptance and prefill"
                                    : "measured acceptance",
                            blind.stream().allMatch(CellFacts::single) ? "" : ", prefill under load and scheduling",
                            blind.stream().anyMatch(c -> c.speculative && c.withAcceptanceTokS.equals(c.fullTokS))
                                    ? " (and acceptance, where it was not measured)"
                                    : ""),
                    "drive the server itself (validate --url): its round times tell the terms apart"));
        }
        double[] rest = cells.stream()
                .filter(c -> c.compared() && c.roundResidualMs() != null && (c.single() || c.clients == null))
                .mapToDouble(CellFacts::left)
                .toArray();
        if (rest.length > 0) {
            terms.add(new TermResidual(
                    NOT_TOLD_APART,
                    meanAbsolute(rest),
                    null,
                    say(
                            "%+.1f %% of throughput is left after acceptance, round time and prefill",
                            100 * Math.expm1(mean(rest))),
                    "repeat the run; check that the measured window holds whole answers and no foreign traffic"));
        }
    }

    private static double[] residuals(List<CellFacts> cells) {
        return cells.stream().mapToDouble(CellFacts::roundResidualMs).toArray();
    }

    private static double[] logs(List<CellFacts> cells) {
        return cells.stream()
                .mapToDouble(c -> Math.log(c.measuredRoundMs / c.predictedRoundMs))
                .toArray();
    }

    private static double mean(double[] v) {
        return java.util.Arrays.stream(v).average().orElseThrow();
    }

    private static double min(double[] v) {
        return java.util.Arrays.stream(v).min().orElseThrow();
    }

    private static double spread(double[] v) {
        return java.util.Arrays.stream(v).max().orElseThrow() - min(v);
    }

    private static double meanAbsolute(double[] v) {
        return java.util.Arrays.stream(v).map(Math::abs).average().orElseThrow();
    }

    private static double slope(double[] x, double[] y) {
        double mx = mean(x);
        double my = mean(y);
        double sxy = 0;
        double sxx = 0;
        for (int i = 0; i < x.length; i++) {
            sxy += (x[i] - mx) * (y[i] - my);
            sxx += (x[i] - mx) * (x[i] - mx);
        }
        return sxy / sxx;
    }

    private static String say(String format, Object... args) {
        return String.format(Locale.ROOT, format, args);
    }
}
