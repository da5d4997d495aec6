package dev.foretoken.calibration.whitebox;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.foretoken.formats.catalogue.CatalogueKind;
import dev.foretoken.sim.method.Arm;
import dev.foretoken.sim.model.TargetModel;
import dev.foretoken.sim.profile.Curve;
import dev.foretoken.sim.profile.CurveFamily;
import dev.foretoken.sim.profile.Op;
import dev.foretoken.sim.profile.Profile;
import dev.foretoken.sim.profile.ProfileSource;
import dev.foretoken.sim.round.BlackBoxTimes;
import dev.foretoken.sim.round.RoundTimes.Timing;
import dev.foretoken.sim.scenario.EngineSettings;
import dev.foretoken.sim.scenario.MethodSpec;
import dev.foretoken.sim.scenario.Target;
import dev.foretoken.sim.whitebox.WhiteBoxTimes;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Intervals that a measured profile carries become the band of its rounds. */
class TimingBandTest {
    private static final double WIDTH = 0.03;

    /** The shipped profile as if its products had been measured here, known to 3 % at 90 %. */
    private static Profile measured(double width) {
        return measured(width, width);
    }

    private static Profile measured(double below, double above) {
        Profile p = Bundled.profile("rtx-pro-6000-server/sglang");
        Profile wide = p.with(p.families().stream()
                .map(f -> f.op().equals(Op.GEMM) && below + above > 0 ? widened(f, below, above) : f)
                .toList());
        return new Profile(
                wide.card(),
                wide.engine(),
                wide.version(),
                new ProfileSource("own", "1", null, List.of(), true),
                wide.state(),
                wide.families(),
                wide.notes());
    }

    private static CurveFamily widened(CurveFamily f, double below, double above) {
        return new CurveFamily(
                f.op(),
                f.dtype(),
                f.kernel(),
                f.axis(),
                f.tile(),
                () -> f.curves().stream()
                        .map(c -> {
                            double[] at = new double[c.size()];
                            double[] us = new double[c.size()];
                            double[] low = new double[c.size()];
                            double[] high = new double[c.size()];
                            for (int i = 0; i < at.length; i++) {
                                at[i] = c.at(i);
                                us[i] = c.medianUs(i);
                                low[i] = us[i] / (1 + below);
                                high[i] = us[i] * (1 + above);
                            }
                            return Curve.of(c.shape(), at, us, low, high, null, c.stairs());
                        })
                        .toList());
    }

    private static Timing timing(Profile profile) {
        TargetModel m = Bundled.CATALOGUE.model("qwen3.6-27b");
        WhiteBoxTimes times = new WhiteBoxTimes(new WhiteBoxTimes.Sources(
                Bundled.CATALOGUE.gpu("rtx-pro-6000-server"),
                profile,
                null,
                null,
                null,
                m,
                new Target("qwen3.6-27b", "bf16", "bf16", "fp32", Target.SAVED),
                id -> Bundled.CATALOGUE.find(CatalogueKind.DRAFTER, id).orElse(null),
                id -> Bundled.CATALOGUE.find(CatalogueKind.MODEL, id).orElse(null),
                null,
                null,
                BlackBoxTimes.MemoryLimit.NONE));
        Arm ar = Arm.expand(new MethodSpec("ar", "autoregressive", Map.of(), EngineSettings.NONE))
                .get(0);
        return times.of(ar, EngineSettings.NONE, 1);
    }

    @Test
    void theBandHoldsTheRoundAndIsNarrowerThanEveryCurveAtOnce() {
        Timing t = timing(measured(WIDTH));
        assertEquals(2, t.bandModels().size());
        for (int n : new int[] {1, 8, 64}) {
            double middle = t.model().roundMs(n, n, 1000, 1000);
            double low = t.bandModels().get(0).roundMs(n, n, 1000, 1000);
            double high = t.bandModels().get(1).roundMs(n, n, 1000, 1000);
            assertTrue(low < middle && middle < high, low + " " + middle + " " + high);
            assertEquals(middle / low, high / middle, 1e-9);
            // several products err on their own, so that the whole errs less than each; and not by nothing
            assertTrue(high / middle - 1 < WIDTH, "upper end " + high / middle);
            assertTrue(high / middle - 1 > WIDTH / 6, "upper end " + high / middle);
        }
    }

    @Test
    void noIntervalsNoBandAndPublishedProfilesHaveNone() {
        Timing without = timing(measured(0));
        assertEquals(
                without.model().roundMs(8, 8, 1000, 1000),
                without.bandModels().get(1).roundMs(8, 8, 1000, 1000),
                1e-12);
        assertTrue(timing(Bundled.profile("rtx-pro-6000-server/sglang"))
                .bandModels()
                .isEmpty());
    }

    @Test
    void theHalvesOfAnIntervalStayApart() {
        Profile slowerOnly = measured(0, WIDTH);
        Timing t = timing(slowerOnly);
        double middle = t.model().roundMs(8, 8, 1000, 1000);
        assertEquals(middle, t.bandModels().get(0).roundMs(8, 8, 1000, 1000), 1e-9 * middle);
        assertTrue(t.bandModels().get(1).roundMs(8, 8, 1000, 1000) > 1.01 * middle);
        Timing faster = timing(measured(WIDTH, 0));
        assertEquals(middle, faster.bandModels().get(1).roundMs(8, 8, 1000, 1000), 1e-9 * middle);
        assertTrue(faster.bandModels().get(0).roundMs(8, 8, 1000, 1000) < 0.99 * middle);
    }

    @Test
    void theSameSeedGivesTheSameBand() {
        assertEquals(
                timing(measured(WIDTH)).bandModels().get(1).roundMs(4, 4, 500, 500),
                timing(measured(WIDTH)).bandModels().get(1).roundMs(4, 4, 500, 500));
    }
}
