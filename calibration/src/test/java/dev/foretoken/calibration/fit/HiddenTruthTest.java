package dev.foretoken.calibration.fit;

import static org.junit.jupiter.api.Assertions.assertAll;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import org.junit.jupiter.api.Test;

/**
 * What the fit recovers from timings whose truth it does not see, with noise, drift, interrupted samples and throttled points.
 * 200 seeds run in the benchmarks.
 */
class HiddenTruthTest {
    private static final int SEEDS = 20;
    private static final int ENOUGH = 17;

    /** Floors, hinges and stairs at 8/9, 16/17 and 64/65 of several sizes, and a drop. */
    private static final List<KnownTruth> TRUTHS = KnownTruth.all();

    private final List<Recovery> recoveries = TRUTHS.stream()
            .map(t -> Recovery.of(t, SyntheticTimings.typical(), SEEDS))
            .toList();

    @Test
    void everyStairIsPlacedAndUnseenRowsAreWithinTwoPercent() {
        assertAll(recoveries.stream().map(r -> () -> {
            assertTrue(
                    r.everyStairPlaced() >= ENOUGH, () -> "every stair placed in " + r.everyStairPlaced() + ": " + r);
            assertTrue(r.within2Percent() >= ENOUGH, () -> "within 2 % in " + r.within2Percent() + ": " + r);
        }));
    }

    @Test
    void theBandCoversAsOftenAsItSays() {
        // rows of one segment are covered together, so single truths scatter: the mean over all counts
        double mean =
                recoveries.stream().mapToDouble(Recovery::coverage).average().orElseThrow();
        assertTrue(mean >= 0.85 && mean <= 0.95, () -> "the 90 % band covers " + mean + ": " + recoveries);
    }

    @Test
    void heavyNoiseIsSurvived() {
        // 3 % per sample, 1 % drift between points, one point in ten throttled
        Recovery r = Recovery.of(KnownTruth.verifyGemm(), new SyntheticTimings(0.03, 0.01, 0.03, 0.1, 30), SEEDS);
        assertTrue(r.everyStairPlaced() >= ENOUGH, r::toString);
        assertTrue(r.medianWorstError() <= 0.02, r::toString);
    }
}
