package dev.foretoken.calibration.host;

import dev.foretoken.calibration.host.CalibratedCosts.Prediction;
import dev.foretoken.calibration.host.ForcedSpeculation.Kind;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Calibrate, fit, predict, measure: predictions are made before anything but the plan's runs was measured, and nothing is
 * fitted to the runs they are compared with.
 */
public final class LiveLoop {
    /** Tokens of an answer in the predicted runs; most of the plan's are half as long. */
    static final int OUTPUT = 65;

    /** Standard deviations of a measured gain beyond which it says more than noise. */
    static final double OUTSIDE_NOISE = 2;

    private LiveLoop() {}

    /**
     * One predicted and measured run.
     *
     * @param speculation forced
     * @param load of the run
     * @param predicted CPU seconds
     * @param measured CPU seconds, mean of the repeats
     * @param repeats each
     * @param wallSeconds mean
     * @param predictedGain CPU seconds of plain decoding over these, predicted; above 1 speculation helps
     * @param measuredGain the same measured
     * @param wallGain the same by wall clock, for comparison only
     */
    public record Row(
            ForcedSpeculation speculation,
            LoopLoad load,
            Prediction predicted,
            double measured,
            List<RunCost> repeats,
            double wallSeconds,
            double predictedGain,
            double measuredGain,
            double wallGain) {
        /** Relative error of the prediction. */
        public double error() {
            return predicted.cpuSeconds() / measured - 1;
        }

        /** Whether the predicted band holds the measurement. */
        public boolean inside() {
            return predicted.low() <= measured && measured <= predicted.high();
        }

        /** Whether the measured gain says more than noise about speculation. */
        public boolean decided(double floor) {
            return Math.abs(Math.log(measuredGain)) > floor;
        }

        /** Whether the prediction has the sign right. */
        public boolean signRight() {
            return predictedGain > 1 == measuredGain > 1;
        }
    }

    /**
     * The whole loop.
     *
     * @param calibration the plan's runs
     * @param costs fitted to them
     * @param rows speculative runs
     * @param plain plain runs that gains are relative to, predicted from the plan's runs of another length
     * @param noise relative standard deviation of one measured run, from its repeats (acceptance is drawn anew in each)
     * @param noiseFloor |log gain| up to which a gain is within noise: two standard deviations of a ratio of means
     * @param medianError median absolute error over the speculative rows
     * @param worstError largest
     * @param wins rows in which speculation helps by more than noise
     * @param losses rows in which it costs more than noise
     * @param signsRight rows outside noise whose sign was predicted
     * @param signsDecided rows outside noise
     * @param inside rows whose band holds the measurement
     */
    public record Report(
            CpuCalibration calibration,
            CalibratedCosts costs,
            List<Row> rows,
            List<Row> plain,
            double noise,
            double noiseFloor,
            double medianError,
            double worstError,
            int wins,
            int losses,
            int signsRight,
            int signsDecided,
            int inside) {}

    /** Speculative settings: some win and some lose on a CPU, all within the rows of the standard plan. */
    public static List<ForcedSpeculation> settings() {
        return List.of(
                ForcedSpeculation.geometric(Kind.NGRAM, 3, 1.0),
                ForcedSpeculation.geometric(Kind.NGRAM, 4, 1.0),
                ForcedSpeculation.geometric(Kind.NGRAM, 5, 0.9),
                ForcedSpeculation.geometric(Kind.NGRAM, 6, 0.95),
                ForcedSpeculation.geometric(Kind.NGRAM, 5, 0.6),
                ForcedSpeculation.geometric(Kind.NGRAM, 3, 0.2),
                ForcedSpeculation.geometric(Kind.DRAFT_MODEL, 2, 0.9),
                ForcedSpeculation.geometric(Kind.DRAFT_MODEL, 5, 0.8),
                ForcedSpeculation.geometric(Kind.DRAFT_MODEL, 3, 0.4));
    }

    /** Concurrencies of every setting. */
    public static List<LoopLoad> loads() {
        return List.of(new LoopLoad(1, 6, OUTPUT), new LoopLoad(2, 6, OUTPUT), new LoopLoad(4, 8, OUTPUT));
    }

    /**
     * Runs the loop.
     *
     * @param repeats of every measured run, at least two: the noise comes from them
     */
    public static Report run(
            TimedServer server,
            CalibrationPlan plan,
            List<ForcedSpeculation> settings,
            List<LoopLoad> loads,
            int repeats,
            long seed,
            LoopProgress progress)
            throws IOException, InterruptedException {
        List<ForcedSpeculation> all = new ArrayList<>(settings);
        all.add(0, ForcedSpeculation.none());
        long measuring = repeats
                * all.stream()
                        .flatMap(s -> loads.stream().map(l -> LoopSimulator.work(s, l)))
                        .mapToLong(Long::longValue)
                        .sum();
        long total = plan.work() + measuring;
        CpuCalibration calibration = CpuCalibration.measure(server, plan, new LoopProgress() {
            @Override
            public void stage(String what) {
                progress.stage(what);
            }

            @Override
            public void done(long done, long ofCalibration) {
                progress.done(done, total);
            }
        });
        CalibratedCosts costs = calibration.fit(seed);
        progress.stage("predicting " + settings.size() * loads.size() + " speculative runs");
        Map<ForcedSpeculation, Map<LoopLoad, Prediction>> predictions = new LinkedHashMap<>();
        for (ForcedSpeculation s : all) {
            Map<LoopLoad, Prediction> byLoad = new LinkedHashMap<>();
            loads.forEach(l -> byLoad.put(l, costs.predict(s, l, repeats, seed)));
            predictions.put(s, byLoad);
        }
        Map<ForcedSpeculation, Map<LoopLoad, List<RunCost>>> measured = new LinkedHashMap<>();
        long[] done = {plan.work()};
        for (int pass = 0; pass < repeats; pass++) {
            for (ForcedSpeculation s : all) {
                progress.stage("measuring, pass " + (pass + 1) + " of " + repeats + ": " + s);
                server.run(s, loads, (load, cost) -> {
                    measured.computeIfAbsent(s, x -> new LinkedHashMap<>())
                            .computeIfAbsent(load, x -> new ArrayList<>())
                            .add(cost);
                    done[0] += LoopSimulator.work(s, load);
                    progress.done(done[0], total);
                });
            }
        }
        return report(calibration, costs, predictions, measured, repeats);
    }

    private static double cpu(List<RunCost> costs) {
        return costs.stream().mapToDouble(RunCost::cpuSeconds).average().orElseThrow();
    }

    private static double wall(List<RunCost> costs) {
        return costs.stream().mapToDouble(RunCost::wallSeconds).average().orElseThrow();
    }

    private static Report report(
            CpuCalibration calibration,
            CalibratedCosts costs,
            Map<ForcedSpeculation, Map<LoopLoad, Prediction>> predictions,
            Map<ForcedSpeculation, Map<LoopLoad, List<RunCost>>> measured,
            int repeats) {
        List<Row> rows = new ArrayList<>();
        List<Row> plain = new ArrayList<>();
        List<List<Double>> same = new ArrayList<>();
        Map<LoopLoad, Prediction> plainPredicted = predictions.get(ForcedSpeculation.none());
        Map<LoopLoad, List<RunCost>> plainMeasured = measured.get(ForcedSpeculation.none());
        measured.forEach((s, byLoad) -> byLoad.forEach((load, own) -> {
            same.add(own.stream().map(RunCost::cpuSeconds).toList());
            Prediction p = predictions.get(s).get(load);
            (s.kind() == Kind.NONE ? plain : rows)
                    .add(new Row(
                            s,
                            load,
                            p,
                            cpu(own),
                            List.copyOf(own),
                            wall(own),
                            plainPredicted.get(load).cpuSeconds() / p.cpuSeconds(),
                            cpu(plainMeasured.get(load)) / cpu(own),
                            wall(plainMeasured.get(load)) / wall(own)));
        }));
        double noise = RunNoise.of(same);
        double floor = OUTSIDE_NOISE * noise * Math.sqrt(2.0 / repeats);
        List<Double> errors = rows.stream().map(r -> Math.abs(r.error())).toList();
        List<Row> decided = rows.stream().filter(r -> r.decided(floor)).toList();
        return new Report(
                calibration,
                costs,
                List.copyOf(rows),
                List.copyOf(plain),
                noise,
                floor,
                RunNoise.median(errors),
                errors.stream().mapToDouble(Double::doubleValue).max().orElseThrow(),
                (int) decided.stream().filter(r -> r.measuredGain() > 1).count(),
                (int) decided.stream().filter(r -> r.measuredGain() < 1).count(),
                (int) decided.stream().filter(Row::signRight).count(),
                decided.size(),
                (int) rows.stream().filter(Row::inside).count());
    }
}
