package dev.foretoken.calibration.fit;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/**
 * The segmentation of a curve: stretches of {@link Segment} with a stair between neighbours, by dynamic programming over
 * where stairs lie. A stair after a multiple of eight rows costs less than elsewhere, since tiles end there; a segment pays for
 * its parameters as in BIC (Schwarz 1978), times {@code strictness}.
 *
 * @param segments in order, covering every knot
 */
record Stairs(List<Segment> segments) {
    /** Cost of a stair where knots touch a tile edge on both sides: two log of the few such edges. */
    private static final double TOUCHED_EDGE = 2;

    /** Extra cost where a tile edge lies between knots that do not touch it: grids put knots on both sides of likely stairs. */
    private static final double UNTOUCHED_EDGE = 2;

    /** Extra cost of a stair that no tile edge explains, as minus two log prior odds of about 8 to 1. */
    private static final double OFF_TILE = 4;

    /** Extra cost of a rise over rows: kernels that work in tiles step rather than climb. */
    private static final double RAMP = 3;

    /** Rows per tile edge: the smallest tile height of matrix instructions. */
    static final int TILE_ROWS = 8;

    static Stairs fit(double[] at, double[] us, double[] sdUs, double strictness, boolean tiles) {
        int n = at.length;
        SegmentFitter fitter = new SegmentFitter(at, us, sdUs);
        double unit = strictness * Math.log(Math.max(n, 8));
        double[] cost = new double[n + 1];
        Segment[] last = new Segment[n + 1];
        for (int j = 1; j <= n; j++) {
            cost[j] = Double.POSITIVE_INFINITY;
            for (int i = 0; i < j; i++) {
                double before = cost[i];
                if (i > 0) {
                    before += placeCost(at[i - 1], at[i], unit, tiles);
                }
                if (before >= cost[j]) {
                    continue;
                }
                for (Segment s : fitter.candidates(i, j)) {
                    double total = before + s.loss() + unit * s.parameters();
                    if (tiles && s.parameters() > 1) {
                        total += RAMP;
                    }
                    if (total < cost[j]) {
                        cost[j] = total;
                        last[j] = s;
                    }
                }
            }
        }
        List<Segment> out = new ArrayList<>();
        for (int j = n; j > 0; j = last[j].from()) {
            out.add(last[j]);
        }
        Collections.reverse(out);
        return new Stairs(List.copyOf(out));
    }

    /** The place of a stair is one parameter more, unless it is one of the few that the grid was laid around. */
    private static double placeCost(double left, double right, double unit, boolean tiles) {
        if (!tiles) {
            return unit;
        }
        double edge = tileEdge(left, right);
        if (Double.isNaN(edge)) {
            return unit + OFF_TILE;
        }
        return edge == left && right == left + 1 ? TOUCHED_EDGE : unit + UNTOUCHED_EDGE;
    }

    /** The same stairs and kinds of segments fitted to other times. */
    Stairs refit(double[] at, double[] us, double[] sdUs) {
        SegmentFitter fitter = new SegmentFitter(at, us, sdUs);
        return new Stairs(segments.stream()
                .map(s -> fitter.ofKind(s.from(), s.to(), s.parameters()))
                .toList());
    }

    /** Free parameters, places of stairs included. */
    int parameters() {
        return segments.stream().mapToInt(Segment::parameters).sum() + segments.size() - 1;
    }

    /**
     * The last multiple of the tile height in [left, right), from which a stair between two knots is most likely to lie; NaN
     * where there is none. Among several the one divisible by the largest power of two.
     */
    static double tileEdge(double left, double right) {
        double best = Double.NaN;
        int bestPower = -1;
        long first = (long) Math.ceil(left / TILE_ROWS);
        long last = (long) Math.ceil(right / TILE_ROWS) - 1;
        for (long k = Math.max(1, first); k <= last && k < first + 4096; k++) {
            int power = Long.numberOfTrailingZeros(k);
            if (power > bestPower) {
                bestPower = power;
                best = k * (double) TILE_ROWS;
            }
        }
        return best;
    }

    /** Where the stair between two neighbouring knots lies: after a tile edge if there is one, else after the left knot. */
    static double place(double left, double right, boolean tiles) {
        double edge = tiles ? tileEdge(left, right) : Double.NaN;
        return Double.isNaN(edge) ? left : edge;
    }

    /** Time at x: of the segment whose knots surround it, or whose side of the stair it is on. */
    double at(double x, double[] at, boolean tiles) {
        for (int i = 0; i + 1 < segments.size(); i++) {
            int edge = segments.get(i).to();
            if (x <= place(at[edge - 1], at[edge], tiles)) {
                return segments.get(i).at(x);
            }
        }
        return segments.get(segments.size() - 1).at(x);
    }
}
