package dev.foretoken.validation.validate;

import dev.foretoken.formats.document.Nearest;
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
     * A run and which arm it is of.
     *
     * @param run as a file has it
     * @param file name of the file, as an option may name it
     * @param arm what the user says of this file's arm; null = as of all files
     */
    public record RunOfArm(ImportedRun run, String file, ArmChoice arm) {}

    /** Measurements of runs whose arm is what the user says of all files. */
    public static List<Measurement> measurements(
            Scenario scenario, String scenarioHash, List<ImportedRun> runs, Said said, Set<String> allowed) {
        return ofArms(
                scenario,
                scenarioHash,
                runs.stream().map(r -> new RunOfArm(r, r.source(), null)).toList(),
                said,
                allowed);
    }

    /**
     * Measurements of the runs. Where the user does not name a file's arm, the file's own word on speculation chooses between
     * autoregressive decoding and the rest.
     *
     * @param allowed names of differences between file and scenario that the user accepts, "all" for every one
     * @throws AskException when something is missing; everything that is missing is named
     * @throws Guards.RefusedException when file and scenario differ
     */
    public static List<Measurement> ofArms(
            Scenario scenario, String scenarioHash, List<RunOfArm> all, Said said, Set<String> allowed) {
        List<RunOfArm> runs = all.stream()
                .filter(r -> r.run().outputTokS() != null || r.run().tpotMs() != null)
                .toList();
        if (runs.isEmpty()) {
            throw new IllegalArgumentException("no run of the files has a throughput or a time per token to compare");
        }
        List<List<Arm>> candidates = new ArrayList<>();
        for (RunOfArm r : runs) {
            candidates.add(candidates(scenario, r, said, runs));
        }
        ask(scenario, runs, candidates, said);
        List<Measurement> list = new ArrayList<>();
        Map<Cell, Integer> counts = new LinkedHashMap<>();
        for (int i = 0; i < runs.size(); i++) {
            ImportedRun r = runs.get(i).run();
            Arm arm = candidates.get(i).get(0);
            checkSpeculation(r, arm, runs.get(i).file());
            Conditions file = conditions(r, said);
            int tp = file.tp() != null ? file.tp() : said.arm().tpOf(scenario);
            Workload w = workload(scenario, said, r);
            List<String> accepted = Guards.comparable(
                    r.source() + " and the scenario", file, conditions(scenario, w, tp, file), allowed);
            Cell cell = ArmChoice.cell(scenario, arm, tp, w.id(), file.load());
            int run = counts.merge(cell, 1, Integer::sum);
            Set<String> notes = new LinkedHashSet<>(r.converted());
            accepted.forEach(a -> notes.add("compared although different: " + a));
            boolean baseline = !arm.speculative();
            if (runs.get(i).arm() == null
                    && said.arm().method() == null
                    && scenario.methods().size() > 1) {
                notes.add(r.source() + " is taken as " + cell.arm() + ": it says that speculation is "
                        + (arm.speculative() ? "on" : "off"));
            }
            notes.addAll(Guards.warnings(new Guards.Facts(
                    r.distinctPrompts(),
                    r.meanOutputTokens(),
                    r.outputTokS(),
                    r.peakTokS(),
                    null,
                    null,
                    baseline,
                    false)));
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
        return list;
    }

    /** What the file says of the conditions, after what the user says. */
    private static Conditions conditions(ImportedRun r, Said said) {
        return new Conditions(
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
    }

    /** Arms that a run may be of: at least one. */
    private static List<Arm> candidates(Scenario scenario, RunOfArm r, Said said, List<RunOfArm> all) {
        if (r.arm() != null) {
            return r.arm().candidates(scenario);
        }
        List<Arm> arms = said.arm().candidates(scenario);
        String speculative = r.run().speculative();
        if (speculative == null) {
            return arms;
        }
        List<Arm> fitting = fitting(arms, speculative);
        if (!fitting.isEmpty() || all.size() == 1) {
            return fitting.isEmpty() ? arms : fitting;
        }
        // Several files, and this one is not of the method that was named: a baseline beside it, or the other way
        // round.
        List<Arm> others = fitting(ArmChoice.ONLY.candidates(scenario), speculative);
        return others.isEmpty() ? arms : others;
    }

    private static List<Arm> fitting(List<Arm> arms, String speculative) {
        return arms.stream()
                .filter(a -> a.speculative() != speculative.isEmpty())
                .toList();
    }

    private static MeasuredAcceptance acceptance(ImportedRun r) {
        return r.acceptLength() == null
                ? null
                : new MeasuredAcceptance("result file", r.acceptLength(), 0, r.survival(), List.of(), null);
    }

    private static void checkSpeculation(ImportedRun r, Arm arm, String file) {
        if (r.speculative() != null && r.speculative().isEmpty() && arm.speculative()) {
            throw new IllegalArgumentException(r.source() + " says that speculation was off, but the method " + arm.id()
                    + " speculates" + thisFile(file));
        }
        if (r.speculative() != null && !r.speculative().isEmpty() && !arm.speculative()) {
            throw new IllegalArgumentException(r.source() + " was run with " + r.speculative()
                    + " speculation: it is no autoregressive baseline" + thisFile(file));
        }
    }

    private static String thisFile(String file) {
        return " (say which method this file is of with --method " + file + "=ID)";
    }

    /** True when others of a client's files count drafts and this one does not, so that one method for all is a guess. */
    private static boolean silentBesideOthers(RunOfArm r, List<RunOfArm> all) {
        return r.arm() == null
                && r.run().speculative() == null
                && all.stream()
                        .anyMatch(o -> o.run().client().equals(r.run().client())
                                && o.run().speculative() != null
                                && !o.run().speculative().isEmpty());
    }

    /** Asks for everything that is missing, of all files at once. */
    private static void ask(Scenario scenario, List<RunOfArm> runs, List<List<Arm>> candidates, Said said) {
        Map<String, Set<String>> missing = new LinkedHashMap<>();
        boolean severalFiles = runs.stream().map(RunOfArm::file).distinct().count() > 1;
        for (int i = 0; i < runs.size(); i++) {
            RunOfArm r = runs.get(i);
            List<Arm> arms = candidates.get(i);
            Conditions c = conditions(r.run(), said);
            if (arms.size() > 1) {
                need(
                        missing,
                        r,
                        severalFiles
                                ? "--method " + r.file() + "=ARM with ARM one of "
                                        + ArmChoice.optionsOfFile(scenario, arms)
                                : ArmChoice.options(scenario, arms));
            } else if (arms.get(0).speculative() && silentBesideOthers(r, runs)) {
                need(missing, r, "--method " + r.file() + "=ID (it counts no drafts, other files of its client do)");
            }
            if (c.tp() == null && scenario.tpSizes().size() > 1) {
                need(
                        missing,
                        r,
                        "--tp "
                                + String.join(
                                        "|",
                                        scenario.tpSizes().stream()
                                                .map(String::valueOf)
                                                .toList()));
            }
            if (c.load() == null) {
                need(missing, r, "--concurrency");
            }
            if (scenario.hardware() != null && c.gpu() == null) {
                need(
                        missing,
                        r,
                        "--gpu (the scenario has " + scenario.hardware().gpu() + ")");
            }
            if (scenario.target() != null && c.quantization() == null) {
                need(
                        missing,
                        r,
                        "--weights (the scenario has " + scenario.target().weights() + ")");
            }
            if (said.workload() == null && fitting(scenario, r.run()).size() != 1) {
                need(missing, r, "--workload " + String.join("|", workloads(scenario)));
            }
        }
        if (missing.isEmpty()) {
            return;
        }
        Set<String> sources = new LinkedHashSet<>();
        missing.values().forEach(sources::addAll);
        List<String> options = new ArrayList<>();
        missing.forEach((option, of) -> options.add(
                of.equals(sources) || (option.startsWith("--method ") && severalFiles)
                        ? option
                        : option + " (for " + String.join(", ", of) + ")"));
        throw new AskException(
                String.join(", ", sources) + " (" + runs.get(0).run().client()
                        + ") does not say everything a comparison needs: give " + String.join("; ", options));
    }

    private static void need(Map<String, Set<String>> missing, RunOfArm r, String option) {
        missing.computeIfAbsent(option, o -> new LinkedHashSet<>()).add(r.run().source());
    }

    private static List<String> workloads(Scenario s) {
        return s.workloads().stream().map(Workload::id).toList();
    }

    /** Workloads that a run may be of: the only one, else those of its lengths. */
    private static List<Workload> fitting(Scenario s, ImportedRun r) {
        return s.workloads().size() == 1
                ? s.workloads()
                : s.workloads().stream()
                        .filter(w -> near(w.isl().mean(), r.meanPromptTokens())
                                && near(w.osl().mean(), r.meanOutputTokens()))
                        .toList();
    }

    private static Workload workload(Scenario s, Said said, ImportedRun r) {
        if (said.workload() != null) {
            return s.workloads().stream()
                    .filter(w -> w.id().equals(said.workload()))
                    .findFirst()
                    .orElseThrow(() -> new IllegalArgumentException("the scenario has no workload " + said.workload()
                            + Nearest.phrase(said.workload(), workloads(s)) + "; it has "
                            + String.join(
                                    ", ",
                                    s.workloads().stream().map(Workload::id).toList())));
        }
        return fitting(s, r).get(0);
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
