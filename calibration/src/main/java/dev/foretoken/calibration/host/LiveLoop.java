package dev.foretoken.calibration.host;

import dev.foretoken.calibration.host.CalibratedCosts.Prediction;
import dev.foretoken.calibration.host.ForcedSpeculation.Kind;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;

/**
 * Calibrate, fit, predict, measure: predictions are made before anything but the plan's runs was measured, and nothing is
 * fitted to the runs they are compared with.
 */
public final class LiveLoop {
    /** Tokens of an answer in the predicted runs; the plan's are half as long. */
    static final int OUTPUT = 65;

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
     */
    public record Row(
            ForcedSpeculation speculation,
            LoopLoad load,
            Prediction predicted,
            double measured,
            List<RunCost> repeats,
            double wallSeconds,
            double predictedGain,
            double measuredGain) {
        /** Relative error of the prediction. */
        public double error() {
            return predicted.cpuSeconds() / measured - 1;
        }

        /** Whether the run says more than noise about speculation. */
        public boolean decided(double noise) {
            return Math.abs(Math.log(measuredGain)) > noise;
        }

        /** Whether the prediction has the sign right. */
        public boolean signRight() {
            return predictedGain > 1 == measuredGain > 1;
        }
    }

    /**
     * The whole loop.
     *
     * @param rows speculative runs
     * @param plain plain runs that gains are relative to, predicted from the plan's shorter ones
     * @param noise median relative difference of repeats in all measured runs
     * @param medianError median absolute error over the speculative rows
     * @param worstError largest
     * @param wins rows in which speculation helps by more than noise
     * @param losses rows in which it costs more than noise
     * @param signsRight rows outside noise whose sign was predicted
     * @param signsDecided rows outside noise
     */
    public record Report(
            List<Row> rows,
            List<Row> plain,
            double noise,
            double medianError,
            double worstError,
            int wins,
            int losses,
            int signsRight,
            int signsDecided) {}

    /** Speculative settings: some win and some lose on a CPU, all within the rows of the standard plan. */
    public static List<ForcedSpeculation> settings() {
        return List.of(
                ForcedSpeculation.geometric(Kind.NGRAM, 4, 1.0),
                ForcedSpeculation.geometric(Kind.NGRAM, 6, 0.95),
                ForcedSpeculation.geometric(Kind.NGRAM, 5, 0.6),
                ForcedSpeculation.geometric(Kind.NGRAM, 3, 0.2),
                ForcedSpeculation.geometric(Kind.DRAFT_MODEL, 2, 0.9),
                ForcedSpeculation.geometric(Kind.DRAFT_MODEL, 5, 0.8),
                ForcedSpeculation.geometric(Kind.DRAFT_MODEL, 3, 0.4));
    }

    /** Concurrencies of every setting. */
    public static List<LoopLoad> loads() {
        return List.of(new LoopLoad(1, 4, OUTPUT), new LoopLoad(2, 4, OUTPUT), new LoopLoad(4, 8, OUTPUT));
    }

    /**
     * Runs the loop.
     *
     * @param repeats of every measured run
     */
    public static Report run(
            TimedServer server,
            CalibrationPlan plan,
            List<ForcedSpeculation> settings,
            List<LoopLoad> loads,
            int repeats,
            long seed,
            Consumer<String> progress)
            throws IOException, InterruptedException {
        CalibratedCosts costs = CpuCalibration.measure(server, plan, progress).fit(seed);
        Map<ForcedSpeculation, Map<LoopLoad, Prediction>> predictions = new LinkedHashMap<>();
        List<ForcedSpeculation> all = new ArrayList<>(settings);
        all.add(0, ForcedSpeculation.none());
        for (ForcedSpeculation s : all) {
            Map<LoopLoad, Prediction> byLoad = new LinkedHashMap<>();
            loads.forEach(l -> byLoad.put(l, costs.predict(s, l, seed)));
            predictions.put(s, byLoad);
        }
        Map<LoopLoad, Double> plainMeasured = new LinkedHashMap<>();
        List<Row> rows = new ArrayList<>();
        List<Row> plainRows = new ArrayList<>();
        List<Double> differences = new ArrayList<>();
        int done = 0;
        for (ForcedSpeculation s : all) {
            progress.accept("measuring: " + s + " (" + ++done + " of " + all.size() + " servers)");
            List<LoopLoad> repeated = new ArrayList<>();
            for (int i = 0; i < repeats; i++) {
                repeated.addAll(loads);
            }
            List<RunCost> costsOfRuns = server.run(s, repeated);
            for (int l = 0; l < loads.size(); l++) {
                List<RunCost> own = new ArrayList<>();
                for (int i = 0; i < repeats; i++) {
                    own.add(costsOfRuns.get(i * loads.size() + l));
                }
                for (int i = 1; i < repeats; i++) {
                    differences.add(Math.abs(
                            Math.log(own.get(i).cpuSeconds() / own.get(i - 1).cpuSeconds())));
                }
                LoopLoad load = loads.get(l);
                double measured =
                        own.stream().mapToDouble(RunCost::cpuSeconds).average().orElseThrow();
                if (s.kind() == Kind.NONE) {
                    plainMeasured.put(load, measured);
                }
                Prediction p = predictions.get(s).get(load);
                double plainPredicted =
                        predictions.get(ForcedSpeculation.none()).get(load).cpuSeconds();
                Row row = new Row(
                        s,
                        load,
                        p,
                        measured,
                        List.copyOf(own),
                        own.stream().mapToDouble(RunCost::wallSeconds).average().orElseThrow(),
                        plainPredicted / p.cpuSeconds(),
                        plainMeasured.get(load) / measured);
                (s.kind() == Kind.NONE ? plainRows : rows).add(row);
            }
        }
        double noise = differences.isEmpty() ? costs.noise() : median(differences);
        return report(rows, plainRows, noise);
    }

    private static Report report(List<Row> rows, List<Row> plain, double noise) {
        List<Double> errors = rows.stream().map(r -> Math.abs(r.error())).toList();
        List<Row> decided = rows.stream().filter(r -> r.decided(noise)).toList();
        return new Report(
                List.copyOf(rows),
                List.copyOf(plain),
                noise,
                median(errors),
                errors.stream().mapToDouble(Double::doubleValue).max().orElseThrow(),
                (int) decided.stream().filter(r -> r.measuredGain() > 1).count(),
                (int) decided.stream().filter(r -> r.measuredGain() < 1).count(),
                (int) decided.stream().filter(Row::signRight).count(),
                decided.size());
    }

    private static double median(List<Double> values) {
        double[] v = values.stream().mapToDouble(Double::doubleValue).sorted().toArray();
        int n = v.length;
        return n % 2 == 1 ? v[n / 2] : 0.5 * (v[n / 2 - 1] + v[n / 2]);
    }
}
