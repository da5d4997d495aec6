package dev.foretoken.calibration.fit;

import dev.foretoken.formats.timings.KernelTimings.Device;
import dev.foretoken.sim.profile.CurveFamily;
import dev.foretoken.sim.profile.GemmGrid;
import dev.foretoken.sim.profile.LeaveOneOut;
import dev.foretoken.sim.profile.LeaveOneOut.Errors;
import dev.foretoken.sim.profile.Op;
import dev.foretoken.sim.profile.Tile;
import java.util.List;

/** The output tile that predicts left-out shapes of matrix products by counting tiles; none where lines do as well. */
final class GemmTile {
    private static final int[] SIDES = {64, 128, 256};
    private static final int FROM_ROWS = 64;
    private static final int FEWEST_POINTS = 12;
    /** Share of the error that a tile must save. */
    private static final double WORTH = 0.9;

    private GemmTile() {}

    static CurveFamily choose(CurveFamily family, List<Device> devices) {
        if (!family.op().equals(Op.GEMM) || devices.isEmpty() || devices.get(0).smCount() == null) {
            return family;
        }
        int multiprocessors = devices.get(0).smCount();
        GemmGrid grid = GemmGrid.of(List.of(family));
        Errors lines = LeaveOneOut.alongOutputs(grid, null, FROM_ROWS);
        if (lines.points() < FEWEST_POINTS) {
            return family;
        }
        double best = WORTH * lines.mean();
        Tile chosen = null;
        for (int rows : SIDES) {
            for (int columns : SIDES) {
                Tile tile = new Tile(rows, columns, multiprocessors, FROM_ROWS);
                double error = LeaveOneOut.alongOutputs(grid, tile, FROM_ROWS).mean();
                if (error < best) {
                    best = error;
                    chosen = tile;
                }
            }
        }
        return chosen == null
                ? family
                : CurveFamily.of(
                        family.op(),
                        family.dtype(),
                        family.kernel(),
                        family.axis(),
                        chosen,
                        List.copyOf(family.curves()));
    }
}
