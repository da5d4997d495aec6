package dev.foretoken.calibration.fit;

import dev.foretoken.sim.profile.Curve;
import dev.foretoken.sim.profile.CurveFamily;
import dev.foretoken.sim.profile.Op;
import dev.foretoken.sim.profile.Profile;
import dev.foretoken.sim.profile.ProfileSource;
import dev.foretoken.sim.profile.Shape;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;

/**
 * Curves measured on the user's card over a published profile of an engine, term by term.
 *
 * <ul>
 *   <li>A matrix product in bf16 replaces the published curve of its shape: engines call the same library. In other dtypes
 *       engines bring kernels of their own, so the published curve stays and the {@link Efficiency} is told.
 *   <li>Attention and recurrence were timed with a reference kernel: one-token curves stay published; curves that nobody
 *       publishes (verification of several tokens, state per token, replay) are added at the engine's level, that is times the
 *       engine's efficiency at one token.
 *   <li>Everything else that was measured replaces what was published.
 * </ul>
 */
public final class Overlay {
    private static final Set<String> REFERENCE_OPS =
            Set.of(Op.ATTENTION_GENERATION, Op.GDN_STEP, Op.CONV_STEP, Op.CONV_CHUNK, Op.GDN_CHUNK);

    private Overlay() {}

    /**
     * The joined profile.
     *
     * @param profile published curves with measured ones over them
     * @param efficiencies of the engine's kernels on this card
     * @param lines what replaced what, one sentence each
     */
    public record Result(Profile profile, List<Efficiency> efficiencies, List<String> lines) {}

    /** Lays measured curves over a published profile of the same card. */
    public static Result over(Profile published, Profile measured) {
        if (!published.card().equals(measured.card())) {
            throw new IllegalArgumentException("the published profile is of " + published.card()
                    + ", the timings are of " + measured.card() + ": curves of one card do not hold for another");
        }
        List<Efficiency> efficiencies = new ArrayList<>();
        List<String> lines = new ArrayList<>();
        List<CurveFamily> families = new ArrayList<>(published.families());
        for (CurveFamily own : measured.families()) {
            Efficiency e = efficiency(published.families(own.op(), own.dtype()), own);
            if (e != null) {
                efficiencies.add(e);
            }
        }
        for (CurveFamily own : measured.families()) {
            boolean engineKernels = own.op().equals(Op.GEMM) && !own.dtype().equals("bf16");
            if (published.families(own.op(), own.dtype()).isEmpty()) {
                add(families, lines, efficiencies, published, own);
            } else if (engineKernels || REFERENCE_OPS.contains(own.op())) {
                lines.add(own + ": published curves stay" + level(efficiencies, own));
            } else {
                replace(families, lines, own);
            }
        }
        List<String> tables = Stream.concat(published.source().tables().stream(), measured.source().tables().stream())
                .toList();
        ProfileSource source = new ProfileSource(
                published.source().name() + " + " + measured.source().name(),
                published.source().version(),
                published.source().licence(),
                tables,
                true);
        List<String> notes =
                Stream.of(published.notes(), lines).flatMap(List::stream).toList();
        return new Result(
                new Profile(
                        published.card(),
                        published.engine(),
                        published.version(),
                        source,
                        measured.state(),
                        families,
                        notes),
                List.copyOf(efficiencies),
                List.copyOf(lines));
    }

    /** Adds a family that nobody publishes, at the engine's level where one is known. */
    private static void add(
            List<CurveFamily> families,
            List<String> lines,
            List<Efficiency> efficiencies,
            Profile published,
            CurveFamily own) {
        String base = own.op().equals(Op.ATTENTION_VERIFY) ? Op.ATTENTION_GENERATION : null;
        if (own.op().equals(Op.GDN_CHUNK)) {
            base = Op.GDN_STEP;
        }
        String wanted = base;
        Efficiency level = base == null
                ? null
                : efficiencies.stream()
                        .filter(e -> e.op().equals(wanted) && e.dtype().equals(own.dtype()))
                        .findFirst()
                        .orElse(null);
        if (level == null) {
            families.add(own);
            lines.add(own + ": added as measured"
                    + (base == null
                            ? ""
                            : "; " + published.engine() + " has no " + base + " curve to take its level from"));
            return;
        }
        families.add(CurveFamily.of(
                own.op(),
                own.dtype(),
                own.kernel() + " at the level of " + level.engineKernel(),
                own.axis(),
                own.tile(),
                own.curves().stream().map(c -> scaled(c, level.factor())).toList()));
        lines.add(String.format(
                Locale.ROOT, "%s: added, times %.2f, the engine's level at %s", own, level.factor(), wanted));
    }

    private static String level(List<Efficiency> efficiencies, CurveFamily own) {
        return efficiencies.stream()
                .filter(e -> e.op().equals(own.op()) && e.dtype().equals(own.dtype()))
                .filter(e -> e.ownKernel().equals(own.kernel()))
                .findFirst()
                .map(e -> String.format(Locale.ROOT, ", the engine takes %.2f of the tool's time", e.factor()))
                .orElse("");
    }

    private static void replace(List<CurveFamily> families, List<String> lines, CurveFamily own) {
        Set<Shape> shapes = new HashSet<>();
        own.curves().forEach(c -> shapes.add(c.shape()));
        int replaced = 0;
        for (int i = 0; i < families.size(); i++) {
            CurveFamily f = families.get(i);
            if (!f.op().equals(own.op()) || !f.dtype().equals(own.dtype())) {
                continue;
            }
            List<Curve> left =
                    f.curves().stream().filter(c -> !shapes.contains(c.shape())).toList();
            replaced += f.curves().size() - left.size();
            if (left.size() < f.curves().size()) {
                if (left.isEmpty()) {
                    families.remove(i--);
                } else {
                    families.set(i, CurveFamily.of(f.op(), f.dtype(), f.kernel(), f.axis(), f.tile(), left));
                }
            }
        }
        families.add(own);
        lines.add(own + ": " + own.curves().size() + " curves measured, in place of " + replaced + " published ones");
    }

    private static Curve scaled(Curve c, double factor) {
        int n = c.size();
        double[] at = new double[n];
        double[] us = new double[n];
        double[] low = c.hasIntervals() ? new double[n] : null;
        double[] high = c.hasIntervals() ? new double[n] : null;
        int[] counts = c.hasCounts() ? new int[n] : null;
        for (int i = 0; i < n; i++) {
            at[i] = c.at(i);
            us[i] = factor * c.medianUs(i);
            if (low != null) {
                low[i] = factor * c.lowUs(i);
                high[i] = factor * c.highUs(i);
            }
            if (counts != null) {
                counts[i] = c.count(i);
            }
        }
        return Curve.of(c.shape(), at, us, low, high, counts, c.stairs());
    }

    /** Ratios at the knots of either curve inside the other's range; null without a common shape. */
    private static Efficiency efficiency(List<CurveFamily> published, CurveFamily own) {
        List<Double> ratios = new ArrayList<>();
        TreeSet<String> kernels = new TreeSet<>();
        for (CurveFamily f : published) {
            for (Curve mine : own.curves()) {
                Curve theirs = f.find(mine.shape());
                if (theirs == null) {
                    continue;
                }
                for (int i = 0; i < mine.size(); i++) {
                    if (!theirs.outside(mine.at(i))) {
                        ratios.add(theirs.us(mine.at(i)) / mine.medianUs(i));
                        kernels.add(f.kernel());
                    }
                }
            }
        }
        if (ratios.isEmpty()) {
            return null;
        }
        double[] r = ratios.stream().mapToDouble(Double::doubleValue).toArray();
        return new Efficiency(
                own.op(),
                own.dtype(),
                String.join(", ", kernels),
                own.kernel(),
                Numbers.median(r),
                Numbers.quantile(r, 0.05),
                Numbers.quantile(r, 0.95),
                r.length);
    }
}
