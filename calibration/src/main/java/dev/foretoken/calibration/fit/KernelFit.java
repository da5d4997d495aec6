package dev.foretoken.calibration.fit;

import dev.foretoken.calibration.fit.FitResult.Fitted;
import dev.foretoken.calibration.fit.Placement.Series;
import dev.foretoken.formats.timings.KernelTimings;
import dev.foretoken.formats.timings.KernelTimings.Device;
import dev.foretoken.formats.timings.TimingPoint;
import dev.foretoken.sim.profile.CardState;
import dev.foretoken.sim.profile.Profile;
import dev.foretoken.sim.profile.ProfileSource;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.OptionalDouble;
import java.util.TreeMap;
import java.util.function.Function;

/**
 * Kernel timings of one card, from one run or several, to curves. Runs of the same points are joined: a knot's time is the
 * mean of the runs' medians on a log scale, its deviation carries what the runs disagree by.
 */
public final class KernelFit {
    /** Smallest relative standard deviation of a median: the timer's own floor. */
    private static final double SMALLEST_SD = 2e-4;

    /** Half width of a normal 95 % interval in standard deviations. */
    private static final double Z95 = 1.959964;

    /** Expected range of three normal values in standard deviations, over the square root of three. */
    private static final double RANGE_TO_SD = 1.693 * 1.732;

    private final FitOptions options;

    public KernelFit(FitOptions options) {
        this.options = options;
    }

    /** One timing of a knot in one run. */
    private record Timing(double us, double relativeSd, int samples) {}

    /**
     * Fits the runs.
     *
     * @param runs timings by file name, all of the same card
     * @throws IllegalArgumentException when a run is of another card than the first
     */
    public FitResult fit(Map<String, KernelTimings> runs) {
        if (runs.isEmpty()) {
            throw new IllegalArgumentException("a fit needs at least one file of timings");
        }
        requireOneCard(runs);
        Map<Series, TreeMap<Double, List<Timing>>> series = new LinkedHashMap<>();
        List<Rejected> rejected = new ArrayList<>();
        runs.forEach((file, run) -> {
            for (TimingPoint p : run.points()) {
                String reason = PointFilter.reason(p, run).orElse(null);
                Placement place = null;
                if (reason == null) {
                    try {
                        place = CurveRules.place(p).orElse(null);
                        reason = place == null ? "profiles have no curve of " + p.op() : null;
                    } catch (IllegalArgumentException e) {
                        reason = e.getMessage();
                    }
                }
                if (reason != null) {
                    rejected.add(new Rejected(file, p.id(), reason));
                } else {
                    series.computeIfAbsent(place.series(), s -> new TreeMap<>())
                            .computeIfAbsent(place.at(), x -> new ArrayList<>())
                            .add(timing(p));
                }
            }
        });
        List<Fitted> fits = new ArrayList<>();
        List<Residual> residuals = new ArrayList<>();
        series.forEach((s, points) -> {
            List<Knot> knots = new ArrayList<>();
            points.forEach((at, timings) -> knots.add(join(at, timings)));
            FittedCurve f = new CurveFit(s.tiles(), options.seed()).fit(knots);
            fits.add(new Fitted(s.op(), s.dtype(), s.kernel(), s.axis(), f.curve(s.shape()), f));
            residuals.add(new Residual(
                    s.toString(),
                    f.at()[0],
                    f.at()[f.at().length - 1],
                    f.knots().size(),
                    f.outliers().size(),
                    f.stairs(),
                    f.medianResidual(),
                    f.worstResidual(),
                    f.heldOutError(),
                    f.noiseScale()));
            for (Knot outlier : f.outliers()) {
                rejected.add(new Rejected(
                        String.join(", ", runs.keySet()),
                        s + " at " + outlier.at(),
                        "an isolated high value, "
                                + PointFilter.percent(
                                        outlier.us() / f.curve(s.shape()).us(outlier.at()) - 1)
                                + " above the curve; time it again if it is real"));
            }
        });
        return new FitResult(profile(runs, fits, false), profile(runs, fits, true), fits, residuals, rejected);
    }

    private static Timing timing(TimingPoint p) {
        double sd = (p.ci95Hi() - p.ci95Lo()) / (2 * Z95) / p.median();
        if (p.passRelSpread() != null) {
            // passes that disagree more than their samples show drift
            double between = p.passRelSpread() / RANGE_TO_SD;
            sd = Math.sqrt((sd * sd + Math.max(sd * sd, between * between)) / 2);
        }
        return new Timing(p.median(), Math.max(SMALLEST_SD, sd), p.n());
    }

    /** Random-effects mean on a log scale (DerSimonian and Laird 1986). */
    private static Knot join(double at, List<Timing> timings) {
        if (timings.size() == 1) {
            Timing t = timings.get(0);
            return new Knot(at, t.us(), t.relativeSd(), t.samples());
        }
        double weight = 0;
        double weight2 = 0;
        double mean = 0;
        int samples = 0;
        for (Timing t : timings) {
            double w = 1 / (t.relativeSd() * t.relativeSd());
            weight += w;
            weight2 += w * w;
            mean += w * Math.log(t.us());
            samples += t.samples();
        }
        mean /= weight;
        double q = 0;
        for (Timing t : timings) {
            double d = Math.log(t.us()) - mean;
            q += d * d / (t.relativeSd() * t.relativeSd());
        }
        double between = Math.max(0, (q - (timings.size() - 1)) / (weight - weight2 / weight));
        double total = 0;
        double joined = 0;
        for (Timing t : timings) {
            double w = 1 / (t.relativeSd() * t.relativeSd() + between);
            total += w;
            joined += w * Math.log(t.us());
        }
        return new Knot(at, Math.exp(joined / total), Math.sqrt(1 / total), samples);
    }

    private static void requireOneCard(Map<String, KernelTimings> runs) {
        String first = null;
        String firstFile = null;
        for (Map.Entry<String, KernelTimings> e : runs.entrySet()) {
            List<Device> devices = e.getValue().devices();
            if (devices.isEmpty() || devices.get(0).name() == null) {
                continue;
            }
            String name = devices.get(0).name();
            if (first == null) {
                first = name;
                firstFile = e.getKey();
            } else if (!first.equals(name)) {
                throw new IllegalArgumentException("one profile is of one card: " + firstFile + " is of " + first + ", "
                        + e.getKey() + " of " + name);
            }
        }
    }

    private Profile profile(Map<String, KernelTimings> runs, List<Fitted> fits, boolean links) {
        List<Fitted> own = fits.stream()
                .filter(f -> FitResult.LINK_OPS.contains(f.op()) == links)
                .toList();
        if (own.isEmpty()) {
            return null;
        }
        KernelTimings first = runs.values().iterator().next();
        List<String> notes = new ArrayList<>();
        if (runs.values().stream().anyMatch(r -> Boolean.TRUE.equals(r.synthetic()))) {
            notes.add("the timings are synthetic");
        }
        ProfileSource source = new ProfileSource(
                "foretoken-timing", first.tool().get("version"), null, List.copyOf(runs.keySet()), true);
        return new Profile(
                options.card(),
                links ? "link" : options.engine(),
                links ? null : options.version(),
                source,
                state(runs),
                FitResult.families(own).stream()
                        .map(f -> GemmTile.choose(f, first.devices()))
                        .toList(),
                notes);
    }

    private static CardState state(Map<String, KernelTimings> runs) {
        KernelTimings first = runs.values().iterator().next();
        Device device = first.devices().isEmpty() ? null : first.devices().get(0);
        return new CardState(
                device == null ? first.host().get("cpu_model") : device.name(),
                median(runs, TimingPoint::smClockMhzMedian),
                median(runs, TimingPoint::memClockMhz),
                device == null ? null : device.powerLimitW(),
                first.software().get("driver_version"));
    }

    private static Double median(Map<String, KernelTimings> runs, Function<TimingPoint, Double> field) {
        double[] values = runs.values().stream()
                .flatMap(r -> r.points().stream())
                .filter(p -> p.status().equals(TimingPoint.OK))
                .map(field)
                .filter(Objects::nonNull)
                .filter(v -> v > 0)
                .mapToDouble(Double::doubleValue)
                .toArray();
        OptionalDouble m = values.length == 0 ? OptionalDouble.empty() : OptionalDouble.of(Numbers.median(values));
        return m.isPresent() ? m.getAsDouble() : null;
    }
}
