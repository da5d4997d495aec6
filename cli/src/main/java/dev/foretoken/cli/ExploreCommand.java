package dev.foretoken.cli;

import dev.foretoken.formats.json.Json;
import dev.foretoken.formats.scenario.ScenarioFile;
import dev.foretoken.sim.explore.Explorer;
import dev.foretoken.sim.result.Point;
import dev.foretoken.sim.result.Result;
import dev.foretoken.sim.result.Results;
import dev.foretoken.sim.round.RoundTimes;
import dev.foretoken.sim.scenario.Scenario;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.function.Function;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code foretoken explore SCENARIO}: the analytical model over the whole grid. */
@Command(
        name = "explore",
        description =
                "Analytical model over the whole grid: the table, the best choice per workload and load, what bounds it.",
        mixinStandardHelpOptions = true)
final class ExploreCommand implements Callable<Integer> {
    /** Points that one command holds in memory. */
    private static final long MOST_POINTS = 1_000_000;

    @Parameters(index = "0", paramLabel = "SCENARIO", description = "scenario file, YAML or JSON")
    private Path scenario;

    @Option(names = "--no-charts", description = "with --out: files without charts")
    private boolean noCharts;

    @Option(names = "--simulate", paramLabel = "N", description = "confirm the first N best arms by simulation")
    private int simulate;

    @Mixin
    private Common common;

    @Override
    public Integer call() throws IOException {
        if (simulate < 0) {
            throw new UserError("--simulate must be 0 or more: " + simulate);
        }
        Workspace workspace = Workspace.beside(scenario);
        ScenarioFile file = workspace.read(scenario);
        common.checkOut();
        common.effective(file);
        Result result = explore(workspace, file, common);
        if (simulate > 0) {
            List<String> warnings = new ArrayList<>(result.warnings());
            warnings.addAll(Confirmation.of(workspace, common.seeded(file.variants()), result, simulate, common));
            result = Results.concat(List.of(result), warnings);
        }
        new ResultOutput(common).write(result, file.effective(), !noCharts);
        return result.points().stream().anyMatch(Point::feasible) ? Exit.OK : Exit.BAD_INPUT;
    }

    /** Every variant of a scenario file as one result. */
    static Result explore(Workspace workspace, ScenarioFile file, Common common) {
        return explore(workspace, file, common, workspace::times);
    }

    /** The same with the caller's round times. */
    static Result explore(Workspace workspace, ScenarioFile file, Common common, Function<Scenario, RoundTimes> times) {
        List<Scenario> variants = common.seeded(file.variants());
        List<Explorer> explorers = new ArrayList<>();
        long total = 0;
        for (Scenario s : variants) {
            try {
                Explorer explorer = new Explorer(s, times.apply(s), workspace.launch(s));
                explorers.add(explorer);
                total += explorer.size();
            } catch (IllegalArgumentException e) {
                throw new UserError(e.getMessage());
            }
        }
        if (total > MOST_POINTS) {
            throw new UserError(String.format(
                    java.util.Locale.ROOT,
                    "the grid has %,d points; at most %,d are explored at once",
                    total,
                    MOST_POINTS));
        }
        List<Result> results = new ArrayList<>();
        String hash = Json.hash(variants);
        try (Common.Progress progress = common.progress("explore", total)) {
            long done = 0;
            for (Explorer explorer : explorers) {
                long before = done;
                Result r = explorer.explore(Main.version(), hash, n -> progress.accept(before + n));
                done += r.points().size();
                results.add(r);
            }
        }
        return workspace.told(results, file);
    }
}
