package dev.foretoken.cli.demo;

import dev.foretoken.report.table.Block;
import dev.foretoken.report.table.Column;
import dev.foretoken.report.table.NumberStyle;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeSet;
import java.util.function.Function;

/** The demo as parts to print. */
public final class DemoBlocks {
    /** Loads of the table with bands, clients. */
    private static final List<Integer> BANDED = List.of(1, 8, 64);

    private static final int ALWAYS = Column.ALWAYS;

    private DemoBlocks() {}

    /** All parts in the order to read. */
    public static List<Block> of(DemoReport report) {
        List<Block> blocks = new ArrayList<>();
        blocks.add(new Block.Sentences(
                "Part 1: two public servers, predicted from their own autoregressive sweep",
                List.of(
                        "Rule: a round of c clients with k drafts takes the autoregressive round of c (k + 1) rows, plus the"
                                + " draft. Measured rates are other people's, each with its source.",
                        "Only points marked predicted test the rule. In-sample points were fitted; extrapolated ones lie"
                                + " beyond the last row that the server was measured at.")));
        for (ServerSweep s : report.servers()) {
            blocks.addAll(server(s));
        }
        blocks.addAll(founding(report.founding()));
        return blocks;
    }

    // ---- part 1 ----

    private static List<Block> server(ServerSweep s) {
        List<String> notes = new ArrayList<>();
        notes.add(s.fitted());
        if (s.predicted() != null) {
            notes.add("predicted: " + s.predicted().text());
        }
        if (s.extrapolated() != null) {
            notes.add("extrapolated: " + s.extrapolated().text());
        }
        s.comparisons().stream()
                .filter(c -> c.note() != null)
                .forEach(c -> notes.add(c.method() + " at " + c.concurrency() + " clients: " + c.note()));
        s.sources().forEach(source -> notes.add("source: " + source));
        List<Block> blocks = new ArrayList<>();
        blocks.add(new Block.Table<>(
                s.name(),
                List.of(
                        text("method", "method", ServerSweep.Comparison::method),
                        column("concurrency", "", "clients", NumberStyle.COUNT, c -> c.concurrency()),
                        column("rows", "", "rows", NumberStyle.RATE, ServerSweep.Comparison::rows),
                        column(
                                "accept_length",
                                "",
                                "tok/round",
                                NumberStyle.FINE,
                                ServerSweep.Comparison::acceptLength),
                        column(
                                "reported_accept_length",
                                "",
                                "logged",
                                NumberStyle.FINE,
                                ServerSweep.Comparison::reportedAcceptLength),
                        column("round_ms", "ms", "round", NumberStyle.FINE, ServerSweep.Comparison::roundMs),
                        column(
                                "predicted_tok_s",
                                "tok/s",
                                "predicted",
                                NumberStyle.RATE,
                                ServerSweep.Comparison::predictedTokS),
                        column(
                                "measured_tok_s",
                                "tok/s",
                                "measured",
                                NumberStyle.RATE,
                                ServerSweep.Comparison::measuredTokS),
                        column("error", "", "error", NumberStyle.PERCENT, ServerSweep.Comparison::error),
                        text("use", "", c -> c.use().label())),
                s.comparisons(),
                notes));
        if (!s.picks().isEmpty()) {
            blocks.add(new Block.Table<>(
                    "Best method and length per concurrency: " + s.name(),
                    List.of(
                            DemoBlocks.<Pick>column(
                                    "concurrency", "", "clients", NumberStyle.COUNT, p -> p.concurrency()),
                            text("method", "method", Pick::method),
                            column("draft_tokens", "", "drafts", NumberStyle.COUNT, Pick::draftTokens),
                            column("output_tok_s", "tok/s", "output", NumberStyle.RATE, Pick::outputTokS),
                            column("speedup_vs_ar", "", "vs AR", NumberStyle.RATIO, Pick::speedupVsAr),
                            column("margin", "", "margin", NumberStyle.PERCENT, Pick::margin),
                            text("runner_up", "over", Pick::runnerUp),
                            Column.of(
                                    "extrapolated",
                                    "",
                                    "extrapolated",
                                    NumberStyle.YES_NO,
                                    ALWAYS,
                                    Pick::extrapolated)),
                    s.picks(),
                    List.of()));
        }
        return blocks;
    }

    private static <T> Column<T> column(
            String name, String unit, String header, NumberStyle style, Function<? super T, ?> value) {
        return Column.of(name, unit, header, style, ALWAYS, value);
    }

    private static <T> Column<T> text(String name, String header, Function<? super T, ?> value) {
        return Column.of(name, "", header.isEmpty() ? "counts as" : header, NumberStyle.TEXT, ALWAYS, value);
    }

    // ---- part 2 ----

    private static List<Block> founding(FoundingCase f) {
        List<Block> blocks = new ArrayList<>();
        blocks.add(new Block.Sentences(
                "Part 2: " + f.name(),
                List.of(
                        String.format(
                                Locale.ROOT,
                                "%,d points of the analytical model on published kernel timings, no fit; %,d do not fit in"
                                        + " memory.",
                                f.points(),
                                f.infeasible()),
                        "The acceptance of this drafter on this target is not public: what stands in for it is listed at the"
                                + " end, with what it was measured on. Rankings hold as far as the stand-ins do; sure = no"
                                + " where the bands of the first two overlap or they are closer than published kernel"
                                + " timings can tell (15 %).")));
        blocks.add(implied(f));
        blocks.add(onePrompt(f.onePrompt()));
        blocks.add(shortAnswers(f));
        blocks.add(baselines(f));
        blocks.add(new Block.Sentences(
                String.format(
                        Locale.ROOT,
                        "Why %.2f tok/s at TP %d on another machine is no baseline",
                        FoundingCase.OTHER_RATE,
                        FoundingCase.OTHER_TP),
                f.notABaseline()));
        blocks.add(pivot(f.picks()));
        blocks.add(banded(f.picks()));
        blocks.add(standIns(f.standIns()));
        if (!f.warnings().isEmpty()) {
            blocks.add(new Block.Sentences("Warnings", f.warnings()));
        }
        return blocks;
    }

    private static Block implied(FoundingCase f) {
        return new Block.Table<>(
                "What 100, 123.5 and 124 tok/s of one stream imply at TP 1",
                List.of(
                        DemoBlocks.<ImpliedLength>column(
                                "tok_s", "tok/s", "rate", NumberStyle.RATE, ImpliedLength::tokS),
                        text("method", "if it was", i -> i.method() + (i.budget() == null ? "" : " " + i.budget())),
                        column("round_ms", "ms", "round", NumberStyle.FINE, ImpliedLength::roundMs),
                        column("tokens_per_round", "", "tokens/round", NumberStyle.FINE, ImpliedLength::tokensPerRound),
                        column("accept_length", "", "accept length", NumberStyle.FINE, ImpliedLength::acceptLength),
                        column(
                                "accept_length_with_prompt",
                                "",
                                "with prompt",
                                NumberStyle.FINE,
                                ImpliedLength::acceptLengthWithPrompt)),
                f.impliedLengths(),
                List.of(
                        "tokens/round is rate times round, the micro average; the accept length is the law's mean that gives"
                                + " the rate by renewal over an answer of 1,024 tokens, its last round truncated",
                        "the last column holds when the rate is answer tokens over the whole time, prompt of 512 tokens"
                                + " included",
                        "macro averages (means of per-prompt means) are larger and imply nothing here",
                        "budget 128 does not fit beside the weights with a state saved per node; its round is given all the"
                                + " same"));
    }

    private static Block onePrompt(FoundingCase.OnePrompt p) {
        return new Block.Sentences(
                "Why 123.5 tok/s on one prompt is no mean",
                List.of(
                        String.format(
                                Locale.ROOT,
                                "one answer of %,d tokens is about %.0f rounds. Under the code stand-in (%.2f tokens per round,"
                                        + " ddtree 32, mean %.1f tok/s) nine prompts in ten give %.0f to %.0f tok/s: 123.5 and"
                                        + " 124 cannot be told apart, and repeated public runs differ by 3 to 8 %% anyway",
                                p.outputTokens(),
                                p.rounds(),
                                p.acceptLength(),
                                p.meanTokS(),
                                p.lowTokS(),
                                p.highTokS()),
                        String.format(
                                Locale.ROOT,
                                "a mean within 1 %% needs about %d prompts of one kind, within 5 %% about %d (requests vary 2.1"
                                        + " times as much as independent rounds would, by 4,022 logged rounds)",
                                p.promptsForOnePercent(),
                                p.promptsForFivePercent()),
                        "and content alone moves acceptance by a factor of 2 to 4: one prompt is one content"));
    }

    private static Block shortAnswers(FoundingCase f) {
        List<String> notes = new ArrayList<>();
        notes.add(String.format(
                Locale.ROOT,
                "%d tokens at %.1f tok/s are %.0f ms in all; first token and prompt take most of them, and the other two"
                        + " tokens one or two rounds whatever the drafts are worth (last two columns)",
                FoundingCase.SHORT_TOKENS,
                FoundingCase.SHORT_RATE,
                1000 * FoundingCase.SHORT_TOKENS / FoundingCase.SHORT_RATE));
        f.shortAnswers().stream()
                .filter(s ->
                        s.promptTokens() == f.shortAnswers().get(0).promptTokens() && s.promptAtReportedRate() != null)
                .forEach(s -> notes.add(String.format(
                        Locale.ROOT,
                        "%s%s gives %.1f tok/s with a prompt of about %,.0f tokens: the figure measures the prompt",
                        s.method(),
                        s.budget() == null ? "" : " " + s.budget(),
                        FoundingCase.SHORT_RATE,
                        s.promptAtReportedRate())));
        return new Block.Table<>(
                "Why a 3-token answer at 14.7 tok/s says nothing",
                List.of(
                        DemoBlocks.<FoundingCase.ShortAnswer>text(
                                "method", "method", s -> s.method() + (s.budget() == null ? "" : " " + s.budget())),
                        column("prompt_tokens", "tokens", "prompt", NumberStyle.COUNT, s -> s.promptTokens()),
                        column("first_token_ms", "ms", "first token", NumberStyle.FINE, s -> s.firstTokenMs()),
                        column("rounds", "", "rounds", NumberStyle.FINE, s -> s.rounds()),
                        column("tok_s", "tok/s", "3-token rate", NumberStyle.RATE, s -> s.tokS()),
                        column("first_token_share", "", "before 1st", NumberStyle.PERCENT, s -> s.firstTokenShare()),
                        column("none_accepted", "tok/s", "no draft right", NumberStyle.RATE, s -> s.tokSNoneAccepted()),
                        column("all_accepted", "tok/s", "all right", NumberStyle.RATE, s -> s.tokSAllAccepted())),
                f.shortAnswers(),
                notes);
    }

    private static Block baselines(FoundingCase f) {
        return new Block.Table<>(
                "The missing baseline: autoregressive decoding of one stream, predicted",
                List.of(
                        DemoBlocks.<FoundingCase.Baseline>column("tp", "", "TP", NumberStyle.COUNT, b -> b.tp()),
                        column("round_ms", "ms", "round", NumberStyle.FINE, b -> b.roundMs()),
                        column("tok_s", "tok/s", "output", NumberStyle.RATE, b -> b.tokS()),
                        text("bound_by", "bound by", b -> b.boundBy()),
                        column("ratio_100", "", "100 tok/s is", NumberStyle.RATIO, b -> b.chainRateRatio()),
                        column("ratio_124", "", "124 tok/s is", NumberStyle.RATIO, b -> b.treeRateRatio())),
                f.baselines(),
                List.of("no autoregressive run of that server is known: until there is one, every speed-up is a"
                        + " prediction's"));
    }

    /** One row per workload and TP, one column per concurrency. */
    private static Block pivot(List<Pick> picks) {
        Map<List<Object>, Map<Integer, Pick>> rows = new LinkedHashMap<>();
        TreeSet<Integer> loads = new TreeSet<>();
        for (Pick p : picks) {
            loads.add(p.concurrency());
            rows.computeIfAbsent(List.of(p.workload(), p.tp()), k -> new LinkedHashMap<>())
                    .put(p.concurrency(), p);
        }
        List<Column<Map<Integer, Pick>>> columns = new ArrayList<>();
        columns.add(
                text("workload", "workload", r -> r.values().iterator().next().workload()));
        columns.add(column(
                "tp",
                "",
                "TP",
                NumberStyle.COUNT,
                r -> r.values().iterator().next().tp()));
        for (int c : List.of(1, 4, 16, 64)) {
            if (loads.contains(c)) {
                columns.add(text("c" + c, "c=" + c, r -> cell(r.get(c))));
            }
        }
        return new Block.Table<>(
                "Best method by workload, TP and concurrency",
                columns,
                List.copyOf(rows.values()),
                List.of(
                        "method, budget/top-k or drafts per round, speed-up over autoregressive decoding; every concurrency"
                                + " is in --format json and in the chart"));
    }

    private static String cell(Pick p) {
        return p == null ? null : p.arm() + "  " + NumberStyle.RATIO.show(p.speedupVsAr());
    }

    private static Block banded(List<Pick> picks) {
        return new Block.Table<>(
                "Best with bands",
                List.of(
                        DemoBlocks.<Pick>text("workload", "workload", Pick::workload),
                        column("tp", "", "TP", NumberStyle.COUNT, p -> p.tp()),
                        column("concurrency", "", "c", NumberStyle.COUNT, p -> p.concurrency()),
                        text("arm", "best", Pick::arm),
                        column("output_tok_s", "tok/s", "output", NumberStyle.RATE, Pick::outputTokS),
                        column("band", "tok/s", "band", NumberStyle.RATE, Pick::band),
                        column("speedup_vs_ar", "", "vs AR", NumberStyle.RATIO, Pick::speedupVsAr),
                        column("margin", "", "margin", NumberStyle.PERCENT, Pick::margin),
                        text("runner_up", "over", Pick::runnerUp),
                        Column.of("sure", "", "sure", NumberStyle.YES_NO, ALWAYS, Pick::sure),
                        Column.of("resident", "", "resident", NumberStyle.RATE, 6, Pick::residentRequests),
                        Column.of("bound_by", "", "bound by", NumberStyle.TEXT, 6, Pick::boundBy)),
                picks.stream().filter(p -> BANDED.contains(p.concurrency())).toList(),
                List.of("output is the replica's; eight cards hold eight replicas at TP 1, two at TP 4, one at TP 8"));
    }

    private static Block standIns(List<StandIn> all) {
        return new Block.Sentences(
                "Stand-ins for acceptance: figure, what it was measured on, leaning, source",
                all.stream()
                        .map(s -> s.workload() + " · " + s.methods() + ": " + s.figure() + ". Measured on "
                                + s.measuredOn() + "; " + s.leaning() + ". Source: " + s.source())
                        .toList());
    }
}
