package dev.foretoken.calibration.whitebox;

import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.foretoken.formats.profile.ProfileCatalogue;
import dev.foretoken.sim.profile.Curve;
import dev.foretoken.sim.profile.CurveFamily;
import dev.foretoken.sim.profile.GemmGrid;
import dev.foretoken.sim.profile.LeaveOneOut;
import dev.foretoken.sim.profile.LeaveOneOut.Errors;
import dev.foretoken.sim.profile.Op;
import dev.foretoken.sim.profile.Profile;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.junit.jupiter.api.Test;

/** Interpolation between measured knots and shapes, checked by leaving measured ones out. */
class LeaveOneOutTest {
    private static List<Curve> curves(List<CurveFamily> families) {
        List<Curve> out = new ArrayList<>();
        families.forEach(f -> out.addAll(f.curves()));
        return out;
    }

    private static void atMost(double percent, Errors e, String what) {
        assertTrue(100 * e.median() <= percent, what + ": median " + 100 * e.median() + " % of " + e.points());
    }

    @Test
    void mediansOfTheFoundingCardAreWithinTheirBounds() {
        Profile p = Bundled.profile("rtx-pro-6000-server/sglang");
        for (String dtype : List.of("bf16", "fp8", "nvfp4")) {
            GemmGrid grid = GemmGrid.of(p.families(Op.GEMM, dtype));
            atMost(4.2, LeaveOneOut.alongOutputs(grid, grid.tile(), 1), dtype + " n");
            atMost(2.0, LeaveOneOut.alongInputs(grid), dtype + " k");
            atMost(1.0, LeaveOneOut.alongAxis(grid.curves()), dtype + " m");
        }
        List<CurveFamily> attention = p.families(Op.ATTENTION_GENERATION);
        atMost(1.5, LeaveOneOut.alongAxis(curves(attention)), "attention KV");
        atMost(3.5, LeaveOneOut.alongBatch(attention), "attention batch");
    }

    @Test
    void tilesBeatStraightLinesWhereFamiliesCarryThem() {
        Profile p = Bundled.profile("rtx-pro-6000-server/sglang");
        for (String dtype : List.of("bf16", "fp8", "nvfp4")) {
            GemmGrid grid = GemmGrid.of(p.families(Op.GEMM, dtype));
            assertTrue(grid.tile() != null, dtype);
            double from = grid.tile().fromRows();
            assertTrue(
                    LeaveOneOut.alongOutputs(grid, grid.tile(), from).median()
                            < LeaveOneOut.alongOutputs(grid, null, from).median(),
                    dtype);
        }
    }

    @Test
    void printsEveryCard() {
        int printed = 0;
        for (String id : ProfileCatalogue.bundled().ids()) {
            Profile p = Bundled.profile(id);
            List<String> dtypes = p.families(Op.GEMM).stream()
                    .map(CurveFamily::dtype)
                    .distinct()
                    .toList();
            for (String dtype : dtypes) {
                GemmGrid grid = GemmGrid.of(p.families(Op.GEMM, dtype));
                System.out.printf(
                        Locale.ROOT,
                        "| %s | gemm %s | %s | n %.2f %% | k %.2f %% | m %.2f %% |%n",
                        id,
                        dtype,
                        grid.tile() == null ? "lines" : "waves",
                        100 * LeaveOneOut.alongOutputs(grid, grid.tile(), 1).median(),
                        100 * LeaveOneOut.alongInputs(grid).median(),
                        100 * LeaveOneOut.alongAxis(grid.curves()).median());
            }
            List<CurveFamily> attention = p.families(Op.ATTENTION_GENERATION);
            System.out.printf(
                    Locale.ROOT,
                    "| %s | attention | | KV %.2f %% | batch %.2f %% | |%n",
                    id,
                    100 * LeaveOneOut.alongAxis(curves(attention)).median(),
                    100 * LeaveOneOut.alongBatch(attention).median());
            printed++;
        }
        assertTrue(printed >= 16, printed + " profiles");
    }
}
