package dev.foretoken.sim.round;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.foretoken.sim.method.Arm;
import dev.foretoken.sim.scenario.Calibration;
import dev.foretoken.sim.scenario.EngineSettings;
import dev.foretoken.sim.scenario.MethodSpec;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Intervals of knots become both ends of the band, each from its own half. */
class BlackBoxTimesTest {
    private static RoundTimes.Timing timing(BlackBoxKnot... knots) {
        Calibration c = new Calibration(null, List.of(knots), Map.of(), Map.of(), null);
        Arm ar = Arm.expand(new MethodSpec("ar", "autoregressive", Map.of(), EngineSettings.NONE))
                .get(0);
        return new BlackBoxTimes(c, List.of(1), BlackBoxTimes.MemoryLimit.NONE).of(ar, EngineSettings.NONE, 1);
    }

    @Test
    void knotsWithIntervals() {
        RoundTimes.Timing t =
                timing(new BlackBoxKnot(1, 0.0, 40, 1, 38.0, 40.0), new BlackBoxKnot(3, 0.0, 60, 1, 57.0, 66.0));
        assertEquals(2, t.bandModels().size());
        assertEquals(50, t.model().roundMs(2, 2, 100, 100), 1e-12);
        assertEquals(47.5, t.bandModels().get(0).roundMs(2, 2, 100, 100), 1e-12);
        assertEquals(53, t.bandModels().get(1).roundMs(2, 2, 100, 100), 1e-12);
    }

    @Test
    void knotsWithout() {
        assertTrue(timing(new BlackBoxKnot(1, 0.0, 40, 1)).bandModels().isEmpty());
    }
}
