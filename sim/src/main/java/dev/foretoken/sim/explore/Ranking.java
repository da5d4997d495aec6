package dev.foretoken.sim.explore;

import dev.foretoken.sim.result.Best;
import dev.foretoken.sim.result.Crossover;
import dev.foretoken.sim.result.Goodput;
import dev.foretoken.sim.result.Point;
import dev.foretoken.sim.result.Switch;
import dev.foretoken.sim.scenario.EngineSettings;
import dev.foretoken.sim.scenario.Scenario;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Collectors;

/**
 * Best arms, switch table, crossovers and goodput of a grid. Closed loops rank by output tokens per second and GPU, open loops
 * by mean TPOT (then output).
 */
final class Ranking {
    /** Budgets within this share of the best count as equally good. */
    private static final double FLAT = 0.02;

    private final Scenario scenario;
    private final LaunchFlags launch;
    private final Map<String, String> variant;

    Ranking(Scenario scenario, LaunchFlags launch) {
        this.scenario = scenario;
        this.launch = launch;
        this.variant = scenario.variant().isEmpty() ? null : scenario.variant();
    }

    /** Score of a feasible point: higher is better. */
    static double score(PointDraft p) {
        if (p.load.concurrency() != null) {
            return p.outputTokSPerGpu;
        }
        Double tpot = p.meanTpotMs();
        return tpot == null ? -1 / p.outputTokSPerGpu : 1 / tpot;
    }

    static boolean better(PointDraft a, PointDraft b) {
        if (a.feasible() != b.feasible()) {
            return a.feasible();
        }
        return a.feasible() && score(a) > score(b);
    }

    private record Cell(String workload, Point.LoadPoint load) {}

    private static Map<Cell, List<PointDraft>> byCell(List<PointDraft> points) {
        return points.stream()
                .filter(PointDraft::feasible)
                .collect(Collectors.groupingBy(
                        p -> new Cell(p.workload, p.load), LinkedHashMap::new, Collectors.toList()));
    }

    private boolean eligible(PointDraft p) {
        return scenario.slo() == null || Boolean.TRUE.equals(p.meetsSlo);
    }

    List<Best> best(List<PointDraft> points, List<String> warnings) {
        List<Best> out = new ArrayList<>();
        byCell(points).forEach((cell, all) -> {
            List<PointDraft> candidates = all.stream().filter(this::eligible).toList();
            if (candidates.isEmpty()) {
                warnings.add("no arm meets the limits on workload " + cell.workload() + " at "
                        + cell.load().label());
                return;
            }
            PointDraft top = candidates.stream()
                    .max(Comparator.comparingDouble(Ranking::score))
                    .orElseThrow();
            PointDraft rival = candidates.stream()
                    .filter(p -> !p.arm.id().equals(top.arm.id()))
                    .max(Comparator.comparingDouble(Ranking::score))
                    .orElse(null);
            EngineSettings engine = scenario.engine().overriddenBy(top.arm.engine());
            String flags = launch.of(scenario, top.arm, engine, top.tp);
            if (flags == null && launch != LaunchFlags.NONE) {
                warnings.add(engine.name() + " has no launch flags for " + top.arm.kind()
                        + " in the catalogue: its public builds do not run it, so " + top.arm.id()
                        + " needs a port of your own");
            }
            out.add(new Best(
                    variant,
                    cell.workload(),
                    cell.load(),
                    top.tp,
                    top.arm.id(),
                    top.arm.budget(),
                    top.arm.topK(),
                    top.arm.method().draftTokens(top.arm),
                    top.outputTokS,
                    top.outputTokSPerGpu,
                    top.speedupVsAr,
                    rival == null || score(rival) <= 0 || score(top) <= 0 ? null : score(top) / score(rival) - 1,
                    rival == null ? null : rival.arm.id(),
                    flatBudgets(top, candidates),
                    rival == null ? null : sure(top, rival),
                    regret(top, candidates),
                    top.extrapolated,
                    flags));
        });
        return out;
    }

    /** Budgets around the best one, same method, TP and top-k, whose score stays within 2 %. */
    private List<Integer> flatBudgets(PointDraft top, List<PointDraft> candidates) {
        if (top.arm.budget() == null || scenario.budgetByConcurrency().containsKey(top.arm.id())) {
            return null;
        }
        List<PointDraft> family = candidates.stream()
                .filter(p -> p.arm.id().equals(top.arm.id())
                        && p.tp == top.tp
                        && p.arm.with("budget", top.arm.budget()).values().equals(top.arm.values()))
                .sorted(Comparator.comparing(p -> p.arm.budget()))
                .toList();
        int at = family.indexOf(top);
        int lo = at;
        int hi = at;
        while (lo > 0 && score(family.get(lo - 1)) >= (1 - FLAT) * score(top)) {
            lo--;
        }
        while (hi < family.size() - 1 && score(family.get(hi + 1)) >= (1 - FLAT) * score(top)) {
            hi++;
        }
        return List.of(family.get(lo).arm.budget(), family.get(hi).arm.budget());
    }

    /**
     * False when the ranges per GPU of the two overlap, when they are closer than public measurements repeat, or when either
     * rests on times beyond what was measured.
     */
    private static boolean sure(PointDraft top, PointDraft rival) {
        if (top.extrapolated || rival.extrapolated || score(top) < (1 + Best.LEAST_SURE_MARGIN) * score(rival)) {
            return false;
        }
        double low = (top.interval == null
                        ? top.outputTokS
                        : top.interval.outputTokS().get(0))
                / top.tp;
        double high = (rival.interval == null
                        ? rival.outputTokS
                        : rival.interval.outputTokS().get(1))
                / rival.tp;
        return low > high;
    }

    /** Largest share of output lost against the arm that would be best at one end of the band; null without bands. */
    private static Double regret(PointDraft top, List<PointDraft> candidates) {
        int ends = candidates.stream()
                .mapToInt(p -> p.cornerTokS == null ? 0 : p.cornerTokS.length)
                .max()
                .orElse(0);
        if (ends == 0) {
            return null;
        }
        double worst = 0;
        for (int e = 0; e < ends; e++) {
            double bestThere = 0;
            for (PointDraft p : candidates) {
                bestThere = Math.max(bestThere, corner(p, e));
            }
            worst = Math.max(worst, 1 - corner(top, e) / bestThere);
        }
        return worst;
    }

    private static double corner(PointDraft p, int end) {
        double x = p.cornerTokS == null || end >= p.cornerTokS.length ? p.outputTokS : p.cornerTokS[end];
        return x / p.tp;
    }

    List<Switch> switchTable(List<PointDraft> points) {
        List<Switch> out = new ArrayList<>();
        byCell(points).forEach((cell, all) -> {
            if (cell.load().concurrency() == null) {
                return;
            }
            Map<Integer, PointDraft> byTp = bestBy(all, p -> p.tp);
            byTp.forEach((tp, p) -> out.add(new Switch(
                    variant,
                    cell.workload(),
                    cell.load().concurrency(),
                    tp,
                    p.arm.id(),
                    p.arm.budget(),
                    p.arm.topK(),
                    p.arm.method().draftTokens(p.arm))));
        });
        return out;
    }

    private <K> Map<K, PointDraft> bestBy(List<PointDraft> points, Function<PointDraft, K> key) {
        Map<K, PointDraft> best = new LinkedHashMap<>();
        for (PointDraft p : points) {
            if (eligible(p)) {
                best.merge(key.apply(p), p, (a, b) -> better(b, a) ? b : a);
            }
        }
        return best;
    }

    private record MethodAt(String workload, int tp, String method) {}

    List<Crossover> crossovers(List<PointDraft> points) {
        Map<MethodAt, Map<Integer, PointDraft>> curves = new LinkedHashMap<>();
        for (PointDraft p : points) {
            if (p.feasible()
                    && p.load.concurrency() != null
                    && p.speedupVsAr != null
                    && p.arm.method().maxAccepted(p.arm) > 0) {
                curves.computeIfAbsent(new MethodAt(p.workload, p.tp, p.arm.id()), k -> new java.util.TreeMap<>())
                        .merge(p.load.concurrency(), p, (a, b) -> b.speedupVsAr > a.speedupVsAr ? b : a);
            }
        }
        List<Crossover> out = new ArrayList<>();
        curves.forEach((key, curve) -> {
            if (curve.size() > 1) {
                out.add(crossover(key, curve));
            }
        });
        return out;
    }

    private Crossover crossover(MethodAt key, Map<Integer, PointDraft> curve) {
        Integer before = null;
        for (Map.Entry<Integer, PointDraft> e : curve.entrySet()) {
            double s = e.getValue().speedupVsAr;
            if (before != null && curve.get(before).speedupVsAr >= 1 && s < 1) {
                double s0 = curve.get(before).speedupVsAr;
                double at = Math.exp(Math.log(before)
                        + (Math.log(e.getKey()) - Math.log(before)) * Math.log(s0) / (Math.log(s0) - Math.log(s)));
                return new Crossover(
                        variant,
                        key.workload(),
                        key.tp(),
                        key.method(),
                        at,
                        String.format(Locale.ROOT, "stops paying at about c=%.0f", at));
            }
            before = e.getKey();
        }
        boolean gains = curve.values().stream().allMatch(p -> p.speedupVsAr >= 1);
        boolean loses = curve.values().stream().allMatch(p -> p.speedupVsAr < 1);
        String verdict = gains
                ? "pays at every concurrency of the grid"
                : loses ? "pays at no concurrency of the grid" : "pays only at the higher concurrencies of the grid";
        return new Crossover(variant, key.workload(), key.tp(), key.method(), null, verdict);
    }

    List<Goodput> goodput(List<PointDraft> points) {
        if (scenario.slo() == null) {
            return List.of();
        }
        Map<MethodAt, PointDraft> largest = new LinkedHashMap<>();
        for (PointDraft p : points) {
            if (p.feasible()) {
                MethodAt key = new MethodAt(p.workload, p.tp, p.arm.id());
                largest.putIfAbsent(key, null);
                PointDraft so = largest.get(key);
                if (Boolean.TRUE.equals(p.meetsSlo)
                        && (so == null || offered(p) > offered(so) || offered(p) == offered(so) && better(p, so))) {
                    largest.put(key, p);
                }
            }
        }
        List<Goodput> out = new ArrayList<>();
        largest.forEach((key, p) -> out.add(new Goodput(
                variant,
                key.workload(),
                key.tp(),
                key.method(),
                p == null ? null : p.load,
                p == null ? null : p.arm.budget(),
                p == null ? null : p.outputTokS)));
        return out;
    }

    private static double offered(PointDraft p) {
        return p.load.concurrency() != null ? p.load.concurrency() : p.load.ratePerS();
    }
}
