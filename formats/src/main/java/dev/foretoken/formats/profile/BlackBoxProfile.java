package dev.foretoken.formats.profile;

import dev.foretoken.sim.profile.CardState;
import dev.foretoken.sim.profile.Curve;
import dev.foretoken.sim.profile.CurveFamily;
import dev.foretoken.sim.profile.Op;
import dev.foretoken.sim.profile.Profile;
import dev.foretoken.sim.profile.ProfileSource;
import dev.foretoken.sim.profile.Shape;
import dev.foretoken.sim.round.BlackBoxKnot;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalDouble;
import java.util.TreeMap;

/** Round times of a server as a profile: the same file type as kernel curves, with operations of a whole round. */
public final class BlackBoxProfile {
    private static final String KERNEL = "server";
    private static final String TP = "tp";
    private static final String CONTEXT = "context";
    private static final double US_PER_MS = 1000;

    private BlackBoxProfile() {}

    /**
     * A measured figure.
     *
     * @param ms median, ms
     * @param lowMs lower end of its interval
     * @param highMs upper end
     * @param samples behind it
     */
    public record Measured(double ms, double lowMs, double highMs, int samples) {}

    /**
     * A profile of one server.
     *
     * @param card catalogue id, or any name where it is not known
     * @param engine engine id
     * @param version engine version; null when unknown
     * @param weights weight format as the server says; "unknown" where it does not
     * @param source who measured it
     * @param rounds autoregressive rounds; empty for a server that speculates
     * @param prefillPerToken prefill per prompt token; null when not measured
     * @param overhead speculative round beyond the autoregressive one of as many rows; null when not known
     * @param notes each a sentence
     */
    public static Profile of(
            String card,
            String engine,
            String version,
            String weights,
            ProfileSource source,
            Map<BlackBoxKnot, Measured> rounds,
            Measured prefillPerToken,
            Measured overhead,
            List<String> notes) {
        Map<Shape, TreeMap<Integer, Measured>> curves = new LinkedHashMap<>();
        rounds.forEach((knot, m) -> {
            Shape shape = Shape.NONE;
            if (knot.tp() != null) {
                shape = shape.and(TP, knot.tp());
            }
            if (knot.contextTokens() != null) {
                shape = shape.and(CONTEXT, (int) Math.round(knot.contextTokens()));
            }
            if (curves.computeIfAbsent(shape, s -> new TreeMap<>()).put(knot.rows(), m) != null) {
                throw new IllegalArgumentException("two rounds of " + knot.rows() + " rows at " + shape);
            }
        });
        List<CurveFamily> families = new ArrayList<>();
        if (!curves.isEmpty()) {
            List<Curve> list = new ArrayList<>();
            curves.forEach((shape, knots) -> list.add(curve(shape, knots)));
            families.add(CurveFamily.of(Op.ROUND, weights, KERNEL, "rows", null, list));
        }
        single(families, Op.PREFILL, weights, "tokens", prefillPerToken);
        single(families, Op.ROUND_OVERHEAD, weights, "rounds", overhead);
        if (families.isEmpty()) {
            throw new IllegalArgumentException("a profile of a server needs at least one measured time");
        }
        return new Profile(card, engine, version, source, new CardState(card, null, null, null, null), families, notes);
    }

    private static void single(List<CurveFamily> families, String op, String weights, String axis, Measured m) {
        if (m != null && m.ms() > 0) {
            families.add(CurveFamily.of(
                    op, weights, KERNEL, axis, null, List.of(curve(Shape.NONE, new TreeMap<>(Map.of(1, m))))));
        }
    }

    private static Curve curve(Shape shape, TreeMap<Integer, Measured> knots) {
        int n = knots.size();
        double[] at = new double[n];
        double[] us = new double[n];
        double[] low = new double[n];
        double[] high = new double[n];
        int[] counts = new int[n];
        int i = 0;
        for (Map.Entry<Integer, Measured> e : knots.entrySet()) {
            at[i] = e.getKey();
            us[i] = us(e.getValue().ms());
            low[i] = Math.min(us[i], us(e.getValue().lowMs()));
            high[i] = Math.max(us[i], us(e.getValue().highMs()));
            counts[i++] = e.getValue().samples();
        }
        return Curve.of(shape, at, us, low, high, counts, new double[0]);
    }

    /** Microseconds to a picosecond, so that milliseconds come back as they were written. */
    private static double us(double ms) {
        return Math.rint(ms * US_PER_MS * 1e6) / 1e6;
    }

    /** True when a profile holds rounds of a server. */
    public static boolean isOne(Profile profile) {
        return !profile.families(Op.ROUND).isEmpty();
    }

    /**
     * Knots of the rounds, ascending in rows for each TP size and context; empty when the profile is of kernels. They carry
     * the intervals of a profile that was measured on the user's own server.
     */
    public static List<BlackBoxKnot> knots(Profile profile) {
        List<BlackBoxKnot> knots = new ArrayList<>();
        for (CurveFamily f : profile.families(Op.ROUND)) {
            for (Curve c : f.curves()) {
                Map<String, Integer> dims = c.shape().dims();
                Integer context = dims.get(CONTEXT);
                for (int i = 0; i < c.size(); i++) {
                    boolean interval = profile.source().measured() && c.hasIntervals() && c.lowUs(i) < c.highUs(i);
                    knots.add(new BlackBoxKnot(
                            (int) Math.round(c.at(i)),
                            context == null ? null : Double.valueOf(context),
                            c.medianUs(i) / US_PER_MS,
                            dims.get(TP),
                            interval ? c.lowUs(i) / US_PER_MS : null,
                            interval ? c.highUs(i) / US_PER_MS : null));
                }
            }
        }
        return knots;
    }

    /** Prefill per prompt token, ms; empty when it was not measured. */
    public static OptionalDouble prefillMsPerToken(Profile profile) {
        return single(profile, Op.PREFILL);
    }

    /** Draft and host together beyond the autoregressive round of as many rows, ms per round; empty when not measured. */
    public static OptionalDouble overheadMs(Profile profile) {
        return single(profile, Op.ROUND_OVERHEAD);
    }

    private static OptionalDouble single(Profile profile, String op) {
        for (CurveFamily f : profile.families(op)) {
            for (Curve c : f.curves()) {
                return OptionalDouble.of(c.medianUs(0) / US_PER_MS);
            }
        }
        return OptionalDouble.empty();
    }
}
