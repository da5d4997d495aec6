package dev.foretoken.formats.timings;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * One operation timed at one set of parameters, microseconds. A component that is null was not recorded; a point that was not
 * timed has no figures and says why.
 *
 * @param id unique in the file
 * @param op operation: gemm, attn_verify, gdn_verify, all_reduce, ...
 * @param impl who ran it: cublaslt, reference, nccl, own_oneshot, openblas, llama.cpp, ...
 * @param variant of the implementation
 * @param devices indices of the cards that took part
 * @param params whole numbers by name: m, n, k, batch, kv_len, bytes, ranks, ...
 * @param dtype formats by operand: a, b, c, acc, kv, state
 * @param mode graph or eager
 * @param cache cold or warm
 * @param thermal burst or sustained
 * @param unit us
 * @param n samples
 * @param passes over the operating points
 * @param median of the samples, us
 * @param mad median absolute deviation, us
 * @param p05 5th percentile, us
 * @param p95 95th percentile, us
 * @param min smallest sample, us
 * @param ci95Lo lower end of the 95 % interval of the median, us
 * @param ci95Hi upper end, us
 * @param passRelSpread range of the medians of passes over the median
 * @param converged the interval reached its target
 * @param bytesMin bytes that must be moved
 * @param flops floating-point operations
 * @param achievedBytesPerS bytesMin over the median
 * @param achievedFlopsPerS flops over the median
 * @param rooflineFrac share of the roofline
 * @param smClockMhzMedian SM clock while it ran
 * @param memClockMhz memory clock while it ran
 * @param powerWMean power while it ran
 * @param tempCMax hottest reading
 * @param eventReasons why clocks were held back
 * @param throttled clocks were held back by heat or power
 * @param check comparison with a reference
 * @param status ok, unsupported, failed or timeout
 * @param note why, or what to know
 * @param samplesUs the samples, when they were kept
 */
public record TimingPoint(
        String id,
        String op,
        String impl,
        String variant,
        List<Integer> devices,
        Map<String, Long> params,
        Map<String, String> dtype,
        String mode,
        String cache,
        String thermal,
        String unit,
        Integer n,
        Integer passes,
        Double median,
        Double mad,
        Double p05,
        Double p95,
        Double min,
        Double ci95Lo,
        Double ci95Hi,
        Double passRelSpread,
        Boolean converged,
        Long bytesMin,
        Long flops,
        Double achievedBytesPerS,
        Double achievedFlopsPerS,
        Double rooflineFrac,
        Double smClockMhzMedian,
        Double memClockMhz,
        Double powerWMean,
        Double tempCMax,
        List<String> eventReasons,
        Boolean throttled,
        Check check,
        String status,
        String note,
        List<Double> samplesUs) {
    public static final String OK = "ok";
    public static final String UNIT = "us";

    /** What may have become of a point. */
    public static final List<String> STATUSES = List.of(OK, "unsupported", "failed", "timeout");

    /**
     * Comparison with a reference.
     *
     * @param relErr largest relative error; null when it was not finite
     * @param ok within tolerance
     */
    public record Check(Double relErr, boolean ok) {}

    public TimingPoint {
        devices = devices == null ? null : List.copyOf(devices);
        params = Collections.unmodifiableMap(new LinkedHashMap<>(params == null ? Map.of() : params));
        dtype = dtype == null ? null : Collections.unmodifiableMap(new LinkedHashMap<>(dtype));
        eventReasons = eventReasons == null ? null : List.copyOf(eventReasons);
        samplesUs = samplesUs == null ? null : List.copyOf(samplesUs);
        if (!STATUSES.contains(status)) {
            throw new IllegalArgumentException("status must be one of " + STATUSES + ": " + status);
        }
        if (unit != null && !unit.equals(UNIT)) {
            throw new IllegalArgumentException("unit must be us: " + unit);
        }
        if (status.equals(OK)) {
            if (median == null || ci95Lo == null || ci95Hi == null || n == null) {
                throw new IllegalArgumentException(id + ": a timed point needs n, median, ci95_lo and ci95_hi: n " + n
                        + ", median " + median + ", interval " + ci95Lo + " to " + ci95Hi);
            }
            if (!(median > 0) || n < 1 || !(ci95Lo <= median && median <= ci95Hi) || !(ci95Lo > 0)) {
                throw new IllegalArgumentException(
                        id + ": n must be at least 1, times positive and the median inside its" + " interval: n " + n
                                + ", median " + median + ", interval " + ci95Lo + " to " + ci95Hi);
            }
        }
    }

    /** True when the point was timed and, where it was checked, right. */
    public boolean usable() {
        return status.equals(OK) && (check == null || check.ok());
    }

    /** A parameter; null when the point has none of that name. */
    public Long param(String name) {
        return params.get(name);
    }
}
