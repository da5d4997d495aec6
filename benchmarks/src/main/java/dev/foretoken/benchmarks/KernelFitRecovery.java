package dev.foretoken.benchmarks;

import dev.foretoken.calibration.fit.KnownTruth;
import dev.foretoken.calibration.fit.Recovery;
import dev.foretoken.calibration.fit.SyntheticTimings;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * What the kernel fit recovers of known truths over many seeds: stairs placed, error at unseen rows, coverage of the 90 % band.
 * Argument 1: seeds (200). Exits with 1 when stairs are placed in fewer than 95 % of the seeds of a truth, the error at unseen
 * rows is above 2 % in the median, or the bands cover less than 85 or more than 95 % over all truths.
 */
public final class KernelFitRecovery {
    private static final double ENOUGH_STAIRS = 0.95;
    private static final double MOST_ERROR = 0.02;
    private static final double LOW_COVERAGE = 0.85;
    private static final double HIGH_COVERAGE = 0.95;

    private KernelFitRecovery() {}

    public static void main(String[] args) {
        int seeds = args.length > 0 ? Integer.parseInt(args[0]) : 200;
        List<Recovery> all = new ArrayList<>();
        boolean good = true;
        for (KnownTruth truth : KnownTruth.all()) {
            Recovery r = Recovery.of(truth, SyntheticTimings.typical(), seeds);
            all.add(r);
            System.out.printf(
                    Locale.ROOT,
                    "%s%n  every stair placed %d of %d; within 2 %% at every unseen row %d; median of worst errors %.2f %%;"
                            + " 90 %% band covers %.1f %%; stairs too many %.2f%n",
                    truth,
                    r.everyStairPlaced(),
                    r.seeds(),
                    r.within2Percent(),
                    100 * r.medianWorstError(),
                    100 * r.coverage(),
                    r.stairsTooMany());
            good &= r.everyStairPlaced() >= ENOUGH_STAIRS * seeds && r.medianWorstError() <= MOST_ERROR;
        }
        double coverage = all.stream().mapToDouble(Recovery::coverage).average().orElseThrow();
        System.out.printf(Locale.ROOT, "coverage over all truths %.1f %%%n", 100 * coverage);
        good &= coverage >= LOW_COVERAGE && coverage <= HIGH_COVERAGE;
        if (!good) {
            System.exit(1);
        }
    }
}
