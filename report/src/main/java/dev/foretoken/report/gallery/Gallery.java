package dev.foretoken.report.gallery;

import dev.foretoken.report.OutputFiles;
import dev.foretoken.report.chart.AcceptanceCharts;
import dev.foretoken.report.chart.AcceptanceCharts.Observed;
import dev.foretoken.report.chart.CalibrationCharts;
import dev.foretoken.report.chart.ExploreCharts;
import dev.foretoken.report.chart.Plot;
import dev.foretoken.report.document.RunFolder;
import dev.foretoken.sim.acceptance.AcceptanceForm;
import dev.foretoken.sim.acceptance.AcceptanceLaw;
import dev.foretoken.sim.acceptance.Design;
import dev.foretoken.sim.acceptance.LawBand;
import dev.foretoken.sim.acceptance.Laws;
import dev.foretoken.sim.acceptance.RoundSampler;
import dev.foretoken.sim.acceptance.Survival;
import dev.foretoken.sim.random.Streams;
import dev.foretoken.sim.result.Result;
import dev.foretoken.sim.round.BlackBoxKnot;
import dev.foretoken.sim.scenario.Scenario;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.apache.commons.rng.UniformRandomProvider;

/**
 * The charts of bundled scenarios, for the documentation: what explore and simulate draw, round times, and the acceptance law of
 * draft trees with rounds sampled from that law in the place of observations.
 */
public final class Gallery {
    private static final String SCENARIO = "scenario.yaml";
    private static final String SIMULATED = "simulated.yaml";
    private static final List<String> OF_SIMULATIONS = List.of("output", "tpot", "ttft-distribution", "queue");
    private static final List<String> LOADS_LEFT_OUT = List.of("c=1", "c=8");
    private static final String WORKLOAD = "code";
    private static final String TP = "tp1";
    private static final String TREES = "ddtree";
    private static final int DEPTH = 15;
    private static final int TOP_K = 8;
    private static final int SAMPLED_ROUNDS = 400;
    private static final double TWO_SIDED_95 = 1.96;

    private Gallery() {}

    /** Reads the bundled scenario and computes its grid. */
    public interface Model {
        /** @param name with an ending that tells the format */
        Scenario read(String name, byte[] text) throws IOException;

        Result explore(Scenario scenario) throws IOException;

        RunFolder simulate(Scenario scenario) throws IOException;
    }

    /** Writes all charts to a folder. */
    public static List<Path> write(Path folder, Model model) throws IOException {
        Scenario scenario = model.read(SCENARIO, text(SCENARIO));
        OutputFiles out = new OutputFiles(folder);
        List<Path> files = new ArrayList<>();
        for (ExploreCharts.Named chart : ExploreCharts.of(model.explore(scenario))) {
            if (chart.name().size() == 1 || chart.name().containsAll(List.of(WORKLOAD, TP))) {
                files.add(chart.plot().get().writePng(out, out.stem(chart.name().toArray(String[]::new))));
            }
        }
        RunFolder run = model.simulate(model.read(SIMULATED, text(SIMULATED)));
        for (ExploreCharts.Named chart : ExploreCharts.of(run.result(), run.series())) {
            if (OF_SIMULATIONS.contains(chart.name().get(0))
                    && LOADS_LEFT_OUT.stream().noneMatch(chart.name()::contains)) {
                files.add(chart.plot().get().writePng(out, out.stem(chart.name().toArray(String[]::new))));
            }
        }
        files.add(roundTimes(scenario).writePng(out, out.stem("round-times")));
        AcceptanceForm form = scenario.workloads().stream()
                .filter(w -> w.id().equals(WORKLOAD))
                .findFirst()
                .orElseThrow()
                .acceptanceOf(TREES, TREES);
        files.add(acceptLengths(form).writePng(out, out.stem("accept-length")));
        files.add(survival(form).writePng(out, out.stem("survival")));
        return files;
    }

    private static byte[] text(String name) throws IOException {
        try (InputStream in = Gallery.class.getResourceAsStream(name)) {
            return in.readAllBytes();
        }
    }

    private static Plot roundTimes(Scenario scenario) {
        Map<Integer, List<BlackBoxKnot>> byTp = new TreeMap<>();
        scenario.calibration()
                .roundTimes()
                .forEach(k ->
                        byTp.computeIfAbsent(k.tp(), t -> new ArrayList<>()).add(k));
        List<CalibrationCharts.Timing> timings = new ArrayList<>();
        byTp.forEach((tp, knots) -> timings.add(new CalibrationCharts.Timing(
                "TP " + tp,
                knots.stream().map(k -> (double) k.rows()).toList(),
                knots.stream().map(BlackBoxKnot::ms).toList(),
                List.of(),
                List.of(),
                List.of(8.0))));
        return CalibrationCharts.knots("Round time against rows", scenario.name(), timings);
    }

    private static Plot acceptLengths(AcceptanceForm form) {
        List<Double> budgets = new ArrayList<>();
        List<Double> mean = new ArrayList<>();
        List<Double> low = new ArrayList<>();
        List<Double> high = new ArrayList<>();
        for (int budget = 1; budget <= 128; budget *= 2) {
            LawBand law = Laws.of(form, new Design.Tree(DEPTH, TOP_K, budget, false));
            budgets.add((double) budget);
            mean.add(law.central().acceptLength());
            low.add(law.lowAcceptLength());
            high.add(law.highAcceptLength());
        }
        return AcceptanceCharts.acceptLength(
                TREES + " · workload " + WORKLOAD + " · top-k " + TOP_K,
                new Observed(budgets, mean, low, high),
                new Observed(List.of(), List.of(), List.of(), List.of()));
    }

    private static Plot survival(AcceptanceForm form) {
        AcceptanceLaw law =
                Laws.of(form, new Design.Tree(DEPTH, TOP_K, 32, false)).central();
        RoundSampler sampler = law.sampler();
        int[] atLeast = new int[law.maxAccepted() + 1];
        for (int i = 0; i < SAMPLED_ROUNDS; i++) {
            UniformRandomProvider rng = Streams.of(1, "gallery", 0, i);
            double share = sampler.newRequest(rng);
            int tokens = sampler.tokens(share, sampler.firstState(share, rng), rng.nextDouble());
            for (int d = 1; d < tokens; d++) {
                atLeast[d]++;
            }
        }
        List<Double> depth = new ArrayList<>();
        List<Double> share = new ArrayList<>();
        List<Double> low = new ArrayList<>();
        List<Double> high = new ArrayList<>();
        for (int d = 1; d < atLeast.length; d++) {
            double p = (double) atLeast[d] / SAMPLED_ROUNDS;
            double half = TWO_SIDED_95 * Math.sqrt(p * (1 - p) / SAMPLED_ROUNDS);
            depth.add((double) d);
            share.add(p);
            low.add(Math.max(0, p - half));
            high.add(Math.min(1, p + half));
        }
        List<Double> fitted = new ArrayList<>();
        for (double s : Survival.fromPmf(law.pmf())) {
            fitted.add(s);
        }
        return AcceptanceCharts.survival(
                TREES + " budget 32 · " + SAMPLED_ROUNDS + " rounds sampled from the law",
                new Observed(depth, share, low, high),
                fitted);
    }
}
