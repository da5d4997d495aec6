package dev.foretoken.cli;

import dev.foretoken.formats.profile.BlackBoxProfile;
import dev.foretoken.formats.profile.BlackBoxProfile.Measured;
import dev.foretoken.formats.profile.ProfileReader;
import dev.foretoken.formats.profile.ProfileWriter;
import dev.foretoken.report.chart.CalibrationCharts;
import dev.foretoken.report.chart.Plot;
import dev.foretoken.report.table.Block;
import dev.foretoken.report.table.Column;
import dev.foretoken.report.table.NumberStyle;
import dev.foretoken.sim.profile.Profile;
import dev.foretoken.sim.profile.ProfileSource;
import dev.foretoken.sim.round.BlackBoxKnot;
import dev.foretoken.validation.server.ServerSnapshot;
import dev.foretoken.validation.session.EndpointSession;
import dev.foretoken.validation.sweep.EndpointSweep;
import dev.foretoken.validation.sweep.SweepResult;
import dev.foretoken.validation.sweep.SweepResult.DraftAndHost;
import dev.foretoken.validation.sweep.SweepResult.Interval;
import dev.foretoken.validation.sweep.SweepResult.Knot;
import dev.foretoken.validation.sweep.SweepResult.SpeculativeRound;
import java.io.IOException;
import java.math.BigDecimal;
import java.math.MathContext;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code foretoken calibrate endpoint URL}: a concurrency sweep of a live server to a black-box profile. */
@Command(
        name = "endpoint",
        description = {
            "A concurrency sweep of a live OpenAI-compatible server to a profile of its round times.",
            "The server is used as it runs: it is never started, stopped or reconfigured. A profile is written after every",
            "level, so that an interrupted sweep keeps what it measured."
        },
        mixinStandardHelpOptions = true)
final class CalibrateEndpoint implements Callable<Integer> {
    /** Contexts of one prompt length differ by less than this share from level to level. */
    private static final double SAME_CONTEXT = 0.2;

    @Parameters(index = "0", paramLabel = "URL", description = "the server, such as http://127.0.0.1:8000")
    private String url;

    @Option(names = "-o", paramLabel = "PROFILE", description = "profile to write, NAME.json")
    private Path output;

    @Option(
            names = "--concurrency",
            split = ",",
            paramLabel = "N",
            defaultValue = "1,2,4,8,16,32",
            description = "levels of requests at once (default: ${DEFAULT-VALUE})")
    private List<Integer> concurrency;

    @Option(
            names = "--isl",
            split = ",",
            paramLabel = "N",
            defaultValue = "128,1024",
            description = "prompt lengths, tokens; one gives no dependence on context (default: ${DEFAULT-VALUE})")
    private List<Integer> isl;

    @Option(
            names = "--osl",
            paramLabel = "N",
            defaultValue = "128",
            description = "answer length (default: ${DEFAULT-VALUE})")
    private int osl;

    @Option(
            names = "--repeats",
            paramLabel = "N",
            defaultValue = "3",
            description = "measured repeats of a level, after one that is discarded (default: ${DEFAULT-VALUE})")
    private int repeats;

    @Option(
            names = "--workload",
            paramLabel = "ID",
            defaultValue = "chat",
            description = "kind of prompts: code, prose, chat, math, extraction (default: ${DEFAULT-VALUE})")
    private String workload;

    @Option(
            names = "--width",
            paramLabel = "N",
            description = "query tokens per request and round of a server that speculates: drafts + 1")
    private Integer width;

    @Option(
            names = "--autoregressive",
            paramLabel = "PROFILE",
            description = "profile of the same server without speculation: its knots, and what drafting adds to them")
    private Path autoregressive;

    @Option(names = "--gpu", paramLabel = "ID", description = "catalogue id of the card, noted in the profile")
    private String gpu;

    @Option(names = "--tp", paramLabel = "N", description = "tensor-parallel size, carried by every knot")
    private Integer tp;

    @Option(
            names = "--limit",
            paramLabel = "S",
            defaultValue = "600",
            description = "longest time of one run, seconds (default: ${DEFAULT-VALUE})")
    private long limitS;

    @Mixin
    private EndpointOptions endpoint;

    @Mixin
    private Common common;

    @Override
    public Integer call() throws IOException {
        EndpointSweep.Options options;
        try {
            options = new EndpointSweep.Options(
                    List.copyOf(new TreeSet<>(concurrency)),
                    List.copyOf(new TreeSet<>(isl)),
                    osl,
                    repeats,
                    width,
                    workload,
                    Duration.ofSeconds(limitS));
        } catch (IllegalArgumentException e) {
            throw new UserError(e.getMessage());
        }
        Profile plain = autoregressive == null ? null : plain();
        try (EndpointSession session = endpoint.open(url, common::note)) {
            int levels = options.concurrency().size() * options.promptTokens().size();
            SweepResult result;
            try (Common.Progress progress = common.progress("sweep", levels)) {
                long[] done = new long[1];
                result = new EndpointSweep(session, endpoint.prompts(), options).run(known -> {
                    progress.accept(++done[0]);
                    if (output != null && (!known.speculative() || plain != null)) {
                        ProfileWriter.write(profile(session, known, plain), output);
                    }
                });
            }
            return finish(session, result, plain);
        }
    }

    private Profile plain() {
        if (!Files.exists(autoregressive)) {
            throw new UserError("no such file: " + autoregressive);
        }
        Profile p = ProfileReader.read(autoregressive);
        if (!BlackBoxProfile.isOne(p)) {
            throw new UserError(
                    autoregressive + " holds no rounds of a server: calibrate endpoint writes such profiles");
        }
        if (width == null) {
            throw new UserError("--autoregressive needs --width: the query tokens of a round per request (drafts + 1)");
        }
        return p;
    }

    private int finish(EndpointSession session, SweepResult result, Profile plain) throws IOException {
        DraftAndHost extra = result.speculative() && plain != null ? overhead(result, plain) : null;
        Profile profile = result.speculative() && plain == null ? null : profile(session, result, plain);
        print(session, result, profile, extra);
        if (profile == null) {
            throw new UserError(
                    "this server speculates: its rounds are no autoregressive knots, so no profile was written."
                            + " Sweep the same server without speculation, then this one with --autoregressive PROFILE --width N");
        }
        if (output == null) {
            common.note("nothing was written: -o PROFILE writes the profile; the calibration above can be pasted");
        } else {
            ProfileWriter.write(profile, output);
            common.note("wrote " + output + "; in a scenario: calibration: {profile: " + output + "}");
        }
        return Exit.OK;
    }

    private DraftAndHost overhead(SweepResult result, Profile plain) {
        List<Knot> knots = BlackBoxProfile.knots(plain).stream()
                .filter(k -> k.tp() == null || tp == null || k.tp().equals(tp))
                .map(k -> new Knot(
                        k.rows(),
                        k.contextTokens() == null ? 0 : k.contextTokens(),
                        new Interval(k.ms(), k.ms(), k.ms()),
                        1))
                .toList();
        return EndpointSweep.draftAndHost(knots, result.rounds(), width);
    }

    private Profile profile(EndpointSession session, SweepResult result, Profile plain) {
        ServerSnapshot s = session.probed().snapshot();
        Map<BlackBoxKnot, Measured> rounds = new LinkedHashMap<>();
        List<String> notes = new ArrayList<>(result.notes());
        Measured overhead = null;
        Interval prefill = result.prefillMsPerToken();
        if (result.speculative()) {
            BlackBoxProfile.knots(plain).forEach(k -> rounds.put(k, new Measured(k.ms(), k.ms(), k.ms(), 1)));
            DraftAndHost d = overhead(result, plain);
            overhead = new Measured(
                    d.ms(),
                    Math.min(d.ms(), Math.max(0, d.lo())),
                    Math.max(d.ms(), d.hi()),
                    result.rounds().size());
            notes.addAll(d.notes());
        } else {
            knots(result)
                    .forEach((knot, k) ->
                            rounds.put(knot, new Measured(k.ms().estimate(), k.ms().lo(), k.ms().hi(), k.samples())));
        }
        return BlackBoxProfile.of(
                gpu != null ? gpu : "unknown",
                session.probed().adapter().id(),
                s.version(),
                s.quantization() == null ? "unknown" : s.quantization(),
                new ProfileSource(
                        "calibrate endpoint",
                        Main.version(),
                        null,
                        List.of("model " + session.probed().model()),
                        true),
                rounds,
                prefill == null ? null : new Measured(prefill.estimate(), prefill.lo(), prefill.hi(), 1),
                overhead,
                notes);
    }

    /** Knots with one context per prompt length: the mean over the levels, none where there is one length only. */
    private Map<BlackBoxKnot, Knot> knots(SweepResult result) {
        List<Knot> sorted = result.knots().stream()
                .sorted((a, b) -> Double.compare(a.contextTokens(), b.contextTokens()))
                .toList();
        List<List<Knot>> groups = new ArrayList<>();
        for (Knot k : sorted) {
            List<Knot> last = groups.isEmpty() ? null : groups.get(groups.size() - 1);
            boolean same = last != null
                    && k.contextTokens() <= last.get(0).contextTokens() * (1 + SAME_CONTEXT)
                    && last.stream().noneMatch(other -> other.rows() == k.rows());
            if (!same) {
                groups.add(new ArrayList<>());
            }
            groups.get(groups.size() - 1).add(k);
        }
        Map<BlackBoxKnot, Knot> knots = new LinkedHashMap<>();
        for (List<Knot> group : groups) {
            double context =
                    group.stream().mapToDouble(Knot::contextTokens).average().orElseThrow();
            TreeMap<Integer, Knot> byRows = new TreeMap<>();
            group.forEach(k -> byRows.put(k.rows(), k));
            byRows.forEach((rows, k) ->
                    knots.put(new BlackBoxKnot(rows, (double) Math.round(context), k.ms().estimate(), tp), k));
        }
        return knots;
    }

    private void print(EndpointSession session, SweepResult result, Profile profile, DraftAndHost extra)
            throws IOException {
        Block.Table<Knot> knots = new Block.Table<>(
                "Autoregressive rounds",
                List.of(
                        Column.of("rows", "", "rows", NumberStyle.COUNT, Column.ALWAYS, Knot::rows),
                        Column.of("context", "tokens", "context", NumberStyle.RATE, 8, Knot::contextTokens),
                        Column.of("ms", "ms", "round", NumberStyle.FINE, Column.ALWAYS, k -> k.ms().estimate()),
                        Column.people("interval", "ms", "90 % interval", NumberStyle.FINE, 9, k -> interval(k.ms())),
                        Column.flat("lo", "ms", NumberStyle.FINE, k -> k.ms().lo()),
                        Column.flat("hi", "ms", NumberStyle.FINE, k -> k.ms().hi()),
                        Column.of("samples", "", "gaps", NumberStyle.COUNT, 5, Knot::samples)),
                result.knots(),
                List.of("median time of a round while every request decodes, after the last first token"));
        Block.Table<SpeculativeRound> rounds = new Block.Table<>(
                "Speculative rounds",
                List.of(
                        Column.of(
                                "concurrency",
                                "",
                                "requests",
                                NumberStyle.COUNT,
                                Column.ALWAYS,
                                SpeculativeRound::concurrency),
                        Column.of("rows", "", "rows", NumberStyle.COUNT, 9, SpeculativeRound::rows),
                        Column.of("context", "tokens", "context", NumberStyle.RATE, 7, SpeculativeRound::contextTokens),
                        Column.of("ms", "ms", "round", NumberStyle.FINE, Column.ALWAYS, k -> k.ms().estimate()),
                        Column.of("interval", "ms", "90 % interval", NumberStyle.FINE, 9, k -> interval(k.ms())),
                        Column.of(
                                "accept_length",
                                "tok/round",
                                "accept length",
                                NumberStyle.FINE,
                                9,
                                SpeculativeRound::acceptLength)),
                result.rounds(),
                List.of());
        List<Block> blocks = new ArrayList<>();
        blocks.add(knots);
        blocks.add(rounds);
        blocks.add(new Block.Sentences("Besides", besides(result, extra)));
        blocks.add(new Block.Sentences("Notes", notes(session, result, extra)));
        if (profile != null) {
            blocks.add(new Block.Sentences("For a scenario", yaml(profile)));
        }
        BlockOutput out = new BlockOutput(
                common,
                "endpoint",
                String.format(
                        Locale.ROOT,
                        "%s · %s · model %s",
                        url,
                        session.probed().engine(),
                        session.probed().model()),
                blocks,
                knots,
                json(result, profile, extra));
        if (!result.knots().isEmpty()) {
            Map<BlackBoxKnot, Knot> charted = knots(result);
            out.chart("round-times", () -> chart(session, charted));
        }
        out.write();
    }

    private static Plot chart(EndpointSession session, Map<BlackBoxKnot, Knot> charted) {
        Map<Double, List<Knot>> byContext = new TreeMap<>();
        charted.forEach((knot, k) -> byContext
                .computeIfAbsent(knot.contextTokens(), c -> new ArrayList<>())
                .add(k));
        List<CalibrationCharts.Timing> timings = new ArrayList<>();
        byContext.forEach((context, ks) -> timings.add(new CalibrationCharts.Timing(
                String.format(Locale.ROOT, "context %.0f", context),
                ks.stream().map(k -> (double) k.rows()).toList(),
                ks.stream().map(k -> k.ms().estimate()).toList(),
                ks.stream().map(k -> k.ms().lo()).toList(),
                ks.stream().map(k -> k.ms().hi()).toList(),
                List.of())));
        return CalibrationCharts.knots(
                "Round time of the server",
                session.probed().engine() + ", " + session.probed().model(),
                timings);
    }

    private static List<Double> interval(Interval i) {
        return List.of(i.lo(), i.hi());
    }

    private static List<String> besides(SweepResult result, DraftAndHost extra) {
        List<String> out = new ArrayList<>();
        if (result.prefillMsPerToken() != null) {
            out.add(String.format(
                    Locale.ROOT,
                    "prefill takes %.4g ms per prompt token (90 %% interval %.4g to %.4g)",
                    result.prefillMsPerToken().estimate(),
                    result.prefillMsPerToken().lo(),
                    result.prefillMsPerToken().hi()));
        }
        if (result.acceptance() != null) {
            out.add(String.format(
                    Locale.ROOT,
                    "accept length %.3f tokens per round",
                    result.acceptance().acceptLength()));
        }
        if (extra != null) {
            out.add(String.format(
                    Locale.ROOT,
                    "drafting and host work take %.2f ms per round beyond the autoregressive round of as many rows"
                            + " (%.2f to %.2f over the loads)",
                    extra.ms(),
                    extra.lo(),
                    extra.hi()));
        }
        return out;
    }

    private static List<String> notes(EndpointSession session, SweepResult result, DraftAndHost extra) {
        List<String> out = new ArrayList<>(session.probed().notes());
        out.addAll(result.notes());
        if (extra != null) {
            out.addAll(extra.notes());
        }
        return out;
    }

    /** Lines of the calibration key of a scenario. */
    private static List<String> yaml(Profile profile) {
        List<String> knots = new ArrayList<>();
        for (BlackBoxKnot k : BlackBoxProfile.knots(profile)) {
            knots.add(String.format(
                    Locale.ROOT,
                    "{rows: %d%s, ms: %s%s}",
                    k.rows(),
                    k.contextTokens() == null ? "" : String.format(Locale.ROOT, ", context: %.0f", k.contextTokens()),
                    number(k.ms()),
                    k.tp() == null ? "" : ", tp: " + k.tp()));
        }
        List<String> keys = new ArrayList<>();
        keys.add("round_times: [" + String.join(", ", knots) + "]");
        BlackBoxProfile.overheadMs(profile).ifPresent(ms -> keys.add("draft_ms: " + number(ms) + ", host_ms: 0"));
        BlackBoxProfile.prefillMsPerToken(profile).ifPresent(ms -> keys.add("prefill_ms_per_token: " + number(ms)));
        return List.of("calibration: {" + String.join(", ", keys) + "}");
    }

    private static String number(double ms) {
        return new BigDecimal(ms).round(new MathContext(5)).stripTrailingZeros().toPlainString();
    }

    private static Map<String, Object> json(SweepResult result, Profile profile, DraftAndHost extra) {
        Map<String, Object> root = new LinkedHashMap<>();
        root.put("sweep", result);
        if (extra != null) {
            root.put("draft_and_host", extra);
        }
        if (profile != null) {
            Map<String, Object> calibration = new LinkedHashMap<>();
            calibration.put("round_times", knotMaps(profile));
            BlackBoxProfile.overheadMs(profile).ifPresent(ms -> {
                calibration.put("draft_ms", ms);
                calibration.put("host_ms", 0);
            });
            BlackBoxProfile.prefillMsPerToken(profile).ifPresent(ms -> calibration.put("prefill_ms_per_token", ms));
            root.put("calibration", calibration);
        }
        return root;
    }

    private static List<Map<String, Object>> knotMaps(Profile profile) {
        List<Map<String, Object>> list = new ArrayList<>();
        for (BlackBoxKnot k : BlackBoxProfile.knots(profile)) {
            Map<String, Object> m = new LinkedHashMap<>();
            m.put("rows", k.rows());
            if (k.contextTokens() != null) {
                m.put("context", k.contextTokens());
            }
            m.put("ms", k.ms());
            if (k.tp() != null) {
                m.put("tp", k.tp());
            }
            list.add(m);
        }
        return list;
    }
}
