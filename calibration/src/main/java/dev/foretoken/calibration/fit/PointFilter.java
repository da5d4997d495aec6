package dev.foretoken.calibration.fit;

import dev.foretoken.formats.timings.KernelTimings;
import dev.foretoken.formats.timings.KernelTimings.Device;
import dev.foretoken.formats.timings.TimingPoint;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;

/** Which points may enter a curve; the first reason against one is told. */
final class PointFilter {
    /** Share by which a point may exceed the bandwidth of its card, whose clock is read, not known. */
    static final double ROOFLINE_SLACK = 1.02;

    /** Half width of the interval over the median above which a median says nothing. */
    static final double WIDEST_INTERVAL = 0.25;

    private static final Set<String> COLLECTIVES = Set.of("all_reduce", "all_gather");

    private PointFilter() {}

    static Optional<String> reason(TimingPoint p, KernelTimings run) {
        if (!p.status().equals(TimingPoint.OK)) {
            return Optional.of(p.status() + (p.note() == null ? "" : ": " + p.note()));
        }
        if (p.check() != null && !p.check().ok()) {
            return Optional.of("its result differs from the reference"
                    + (p.check().relErr() == null
                            ? ""
                            : " by " + percent(p.check().relErr())));
        }
        if (Boolean.TRUE.equals(p.throttled())) {
            List<String> reasons = p.eventReasons();
            return Optional.of(
                    "throttled" + (reasons == null || reasons.isEmpty() ? "" : ": " + String.join(", ", reasons)));
        }
        double half = (p.ci95Hi() - p.ci95Lo()) / 2 / p.median();
        if (half > WIDEST_INTERVAL) {
            return Optional.of("the interval of its median is " + percent(half) + " to each side");
        }
        if ("sustained".equals(p.thermal())) {
            return Optional.of("sustained load; curves are of bursts");
        }
        if ("warm".equals(p.cache())) {
            return Optional.of("warm cache; a serving pass finds weights and caches cold");
        }
        if (COLLECTIVES.contains(p.op()) && "eager".equals(p.mode())) {
            return Optional.of("eager; the graph twin is used");
        }
        if ("best".equals(p.variant())) {
            return Optional.of("best of the library's algorithms; engines take its first");
        }
        return roofline(p, run);
    }

    private static Optional<String> roofline(TimingPoint p, KernelTimings run) {
        if (p.bytesMin() == null
                || !"cold".equals(p.cache())
                || p.devices() == null
                || p.devices().size() != 1) {
            return Optional.empty();
        }
        for (Device d : run.devices()) {
            if (d.index() != null && d.index().equals(p.devices().get(0)) && d.dramPeakBytesPerS() != null) {
                double got = p.bytesMin() / (p.median() * 1e-6);
                if (got > ROOFLINE_SLACK * d.dramPeakBytesPerS()) {
                    return Optional.of(String.format(
                            Locale.ROOT,
                            "beats the memory of its card: %.0f GB/s of at most %.0f",
                            got / 1e9,
                            d.dramPeakBytesPerS() / 1e9));
                }
            }
        }
        return Optional.empty();
    }

    static String percent(double share) {
        return String.format(Locale.ROOT, "%.1f %%", 100 * share);
    }
}
