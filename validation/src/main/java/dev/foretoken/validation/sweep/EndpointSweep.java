package dev.foretoken.validation.sweep;

import dev.foretoken.sim.round.BlackBoxKnot;
import dev.foretoken.sim.round.BlackBoxRounds;
import dev.foretoken.validation.client.Load;
import dev.foretoken.validation.client.PlannedRequest;
import dev.foretoken.validation.client.RequestOptions;
import dev.foretoken.validation.client.RequestRecord;
import dev.foretoken.validation.client.RunPlan;
import dev.foretoken.validation.client.RunResult;
import dev.foretoken.validation.compare.Bootstrap;
import dev.foretoken.validation.compare.ErrorSummary;
import dev.foretoken.validation.measure.MeasuredAcceptance;
import dev.foretoken.validation.measure.RoundRecovery;
import dev.foretoken.validation.measure.Summary;
import dev.foretoken.validation.server.ServerSnapshot;
import dev.foretoken.validation.server.ServerWindow;
import dev.foretoken.validation.session.EndpointException;
import dev.foretoken.validation.session.EndpointSession;
import dev.foretoken.validation.session.PromptBook;
import dev.foretoken.validation.session.RunOutcome;
import dev.foretoken.validation.session.RunSpec;
import dev.foretoken.validation.sweep.SweepResult.DraftAndHost;
import dev.foretoken.validation.sweep.SweepResult.Interval;
import dev.foretoken.validation.sweep.SweepResult.Knot;
import dev.foretoken.validation.sweep.SweepResult.SpeculativeRound;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;

/**
 * Concurrency sweep of a running server. For every level all requests are sent at once with one prompt length and one answer
 * length; rounds are taken from the time in which all of them decode (after the last first token, before the first end), so
 * that no prompt is served in between. The first repeat of every level is discarded.
 */
public final class EndpointSweep {
    private static final double LEVEL = 0.9;
    private static final int LEAST_GAPS = 8;

    private final EndpointSession session;
    private final PromptBook prompts;
    private final Options options;

    /**
     * What to sweep.
     *
     * @param concurrency levels
     * @param promptTokens prompt lengths: one gives knots of one context, several a dependence on context
     * @param outputTokens answer length, at least 16
     * @param repeats measured repeats per level, after one that is discarded
     * @param width query tokens per request and round if the server speculates, null if unknown
     * @param workload prompts to use
     * @param limit per run
     */
    public record Options(
            List<Integer> concurrency,
            List<Integer> promptTokens,
            int outputTokens,
            int repeats,
            Integer width,
            String workload,
            Duration limit) {
        public Options {
            concurrency = List.copyOf(concurrency);
            promptTokens = List.copyOf(promptTokens);
            if (concurrency.isEmpty() || promptTokens.isEmpty()) {
                throw new IllegalArgumentException("a sweep needs at least one concurrency and one prompt length");
            }
            for (int c : concurrency) {
                if (c < 1) {
                    throw new IllegalArgumentException("concurrency must be at least 1: " + c);
                }
            }
            if (outputTokens < 16 || repeats < 1) {
                throw new IllegalArgumentException(
                        "outputTokens must be at least 16 and repeats at least 1: " + outputTokens + ", " + repeats);
            }
        }
    }

    public EndpointSweep(EndpointSession session, PromptBook prompts, Options options) {
        this.session = session;
        this.prompts = prompts;
        this.options = options;
    }

    /**
     * Sweeps.
     *
     * @throws EndpointException when a level cannot be measured at all
     */
    public SweepResult run() {
        return run(result -> {});
    }

    /**
     * Sweeps, and hands out what is known after every level that gave a round time, so that it can be kept.
     *
     * @throws EndpointException when a level cannot be measured at all
     */
    public SweepResult run(Consumer<SweepResult> known) {
        List<Knot> knots = new ArrayList<>();
        List<SpeculativeRound> rounds = new ArrayList<>();
        List<String> notes = new ArrayList<>();
        List<double[]> firstTokens = new ArrayList<>();
        MeasuredAcceptance acceptance = null;
        boolean speculative = false;
        Boolean said = null;
        for (int isl : options.promptTokens()) {
            int firstKnot = knots.size();
            for (int c : options.concurrency()) {
                List<RunResult> repeats = new ArrayList<>();
                for (int i = 0; i <= options.repeats(); i++) {
                    RunOutcome o = burst(c, isl, i);
                    if (i > 0) {
                        repeats.add(o.segments().get(0));
                        acceptance = o.acceptance() != null ? o.acceptance() : acceptance;
                        said = speculates(o.window(), said);
                        disbelieved(repeats.get(repeats.size() - 1), isl, notes);
                        for (String f : o.window().findings()) {
                            if (!notes.contains(f) && !f.startsWith("speculation is on")) {
                                notes.add(f);
                            }
                        }
                    }
                }
                if (c == 1) {
                    firstTokens.addAll(firstTokens(repeats));
                }
                Level level = level(c, isl, repeats, Boolean.FALSE.equals(said) ? Integer.valueOf(1) : options.width());
                if (level == null) {
                    notes.add("concurrency " + c + ", prompts of " + isl + " tokens: requests never all decoded at once"
                            + " (server slots, memory, or answers too short): no knot");
                    continue;
                }
                if (level.reason() != null) {
                    notes.add("concurrency " + c + ": " + level.reason());
                    continue;
                }
                if (said != null ? said : level.acceptLength() > 1 + STRAY) {
                    speculative = true;
                    rounds.add(new SpeculativeRound(
                            c,
                            options.width() == null ? null : (long) c * options.width(),
                            level.context(),
                            level.ms(),
                            level.acceptLength(),
                            level.samples()));
                } else {
                    knots.add(new Knot(c, level.context(), level.ms(), level.samples()));
                }
                known.accept(result(speculative, knots, rounds, firstTokens, acceptance, notes));
            }
            shareContext(knots.subList(firstKnot, knots.size()));
        }
        if (knots.isEmpty() && rounds.isEmpty()) {
            throw new EndpointException("the sweep gave no round time: " + String.join("; ", notes));
        }
        return result(speculative, knots, rounds, firstTokens, acceptance, notes);
    }

    /** Notes usage that was not believed, and prompts whose tokens the server does not say. */
    private static void disbelieved(RunResult run, int isl, List<String> notes) {
        boolean silent = false;
        for (RequestRecord r : run.measured()) {
            silent |= r.promptTokens() == null;
            for (String odd : r.anomalies()) {
                if (odd.endsWith(NOT_USED) && notes.stream().noneMatch(n -> kind(n).equals(kind(odd)))) {
                    notes.add(odd);
                }
            }
        }
        String note = "the server tells no usable prompt tokens: contexts count the " + isl + " tokens asked for";
        if (silent && !notes.contains(note)) {
            notes.add(note);
        }
    }

    /** A note without its figures. */
    private static String kind(String note) {
        return note.replaceAll("-?\\d+", "#");
    }

    private SweepResult result(
            boolean speculative,
            List<Knot> knots,
            List<SpeculativeRound> rounds,
            List<double[]> firstTokens,
            MeasuredAcceptance acceptance,
            List<String> notes) {
        List<Knot> sorted = new ArrayList<>(speculative ? List.of() : knots);
        sorted.sort(Comparator.comparingDouble(Knot::contextTokens).thenComparingInt(Knot::rows));
        List<String> all = new ArrayList<>(notes);
        Interval prefill = prefill(firstTokens, all);
        return new SweepResult(
                session.snapshot(),
                speculative,
                List.copyOf(sorted),
                List.copyOf(rounds),
                prefill,
                speculative ? acceptance : null,
                List.copyOf(all));
    }

    /** Whether the server itself says that it speculates, null when it does not say; what it said before stands. */
    private Boolean speculates(ServerWindow window, Boolean before) {
        if (Boolean.TRUE.equals(before) || window.acceptance() != null) {
            return true;
        }
        ServerSnapshot s = session.snapshot();
        if (s.verifySteps() != null && s.verifySteps() > 0) {
            return true;
        }
        if (s.speculative() != null) {
            return !s.speculative().isEmpty();
        }
        return s.verifySteps() != null ? Boolean.FALSE : before;
    }

    /** Levels of one prompt length differ by a few tokens of context: they count as one context, their mean. */
    private static void shareContext(List<Knot> knots) {
        double mean = Math.round(
                knots.stream().mapToDouble(Knot::contextTokens).average().orElse(0));
        knots.replaceAll(k -> new Knot(k.rows(), mean, k.ms(), k.samples()));
    }

    private RunOutcome burst(int c, int isl, int repeat) {
        String salt = PromptBook.newSalt();
        RequestOptions o = new RequestOptions(session.probed().api(), 0, true, true, salt, repeat);
        RunSpec spec = new RunSpec(
                "sweep c=" + c + " isl=" + isl + (repeat == 0 ? " (discarded)" : ""),
                new RunPlan(new Load.Trace(new long[c]), 0, c, repeat, options.limit()),
                (index, phase) -> new PlannedRequest(
                        index,
                        phase,
                        options.workload(),
                        prompts.prompt(
                                options.workload(),
                                isl,
                                session.probed().charsPerToken(),
                                salt,
                                repeat * 1_000_003L + index),
                        options.outputTokens()),
                o,
                options.width(),
                options.width() != null && options.width() > 1,
                null,
                false,
                Map.of());
        return session.run(spec);
    }

    /** Tokens per round beyond 1 that a client that is late now and then can fake, where the server does not say what it does. */
    private static final double STRAY = 0.05;

    private static final String NOT_USED = ": not used";

    private record Level(Interval ms, double context, double acceptLength, int samples, String reason) {}

    /** Rounds while all requests decode; null when there is no such time. */
    private Level level(int c, int isl, List<RunResult> repeats, Integer maxTokensPerRound) {
        List<RequestRecord> inside = new ArrayList<>();
        double context = 0;
        for (RunResult run : repeats) {
            List<RequestRecord> good = run.measured();
            if (good.size() < c) {
                continue;
            }
            long from =
                    good.stream().mapToLong(RequestRecord::firstTokenNs).max().orElseThrow();
            long to = good.stream().mapToLong(RequestRecord::lastTokenNs).min().orElseThrow();
            for (RequestRecord r : good) {
                RequestRecord cut = between(r, from, to);
                if (cut != null) {
                    inside.add(cut);
                    context += context(r, isl, from, to);
                }
            }
        }
        if (inside.isEmpty()) {
            return null;
        }
        RoundRecovery.Rounds rounds = RoundRecovery.recover(inside, maxTokensPerRound);
        if (rounds.reason() != null) {
            return new Level(null, 0, 0, 0, rounds.reason());
        }
        List<double[]> perRequest = new ArrayList<>();
        for (RequestRecord r : inside) {
            RoundRecovery.Rounds one = RoundRecovery.recoverOne(r, rounds);
            if (one.gaps().length > 0) {
                perRequest.add(one.gaps());
            }
        }
        int samples = perRequest.stream().mapToInt(g -> g.length).sum();
        if (samples < LEAST_GAPS) {
            return null;
        }
        double median = medianOf(perRequest);
        double[] interval = perRequest.size() < 2
                ? spread(perRequest.get(0))
                : Bootstrap.interval(perRequest, EndpointSweep::medianOf, LEVEL, 1);
        return new Level(
                new Interval(median, Math.min(interval[0], median), Math.max(interval[1], median)),
                context / inside.size(),
                rounds.acceptLength(),
                samples,
                null);
    }

    /** One request's events from one time to another; null when fewer than two are left. */
    private static RequestRecord between(RequestRecord r, long from, long to) {
        int a = 0;
        while (a < r.chunkNs().length && r.chunkNs()[a] < from) {
            a++;
        }
        int b = r.chunkNs().length;
        while (b > a && r.chunkNs()[b - 1] > to) {
            b--;
        }
        if (b - a < 2) {
            return null;
        }
        long[] ns = Arrays.copyOfRange(r.chunkNs(), a, b);
        int[] tokens = r.chunkTokens() == null ? null : Arrays.copyOfRange(r.chunkTokens(), a, b);
        return r.withEvents(ns, tokens);
    }

    /** Mean context of a request from one time to another; of the prompt length asked for where the server does not say its own. */
    private static double context(RequestRecord r, int askedPromptTokens, long from, long to) {
        double prompt = r.promptTokens() == null ? askedPromptTokens : r.promptTokens();
        double before = 0;
        double inside = 0;
        for (int i = 0; i < r.chunkNs().length; i++) {
            double n = r.chunkTokens() == null ? 1 : r.chunkTokens()[i];
            if (r.chunkNs()[i] < from) {
                before += n;
            } else if (r.chunkNs()[i] <= to) {
                inside += n;
            }
        }
        return prompt + before + inside / 2;
    }

    private static double medianOf(List<double[]> groups) {
        return ErrorSummary.medianOf(
                groups.stream().flatMapToDouble(Arrays::stream).toArray());
    }

    /** Interval of the median of one request's gaps by order statistics. */
    private static double[] spread(double[] gaps) {
        double[] sorted = gaps.clone();
        Arrays.sort(sorted);
        double half = 1.645 * Math.sqrt(0.25 / sorted.length);
        return new double[] {
            Summary.quantile(sorted, Math.max(0, 0.5 - half)), Summary.quantile(sorted, Math.min(1, 0.5 + half))
        };
    }

    private static List<double[]> firstTokens(List<RunResult> repeats) {
        List<double[]> list = new ArrayList<>();
        for (RunResult run : repeats) {
            for (RequestRecord r : run.measured()) {
                if (r.promptTokens() != null && r.ttftMs() != null) {
                    list.add(new double[] {
                        r.promptTokens() - (r.cachedTokens() == null ? 0 : r.cachedTokens()), r.ttftMs()
                    });
                }
            }
        }
        return list;
    }

    /** Slope of the time to first token over prompt length when there are two lengths, else the ratio. */
    private static Interval prefill(List<double[]> points, List<String> notes) {
        if (points.isEmpty()) {
            notes.add("prefill was not measured: it needs concurrency 1 in the sweep");
            return null;
        }
        double lo = points.stream().mapToDouble(p -> p[0]).min().orElseThrow();
        double hi = points.stream().mapToDouble(p -> p[0]).max().orElseThrow();
        boolean slope = hi > 1.5 * lo;
        if (!slope) {
            notes.add("one prompt length only: prefill_ms_per_token is time to first token over prompt tokens and holds"
                    + " whatever does not grow with them");
        }
        double[] interval = points.size() < 3 ? null : Bootstrap.interval(points, p -> perToken(p, slope), LEVEL, 1);
        double estimate = perToken(points, slope);
        return interval == null
                ? new Interval(estimate, estimate, estimate)
                : new Interval(estimate, Math.min(estimate, interval[0]), Math.max(estimate, interval[1]));
    }

    private static double perToken(List<double[]> points, boolean slope) {
        double mx = points.stream().mapToDouble(p -> p[0]).average().orElseThrow();
        double my = points.stream().mapToDouble(p -> p[1]).average().orElseThrow();
        double sxx = points.stream().mapToDouble(p -> (p[0] - mx) * (p[0] - mx)).sum();
        if (!slope || sxx == 0) {
            return my / mx;
        }
        double sxy = points.stream().mapToDouble(p -> (p[0] - mx) * (p[1] - my)).sum();
        return Math.max(0, sxy / sxx);
    }

    /**
     * Draft and host time of a speculative sweep, given the autoregressive knots of the same server: mean over loads of the
     * round time minus the autoregressive round of as many rows.
     *
     * @throws IllegalArgumentException without knots or without rounds of known width
     */
    public static DraftAndHost draftAndHost(List<Knot> knots, List<SpeculativeRound> rounds, int width) {
        if (knots.isEmpty() || rounds.isEmpty()) {
            throw new IllegalArgumentException(
                    "draft and host time need both an autoregressive and a speculative sweep of the server");
        }
        boolean contexts = knots.stream()
                        .map(k -> Math.round(k.contextTokens() / 64))
                        .distinct()
                        .count()
                > 1;
        List<BlackBoxKnot> points = contexts
                ? knots.stream().map(k -> k.blackBox(true)).toList()
                : knots.stream().map(k -> k.blackBox(false)).toList();
        BlackBoxRounds ar = BlackBoxRounds.of(points, 0).forArm(width, 0, 0);
        List<Double> covered = new ArrayList<>();
        List<Double> outside = new ArrayList<>();
        for (SpeculativeRound r : rounds) {
            long rows = (long) r.concurrency() * width;
            double residual = r.ms().estimate() - ar.targetMs(rows, r.contextTokens());
            (ar.extrapolated(rows, r.contextTokens()) ? outside : covered).add(residual);
        }
        List<Double> used = covered.isEmpty() ? outside : covered;
        double mean = used.stream().mapToDouble(Double::doubleValue).average().orElseThrow();
        double lo = used.stream().mapToDouble(Double::doubleValue).min().orElseThrow();
        double hi = used.stream().mapToDouble(Double::doubleValue).max().orElseThrow();
        List<String> notes = new ArrayList<>();
        if (covered.isEmpty()) {
            notes.add("every speculative load has more rows than the autoregressive sweep: sweep autoregressively up to"
                    + " concurrency "
                    + rounds.stream()
                                    .mapToInt(SpeculativeRound::concurrency)
                                    .max()
                                    .orElseThrow()
                            * width);
        }
        if (mean < 0) {
            notes.add(
                    "speculative rounds are faster than autoregressive ones of as many rows: row equivalence does not hold on"
                            + " this server; draft and host are taken as 0");
        }
        return new DraftAndHost(Math.max(0, mean), lo, hi, outside.size(), List.copyOf(notes));
    }
}
