package dev.foretoken.calibration.study;

import dev.foretoken.sim.hardware.LinkCurve;
import dev.foretoken.sim.hardware.LinkCurve.Operation;
import dev.foretoken.sim.hardware.LinkProfile;
import dev.foretoken.sim.profile.Curve;
import dev.foretoken.sim.profile.CurveFamily;
import dev.foretoken.sim.profile.Op;
import dev.foretoken.sim.profile.Profile;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Collectives that were timed on a node, as a link profile of the catalogue. */
public final class MeasuredLinks {
    private static final Map<String, Operation> OPERATIONS =
            Map.of(Op.ALL_REDUCE, Operation.ALL_REDUCE, Op.ALL_GATHER, Operation.ALL_GATHER);

    /** Curves run along elements of two bytes. */
    private static final int BYTES_PER_ELEMENT = 2;

    private MeasuredLinks() {}

    /**
     * The link profile.
     *
     * @param id catalogue id
     * @param links curves by ranks, along elements
     */
    public static LinkProfile of(String id, Profile links) {
        List<LinkCurve> curves = new ArrayList<>();
        List<String> notes = new ArrayList<>();
        Set<List<Object>> seen = new HashSet<>();
        for (CurveFamily family : links.families()) {
            Operation operation = OPERATIONS.get(family.op());
            if (operation == null) {
                throw new IllegalArgumentException(family.op() + " is no operation of a link");
            }
            String implementation = implementation(family.kernel());
            for (Curve c : family.curves()) {
                int ranks = c.shape().get("ranks");
                if (!seen.add(List.of(operation, ranks, implementation))) {
                    notes.add(family + " over " + ranks + " ranks is left out: another kernel counts as "
                            + implementation);
                    continue;
                }
                List<LinkCurve.Knot> knots = new ArrayList<>();
                for (int i = 0; i < c.size(); i++) {
                    long bytes = Math.round(c.at(i) * BYTES_PER_ELEMENT);
                    if (knots.isEmpty() || knots.get(knots.size() - 1).bytes() < bytes) {
                        knots.add(new LinkCurve.Knot(bytes, c.medianUs(i)));
                    }
                }
                curves.add(new LinkCurve(
                        operation,
                        ranks,
                        implementation,
                        knots,
                        "foretoken-timing, " + links.state().device() + ", kernel " + family.kernel()));
            }
        }
        return new LinkProfile(
                id,
                "measured node of " + links.state().device(),
                curves,
                notes,
                List.of("timed by calibrate gpu: "
                        + String.join(", ", links.source().tables())));
    }

    private static String implementation(String kernel) {
        return kernel.startsWith("own") ? "custom" : kernel.startsWith("nccl") ? "nccl" : kernel;
    }
}
