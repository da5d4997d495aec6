package dev.foretoken.sim.explore;

import dev.foretoken.sim.result.Best;
import dev.foretoken.sim.result.Crossover;
import dev.foretoken.sim.result.Goodput;
import dev.foretoken.sim.result.Layout;
import dev.foretoken.sim.result.Point;
import dev.foretoken.sim.result.Switch;
import dev.foretoken.sim.scenario.Calibration;
import dev.foretoken.sim.scenario.EngineSettings;
import dev.foretoken.sim.scenario.Scenario;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
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
        Map<Cell, Set<String>> without = withoutFigures(points);
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
            List<String> doubts = rival == null ? null : doubts(top, rival, without.get(cell));
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
                    doubts == null ? null : doubts.isEmpty(),
                    regret(top, candidates),
                    top.extrapolated,
                    doubts,
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

    /** Methods that have no feasible arm in a cell. */
    private static Map<Cell, Set<String>> withoutFigures(List<PointDraft> points) {
        Map<Cell, Set<String>> methods = new LinkedHashMap<>();
        for (PointDraft p : points) {
            methods.computeIfAbsent(new Cell(p.workload, p.load), k -> new LinkedHashSet<>())
                    .add(p.arm.id());
        }
        for (PointDraft p : points) {
            if (p.feasible()) {
                methods.get(new Cell(p.workload, p.load)).remove(p.arm.id());
            }
        }
        return methods;
    }

    /** What speaks against taking the best method rather than the runner-up. */
    private List<String> doubts(PointDraft top, PointDraft rival, Set<String> without) {
        List<String> doubts = new ArrayList<>();
        double least = Math.max(Best.leastSureMargin(top.calibrated), Best.leastSureMargin(rival.calibrated));
        if (score(top) < (1 + least) * score(rival)) {
            doubts.add(String.format(
                    Locale.ROOT,
                    "the margin is below %.0f %%, what %s are good for",
                    100 * least,
                    least > 0.2 ? "datasheets" : least > 0.1 ? "published kernel timings" : "round times"));
        }
        if (low(top) <= high(rival)) {
            doubts.add("the ranges of the two overlap");
        }
        if (top.openAcceptance || rival.openAcceptance) {
            doubts.add("what the acceptance leaves open is in no simulated interval: explore has it");
        }
        if (top.extrapolated || rival.extrapolated) {
            doubts.add("round times beyond what was measured");
        }
        for (PointDraft p : List.of(top, rival)) {
            if (scenario.calibration().blackBox()
                    && p.arm.speculative()
                    && Calibration.lookup(scenario.calibration().draftMs(), p.arm.id(), p.arm.kind()) == null) {
                doubts.add("the draft time of " + p.arm.id() + " is not given");
            }
        }
        if (!without.isEmpty()) {
            doubts.add("no figures of " + String.join(", ", without));
        }
        return List.copyOf(doubts);
    }

    private static double low(PointDraft p) {
        return (p.interval == null ? p.outputTokS : p.interval.outputTokS().get(0)) / p.tp;
    }

    private static double high(PointDraft p) {
        return (p.interval == null ? p.outputTokS : p.interval.outputTokS().get(1)) / p.tp;
    }

    /** All cards as equal replicas: the best arm per TP for the same clients in all, where two TPs or more have a point. */
    List<Layout> layouts(List<PointDraft> points) {
        if (scenario.hardware() == null) {
            return List.of();
        }
        int cards = scenario.hardware().count();
        Map<Clients, Map<Integer, PointDraft>> found = new TreeMap<>(
                Comparator.comparing((Clients c) -> order(points, c.workload())).thenComparing(Clients::clients));
        byCell(points).forEach((cell, all) -> {
            if (cell.load().concurrency() != null) {
                bestBy(all, p -> p.tp).forEach((tp, p) -> {
                    if (cards % tp == 0) {
                        found.computeIfAbsent(
                                        new Clients(
                                                cell.workload(),
                                                cards / tp * cell.load().concurrency()),
                                        k -> new TreeMap<>())
                                .put(tp, p);
                    }
                });
            }
        });
        List<Layout> out = new ArrayList<>();
        found.forEach((key, byTp) -> {
            if (byTp.size() < 2) {
                return;
            }
            double most = byTp.values().stream()
                    .mapToDouble(p -> cards / p.tp * p.outputTokS)
                    .max()
                    .orElseThrow();
            byTp.forEach((tp, p) -> out.add(new Layout(
                    variant,
                    key.workload(),
                    key.clients(),
                    tp,
                    cards / tp,
                    p.load.concurrency(),
                    p.arm.id(),
                    p.arm.budget(),
                    p.arm.topK(),
                    p.arm.method().draftTokens(p.arm),
                    cards / tp * p.outputTokS,
                    cards / tp * p.outputTokS >= most)));
        });
        return out;
    }

    private record Clients(String workload, int clients) {}

    private static int order(List<PointDraft> points, String workload) {
        for (int i = 0; i < points.size(); i++) {
            if (points.get(i).workload.equals(workload)) {
                return i;
            }
        }
        return points.size();
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

    /** Loads of a method that can be compared: of one kind, burstiness and trace. */
    private record LoadsAt(MethodAt method, String kind, Double burstiness, String trace) {
        static LoadsAt of(PointDraft p) {
            return new LoadsAt(
                    new MethodAt(p.workload, p.tp, p.arm.id()), p.load.kind(), p.load.burstiness(), p.load.file());
        }
    }

    List<Goodput> goodput(List<PointDraft> points) {
        if (scenario.slo() == null) {
            return List.of();
        }
        Map<LoadsAt, PointDraft> largest = new LinkedHashMap<>();
        for (PointDraft p : points) {
            if (p.feasible()) {
                LoadsAt key = LoadsAt.of(p);
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
                key.method().workload(),
                key.method().tp(),
                key.method().method(),
                key.kind(),
                p == null ? null : p.load,
                p == null ? null : p.arm.budget(),
                p == null ? null : p.outputTokS)));
        return out;
    }

    /** Clients or requests per second; 0 for a trace, which is compared with itself. */
    private static double offered(PointDraft p) {
        if (p.load.concurrency() != null) {
            return p.load.concurrency();
        }
        return p.load.ratePerS() == null ? 0 : p.load.ratePerS();
    }
}
