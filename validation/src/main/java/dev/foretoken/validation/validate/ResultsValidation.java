package dev.foretoken.validation.validate;

import dev.foretoken.sim.method.Arm;
import dev.foretoken.sim.scenario.Scenario;
import dev.foretoken.sim.scenario.Workload;
import dev.foretoken.validation.compare.Cell;
import dev.foretoken.validation.compare.Conditions;
import dev.foretoken.validation.compare.Guards;
import dev.foretoken.validation.importers.ImportedRun;
import dev.foretoken.validation.measure.MeasuredAcceptance;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Result files of benchmark clients as measurements of a scenario's cells. What a file lacks is asked for, never guessed. */
public final class ResultsValidation {
    private static final double SAME_LENGTH = 0.1;

    private ResultsValidation() {}

    /**
     * What the user says about the files; null = as the file says.
     *
     * @param arm which arm was served
     * @param workload workload id
     * @param gpu card
     * @param model served model
     * @param quantization weight format
     * @param concurrency closed-loop clients
     * @param forced whether acceptance was forced by the engine
     */
    public record Said(
            ArmChoice arm,
            String workload,
            String gpu,
            String model,
            String quantization,
            Integer concurrency,
            boolean forced) {
        public static final Said NOTHING = new Said(ArmChoice.ONLY, null, null, null, null, null, false);
    }

    /** A file lacks what a comparison needs; the message names the options that say it. */
    public static final class AskException extends IllegalArgumentException {
        private static final long serialVersionUID = 1;

        AskException(String message) {
            super(message);
        }
    }

    /**
     * Measurements of the runs.
     *
     * @param allowed names of differences between file and scenario that the user accepts, "all" for every one
     * @throws AskException when something is missing
     * @throws Guards.RefusedException when file and scenario differ
     */
    public static List<Measurement> measurements(
            Scenario scenario, String scenarioHash, List<ImportedRun> runs, Said said, Set<String> allowed) {
        List<Measurement> list = new ArrayList<>();
        Map<Cell, Integer> counts = new LinkedHashMap<>();
        for (ImportedRun r : runs) {
            if (r.outputTokS() == null && r.tpotMs() == null) {
                continue;
            }
            Arm arm = said.arm().arm(scenario);
            checkSpeculation(r, arm);
            Conditions file = new Conditions(
                            said.gpu(),
                            said.arm().tp(),
                            said.model(),
                            said.quantization(),
                            null,
                            null,
                            said.concurrency() == null ? null : LoadLabels.closed(said.concurrency()),
                            null,
                            null,
                            null,
                            null,
                            null,
                            null,
                            null)
                    .orElse(r.conditions());
            ask(r, file, scenario);
            int tp = file.tp() != null ? file.tp() : said.arm().tpOf(scenario);
            Workload w = workload(scenario, said, r);
            List<String> accepted = Guards.comparable(
                    r.source() + " and the scenario", file, conditions(scenario, w, tp, file), allowed);
            Cell cell = new Cell(tp, arm.id(), arm.budget(), arm.topK(), w.id(), file.load());
            int run = counts.merge(cell, 1, Integer::sum);
            Set<String> notes = new LinkedHashSet<>(r.converted());
            accepted.forEach(a -> notes.add("compared although different: " + a));
            boolean baseline = !arm.speculative();
            notes.addAll(Guards.warnings(new Guards.Facts(
                    null, r.meanOutputTokens(), r.outputTokS(), r.peakTokS(), null, null, baseline, false)));
            list.add(new Measurement(
                    Measurement.SCHEMA,
                    scenarioHash,
                    cell,
                    run,
                    r.source(),
                    r.client() + " " + r.source(),
                    arm.speculative(),
                    said.forced() && arm.speculative(),
                    file,
                    Measurement.map(r.figures()),
                    arm.speculative() ? acceptance(r) : null,
                    r.meanPromptTokens(),
                    r.meanOutputTokens(),
                    List.copyOf(notes)));
        }
        if (list.isEmpty()) {
            throw new IllegalArgumentException("no run of the files has a throughput or a time per token to compare");
        }
        return list;
    }

    private static MeasuredAcceptance acceptance(ImportedRun r) {
        return r.acceptLength() == null
                ? null
                : new MeasuredAcceptance("result file", r.acceptLength(), 0, r.survival(), List.of(), null);
    }

    private static void checkSpeculation(ImportedRun r, Arm arm) {
        if (r.speculative() != null && r.speculative().isEmpty() && arm.speculative()) {
            throw new IllegalArgumentException(
                    r.source() + " says that speculation was off, but the method " + arm.id() + " speculates");
        }
        if (r.speculative() != null && !r.speculative().isEmpty() && !arm.speculative()) {
            throw new IllegalArgumentException(r.source() + " was run with " + r.speculative()
                    + " speculation: it is no autoregressive baseline (say which method with --method)");
        }
    }

    private static void ask(ImportedRun r, Conditions c, Scenario scenario) {
        List<String> options = new ArrayList<>();
        if (c.load() == null) {
            options.add("--concurrency");
        }
        if (scenario.hardware() != null && c.gpu() == null) {
            options.add("--gpu");
        }
        if (scenario.target() != null && c.quantization() == null) {
            options.add("--weights");
        }
        if (c.tp() == null && scenario.tpSizes().size() > 1) {
            options.add("--tp");
        }
        if (!options.isEmpty()) {
            throw new AskException(r.source() + " (" + r.client()
                    + ") does not say everything a comparison needs: give " + String.join(", ", options));
        }
    }

    private static Workload workload(Scenario s, Said said, ImportedRun r) {
        if (said.workload() != null) {
            return s.workloads().stream()
                    .filter(w -> w.id().equals(said.workload()))
                    .findFirst()
                    .orElseThrow(() -> new IllegalArgumentException("the scenario has no workload " + said.workload()
                            + "; it has "
                            + String.join(
                                    ", ",
                                    s.workloads().stream().map(Workload::id).toList())));
        }
        if (s.workloads().size() == 1) {
            return s.workloads().get(0);
        }
        List<Workload> fitting = s.workloads().stream()
                .filter(w -> near(w.isl().mean(), r.meanPromptTokens())
                        && near(w.osl().mean(), r.meanOutputTokens()))
                .toList();
        if (fitting.size() != 1) {
            throw new AskException(r.source() + ": say which workload it is with --workload, one of "
                    + String.join(", ", s.workloads().stream().map(Workload::id).toList()));
        }
        return fitting.get(0);
    }

    private static boolean near(double a, Double b) {
        return b != null && Math.abs(a - b) <= SAME_LENGTH * Math.max(a, b);
    }

    private static Conditions conditions(Scenario s, Workload w, int tp, Conditions file) {
        return new Conditions(
                s.hardware() == null ? null : s.hardware().gpu(),
                tp,
                s.target() == null ? null : s.target().model(),
                s.target() == null ? null : s.target().weights(),
                w.isl().mean(),
                w.osl().mean(),
                file.load(),
                s.engine().name(),
                null,
                null,
                null,
                null,
                null,
                null);
    }
}
