package dev.foretoken.sim.round;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;

/**
 * Round times from a server's own autoregressive rounds: t(rows, context) + draft + host.
 *
 * <p>t is exact at knots and linear in rows between neighbours, never smoothed. Below the first knot it is the first knot's
 * time, above the last it is linear through the last two; both are flagged. A single knot is a constant. Knots of one
 * context carry no dependence on context; of several, t is linear in context between them and clamped outside.
 *
 * <p>Row equivalence holds for matrix products, while KV caches scale with requests: a round of n requests of width w reads
 * n caches, its knot at n w rows was measured with n w caches. So with several contexts the lookup is at context / w (equal
 * bytes); {@link #atFullContext()} gives the other end of the band.
 */
public final class BlackBoxRounds implements RoundTimeModel {
    private final double[] contexts;
    private final int[][] rows;
    private final double[][] ms;
    private final double draftMs;
    private final double hostMs;
    private final double prefillMsPerToken;
    private final double width;
    private final List<String> warnings;

    private BlackBoxRounds(
            double[] contexts,
            int[][] rows,
            double[][] ms,
            double draftMs,
            double hostMs,
            double prefillMsPerToken,
            double width,
            List<String> warnings) {
        this.contexts = contexts;
        this.rows = rows;
        this.ms = ms;
        this.draftMs = draftMs;
        this.hostMs = hostMs;
        this.prefillMsPerToken = prefillMsPerToken;
        this.width = width;
        this.warnings = warnings;
    }

    /**
     * The autoregressive curve of a server.
     *
     * @param knots rounds of one TP size, any order; at least one
     * @param prefillMsPerToken prefill time per prompt token, ms; 0 when none is charged
     * @throws IllegalArgumentException when two knots share rows and context, or only some carry a context
     */
    public static BlackBoxRounds of(List<BlackBoxKnot> knots, double prefillMsPerToken) {
        if (knots.isEmpty()) {
            throw new IllegalArgumentException("round_times needs at least one knot");
        }
        boolean some = knots.stream().anyMatch(k -> k.contextTokens() != null);
        boolean all = knots.stream().allMatch(k -> k.contextTokens() != null);
        if (some && !all) {
            throw new IllegalArgumentException("round_times: give context for every knot or for none");
        }
        NavigableMap<Double, List<BlackBoxKnot>> byContext = new TreeMap<>();
        for (BlackBoxKnot k : knots) {
            byContext
                    .computeIfAbsent(k.contextTokens() == null ? 0.0 : k.contextTokens(), c -> new ArrayList<>())
                    .add(k);
        }
        double[] contexts = new double[byContext.size()];
        int[][] rows = new int[contexts.length][];
        double[][] ms = new double[contexts.length][];
        List<String> warnings = new ArrayList<>();
        int c = 0;
        for (Map.Entry<Double, List<BlackBoxKnot>> e : byContext.entrySet()) {
            List<BlackBoxKnot> sorted = new ArrayList<>(e.getValue());
            sorted.sort(Comparator.comparingInt(BlackBoxKnot::rows));
            contexts[c] = e.getKey();
            rows[c] = new int[sorted.size()];
            ms[c] = new double[sorted.size()];
            for (int i = 0; i < sorted.size(); i++) {
                rows[c][i] = sorted.get(i).rows();
                ms[c][i] = sorted.get(i).ms();
                if (i > 0 && rows[c][i] == rows[c][i - 1]) {
                    throw new IllegalArgumentException("round_times: two knots at rows " + rows[c][i] + ", context "
                            + show(contexts[c]) + ": " + ms[c][i - 1] + " and " + ms[c][i] + " ms");
                }
                if (i > 0 && ms[c][i] < ms[c][i - 1]) {
                    warnings.add("round_times fall from " + ms[c][i - 1] + " ms at " + rows[c][i - 1] + " rows to "
                            + ms[c][i] + " ms at " + rows[c][i] + " rows (context " + show(contexts[c])
                            + "); kept as measured");
                }
            }
            c++;
        }
        return new BlackBoxRounds(contexts, rows, ms, 0, 0, prefillMsPerToken, 1, List.copyOf(warnings));
    }

    private static String show(double x) {
        return x == Math.rint(x) ? Long.toString((long) x) : Double.toString(x);
    }

    /**
     * The same server running an arm.
     *
     * @param width query tokens per request (mean width where it varies), at least 1
     * @param armDraftMs all draft passes of a round, ms
     * @param armHostMs host time of a round beyond the autoregressive one, ms
     */
    public BlackBoxRounds forArm(double width, double armDraftMs, double armHostMs) {
        if (!(width >= 1)) {
            throw new IllegalArgumentException("width must be at least 1: " + width);
        }
        return new BlackBoxRounds(contexts, rows, ms, armDraftMs, armHostMs, prefillMsPerToken, width, warnings);
    }

    /** The lookup at the full context instead of context / width: the pessimistic end of the band. */
    public BlackBoxRounds atFullContext() {
        return new BlackBoxRounds(contexts, rows, ms, draftMs, hostMs, prefillMsPerToken, 1, warnings);
    }

    /** True when time depends on context, so that the two lookups of the band differ for widths above 1. */
    public boolean dependsOnContext() {
        return contexts.length > 1;
    }

    /** Falling knots, each a sentence. */
    public List<String> warnings() {
        return warnings;
    }

    /** Prefill time of one prompt token, ms. */
    public double prefillMsPerToken() {
        return prefillMsPerToken;
    }

    /** True when rows lie outside the knots of a context that the lookup uses. */
    public boolean extrapolated(long n, double contextTokens) {
        double at = contextTokens / width;
        int hi = upperContext(at);
        int lo = Math.max(0, hi - 1);
        return outside(lo, n) || outside(hi, n);
    }

    private boolean outside(int c, long n) {
        return n < rows[c][0] || n > rows[c][rows[c].length - 1];
    }

    /** Index of the first context not below the given one, the last index when all are below. */
    private int upperContext(double at) {
        int i = 0;
        while (i < contexts.length - 1 && contexts[i] < at) {
            i++;
        }
        return i;
    }

    /** Target part of a round, ms. */
    public double targetMs(long n, double contextTokens) {
        if (contexts.length == 1) {
            return curve(0, n);
        }
        double at = contextTokens / width;
        int hi = upperContext(at);
        if (hi == 0 || at >= contexts[hi]) {
            return curve(hi, n);
        }
        double lower = curve(hi - 1, n);
        double upper = curve(hi, n);
        return lower + (upper - lower) * (at - contexts[hi - 1]) / (contexts[hi] - contexts[hi - 1]);
    }

    private double curve(int c, long n) {
        int[] r = rows[c];
        double[] t = ms[c];
        int last = r.length - 1;
        if (n <= r[0] || last == 0) {
            return t[0];
        }
        int i = 1;
        while (i < last && n > r[i]) {
            i++;
        }
        double value = n <= r[i]
                ? t[i - 1] + (t[i] - t[i - 1]) * (n - r[i - 1]) / (r[i] - r[i - 1])
                : t[last] + (t[last] - t[last - 1]) / (r[last] - r[last - 1]) * (n - r[last]);
        // A falling last segment would cross zero far out: time can't, so the last knot's value stands there.
        return value > 0 ? value : t[last];
    }

    @Override
    public double roundMs(int requests, long n, double contextTokens, double maxContextTokens) {
        return targetMs(n, contextTokens) + draftMs + hostMs;
    }

    @Override
    public double mixedRoundMs(
            int requests,
            long n,
            double contextTokens,
            double maxContextTokens,
            long prefillTokens,
            double prefillContext) {
        double prefill = prefillTokens * prefillMsPerToken;
        return requests == 0 ? prefill : roundMs(requests, n, contextTokens, maxContextTokens) + prefill;
    }

    @Override
    public RoundTime explain(int requests, long n, double contextTokens, double maxContextTokens) {
        double target = targetMs(n, contextTokens);
        Map<String, Double> terms = new LinkedHashMap<>();
        terms.put("target", target);
        if (draftMs > 0) {
            terms.put("draft", draftMs);
        }
        if (hostMs > 0) {
            terms.put("host", hostMs);
        }
        return new RoundTime(target + draftMs + hostMs, terms, 0, null, extrapolated(n, contextTokens), List.of());
    }
}
