package dev.foretoken.sim.whitebox;

import dev.foretoken.sim.hardware.Gpu;
import dev.foretoken.sim.model.Dtype;
import dev.foretoken.sim.profile.CardState;
import dev.foretoken.sim.profile.Curve;
import dev.foretoken.sim.profile.CurveFamily;
import dev.foretoken.sim.profile.Op;
import dev.foretoken.sim.profile.Profile;
import dev.foretoken.sim.profile.ProfileSource;
import dev.foretoken.sim.profile.Shape;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalDouble;

/**
 * A stand-in for cards whose kernels nobody timed: matrix products at 0.83 of the DRAM bandwidth or at the tensor throughput,
 * whichever binds. 0.83 is the median share that bf16 weights reach at few rows on the eight cards with tables (0.74 to
 * 0.92); of a throughput by datasheet 0.75 is taken, a measured one is taken whole. Rounds from it are calibrated "none":
 * attention, recurrent layers and experts fall back on bytes at DRAM speed.
 */
public final class DatasheetProfile {
    /** Name of the source, by which rounds know their level. */
    static final String SOURCE = "datasheet";

    private static final double DRAM_SHARE = 0.83;
    private static final double SPEC_SHARE = 0.75;
    private static final double LAUNCH_US = 2;
    private static final int[] CORNERS = {32, 65536};
    private static final double[] NO_STAIRS = {};

    private DatasheetProfile() {}

    /**
     * The stand-in of a card.
     *
     * @param engine engine that the profile is to serve
     * @throws IllegalArgumentException when the card's bf16 throughput is unknown
     */
    public static Profile of(Gpu gpu, String engine) {
        double bf16 = flopsPerUs(gpu, Dtype.BF16);
        if (Double.isNaN(bf16)) {
            throw new IllegalArgumentException("neither kernel timings nor a bf16 throughput of " + gpu.id()
                    + " are known: calibrate the card or give round_times");
        }
        double bytesPerUs = DRAM_SHARE * gpu.dramBytesPerS() / 1e6;
        List<CurveFamily> families = new ArrayList<>();
        for (Dtype d : List.of(Dtype.BF16, Dtype.FP8, Dtype.NVFP4, Dtype.INT4)) {
            // int4 weights are multiplied as bf16
            double flops = d == Dtype.INT4 ? bf16 : flopsPerUs(gpu, d);
            if (!Double.isNaN(flops)) {
                families.add(family(d, bytesPerUs, flops));
            }
        }
        return new Profile(
                gpu.id(),
                engine,
                null,
                new ProfileSource(SOURCE, null, null, gpu.sources(), false),
                new CardState(gpu.name(), gpu.smClockMaxMhz(), gpu.memoryClockMhz(), gpu.powerLimitW(), null),
                families,
                List.of("No kernel of " + gpu.id() + " was timed: bandwidth and throughput stand in for them."));
    }

    private static double flopsPerUs(Gpu gpu, Dtype d) {
        OptionalDouble flops = gpu.flopsPerS(d);
        if (flops.isEmpty()) {
            return Double.NaN;
        }
        boolean measured = gpu.measuredFlopsPerS().containsKey(d);
        return flops.getAsDouble() * (measured ? 1 : SPEC_SHARE) / 1e6;
    }

    /** Time is proportional to n k at every row count, so that four shapes give every other one exactly. */
    private static CurveFamily family(Dtype d, double bytesPerUs, double flopsPerUs) {
        double knee = d.bytes() * flopsPerUs / (2 * bytesPerUs);
        double[] at = {1, Math.max(2, knee), 65536};
        List<Curve> curves = new ArrayList<>();
        for (int n : CORNERS) {
            for (int k : CORNERS) {
                double[] us = new double[at.length];
                for (int i = 0; i < at.length; i++) {
                    double nk = (double) n * k;
                    us[i] = LAUNCH_US + Math.max(d.bytes() * nk / bytesPerUs, 2 * at[i] * nk / flopsPerUs);
                }
                curves.add(Curve.of(Shape.gemm(n, k), at, us, NO_STAIRS));
            }
        }
        return CurveFamily.of(Op.GEMM, d.id(), SOURCE, "rows", null, curves);
    }
}
