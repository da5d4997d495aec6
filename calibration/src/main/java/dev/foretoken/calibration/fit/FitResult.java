package dev.foretoken.calibration.fit;

import dev.foretoken.sim.profile.Curve;
import dev.foretoken.sim.profile.CurveFamily;
import dev.foretoken.sim.profile.Op;
import dev.foretoken.sim.profile.Profile;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Curves of a card fitted to timings.
 *
 * @param profile curves of one card; null when no point became one
 * @param links all-reduce and gather curves, as a profile of engine "link"; null when there are none
 * @param fits what every curve rests on, by family and shape, in the order of the profile
 * @param residuals one line per curve
 * @param rejected every point that no curve uses
 */
public record FitResult(
        Profile profile, Profile links, List<Fitted> fits, List<Residual> residuals, List<Rejected> rejected) {
    static final Set<String> LINK_OPS = Set.of(Op.ALL_REDUCE, Op.ALL_GATHER);

    /** One fitted curve and its place. */
    public record Fitted(String op, String dtype, String kernel, String axis, Curve curve, FittedCurve fit) {}

    public FitResult {
        fits = List.copyOf(fits);
        residuals = List.copyOf(residuals);
        rejected = List.copyOf(rejected);
    }

    /** The profile with every curve replaced by its draw of the same index: draws of one index belong together. */
    public Profile draw(int index) {
        if (profile == null) {
            throw new IllegalStateException("no curve was fitted");
        }
        return profile.with(families(fits.stream()
                .filter(f -> !LINK_OPS.contains(f.op()))
                .map(f -> new Fitted(
                        f.op(),
                        f.dtype(),
                        f.kernel(),
                        f.axis(),
                        f.fit().draw(f.curve().shape(), index),
                        f.fit()))
                .toList()));
    }

    /** Families of curves in order of first appearance. */
    static List<CurveFamily> families(List<Fitted> fits) {
        Map<List<String>, List<Curve>> groups = new LinkedHashMap<>();
        for (Fitted f : fits) {
            groups.computeIfAbsent(List.of(f.op(), f.dtype(), f.kernel(), f.axis()), k -> new ArrayList<>())
                    .add(f.curve());
        }
        return groups.entrySet().stream()
                .map(e -> CurveFamily.of(
                        e.getKey().get(0),
                        e.getKey().get(1),
                        e.getKey().get(2),
                        e.getKey().get(3),
                        null,
                        e.getValue()))
                .toList();
    }
}
