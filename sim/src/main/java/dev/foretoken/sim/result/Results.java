package dev.foretoken.sim.result;

import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/** Results put together. */
public final class Results {
    private Results() {}

    /**
     * One result of several variants of a scenario.
     *
     * @param results at least one, of the same scenario
     * @param warnings that come first
     */
    public static Result concat(List<Result> results, List<String> warnings) {
        Result first = results.get(0);
        List<Point> points = new ArrayList<>();
        List<Best> best = new ArrayList<>();
        List<Switch> switches = new ArrayList<>();
        List<Crossover> crossovers = new ArrayList<>();
        List<Goodput> goodput = new ArrayList<>();
        List<Layout> layouts = new ArrayList<>();
        Set<String> basis = new LinkedHashSet<>();
        Set<String> all = new LinkedHashSet<>(warnings);
        for (Result r : results) {
            points.addAll(r.points());
            best.addAll(r.best());
            switches.addAll(r.switchTable());
            crossovers.addAll(r.crossovers());
            goodput.addAll(r.goodput());
            layouts.addAll(r.layouts());
            basis.addAll(r.basis());
            all.addAll(r.warnings());
        }
        return new Result(
                first.schema(),
                first.version(),
                first.scenario(),
                first.scenarioHash(),
                first.seed(),
                first.engine(),
                points,
                best,
                switches,
                crossovers,
                goodput,
                layouts,
                List.copyOf(basis),
                List.copyOf(all));
    }
}
