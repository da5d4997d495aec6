package dev.foretoken.cli.demo;

import dev.foretoken.sim.acceptance.AcceptanceForm;
import dev.foretoken.sim.acceptance.AcceptanceLaw;
import dev.foretoken.sim.acceptance.Laws;
import dev.foretoken.sim.acceptance.PmfLaw;
import dev.foretoken.sim.acceptance.Renewal;
import dev.foretoken.sim.method.Arm;
import dev.foretoken.sim.method.Method;
import dev.foretoken.sim.result.Result;
import dev.foretoken.sim.round.RoundTime;
import dev.foretoken.sim.round.RoundTimes;
import dev.foretoken.sim.scenario.EngineSettings;
import dev.foretoken.sim.scenario.Scenario;
import dev.foretoken.sim.scenario.Workload;
import dev.foretoken.validation.compare.Conditions;
import dev.foretoken.validation.compare.Guards;
import java.util.ArrayList;
import java.util.List;

/**
 * The founding case: what three rates of one stream say, what two other figures do not say, the missing baseline, and the best
 * arm everywhere.
 *
 * @param name of the scenario
 * @param points of the grid
 * @param infeasible points that do not fit in memory
 * @param impliedLengths accept lengths behind 100, 123.5 and 124 tok/s
 * @param onePrompt what one prompt can say
 * @param shortAnswers answers of three tokens
 * @param baselines autoregressive decoding of one stream by TP
 * @param notABaseline why 59.36 tok/s is none, each a sentence
 * @param picks best arm per workload, TP and concurrency
 * @param standIns where the acceptance comes from
 * @param warnings of the grid
 */
record FoundingCase(
        String name,
        int points,
        int infeasible,
        List<ImpliedLength> impliedLengths,
        OnePrompt onePrompt,
        List<ShortAnswer> shortAnswers,
        List<Baseline> baselines,
        List<String> notABaseline,
        List<Pick> picks,
        List<StandIn> standIns,
        List<String> warnings) {

    /** Rates of one stream that were reported at TP 1, tokens/s. */
    static final List<Double> RATES = List.of(100.0, 123.5, 124.0);

    /** The rate of one prompt among them, tokens/s. */
    static final double ONE_PROMPT_RATE = 123.5;

    /** A reported answer of few tokens, and its rate in tokens/s. */
    static final int SHORT_TOKENS = 3;

    static final double SHORT_RATE = 14.7;

    /** A rate reported at TP 2, tokens/s. */
    static final double OTHER_RATE = 59.36;

    static final int OTHER_TP = 2;

    /** Variance of a request's mean over that of independent rounds, from logged rounds (hxri/ddtreeplus@cfdb5f8). */
    static final double OVERDISPERSION = 2.1;

    private static final double Z90 = 1.6448536269514722;
    private static final double Z95 = 1.959963984540054;
    private static final String CHAIN = "dflash-linear";
    private static final String TREE = "ddtree";
    private static final int BLOCK = 16;
    private static final List<Integer> BUDGETS = List.of(32, 64, 128);
    private static final List<Integer> PROMPTS = List.of(128, 512, 2048);

    /**
     * What the rate of one prompt says, under the law that stands in for the workload.
     *
     * @param acceptLength tokens per round of the law
     * @param outputTokens tokens of the answer
     * @param rounds rounds of the answer
     * @param meanTokS mean rate, tokens/s
     * @param lowTokS rate that 5 % of prompts stay below
     * @param highTokS rate that 5 % of prompts exceed
     * @param promptsForOnePercent prompts for a mean within 1 %, 95 % confidence
     * @param promptsForFivePercent prompts for a mean within 5 %
     */
    record OnePrompt(
            double acceptLength,
            int outputTokens,
            double rounds,
            double meanTokS,
            double lowTokS,
            double highTokS,
            int promptsForOnePercent,
            int promptsForFivePercent) {}

    /**
     * An answer of three tokens from one stream.
     *
     * @param method method
     * @param budget its budget, null without one
     * @param promptTokens prompt
     * @param firstTokenMs time to the first token, ms
     * @param roundMs a round, ms
     * @param rounds rounds for the other two tokens
     * @param tokS tokens over the whole time, tokens/s
     * @param firstTokenShare share of the time before the first token
     * @param tokSNoneAccepted the same if no draft were accepted, tokens/s
     * @param tokSAllAccepted the same if every draft were, tokens/s
     * @param promptAtReportedRate prompt at which the model gives the reported rate, tokens; null when none does
     */
    record ShortAnswer(
            String method,
            Integer budget,
            int promptTokens,
            double firstTokenMs,
            double roundMs,
            double rounds,
            double tokS,
            double firstTokenShare,
            double tokSNoneAccepted,
            double tokSAllAccepted,
            Double promptAtReportedRate) {}

    /**
     * Autoregressive decoding of one stream.
     *
     * @param tp cards
     * @param roundMs a round, ms
     * @param tokS tokens/s
     * @param boundBy what bounds the round
     * @param chainRateRatio 100 tok/s over it, where that rate was measured at this TP; else null
     * @param treeRateRatio 124 tok/s over it, alike
     */
    record Baseline(int tp, double roundMs, double tokS, String boundBy, Double chainRateRatio, Double treeRateRatio) {}

    /**
     * Works the case out.
     *
     * @param result explore's, of the whole grid
     */
    static FoundingCase of(Scenario scenario, RoundTimes times, Result result) {
        return new Study(scenario, times).study(result);
    }

    /** The single streams of the first workload at TP 1. */
    private record Study(Scenario scenario, RoundTimes times) {
        private Workload workload() {
            return scenario.workloads().get(0);
        }

        private int osl() {
            return workload().osl().max();
        }

        private Arm arm(String id, Integer block, Integer budget, Integer topK) {
            return scenario.methods().stream()
                    .filter(m -> m.id().equals(id))
                    .flatMap(m -> Arm.expand(m).stream())
                    .filter(a -> block == null || block.equals(a.integer(Method.BLOCK)))
                    .filter(a -> budget == null || budget.equals(a.budget()))
                    .filter(a -> topK == null || topK.equals(a.topK()))
                    .findFirst()
                    .orElseThrow(() -> new IllegalStateException("the founding case has no arm " + id));
        }

        private EngineSettings engine(Arm arm) {
            return scenario.engine().overriddenBy(arm.engine());
        }

        private RoundTime round(Arm arm, int tp, double context) {
            EngineSettings engine = engine(arm);
            int width = arm.method().verifyWidth(arm, engine.name());
            return times.of(arm, engine, tp).model().explain(1, width, context, context);
        }

        private double prefillMs(Arm arm, double promptTokens) {
            return times.of(arm, engine(arm), 1).prefill().ms(promptTokens);
        }

        FoundingCase study(Result result) {
            List<ImpliedLength> implied = new ArrayList<>();
            for (double rate : RATES) {
                implied.add(implied(rate, arm(CHAIN, BLOCK, null, null)));
                for (int budget : BUDGETS) {
                    implied.add(implied(rate, arm(TREE, null, budget, 8)));
                }
            }
            List<ShortAnswer> shortAnswers = new ArrayList<>();
            for (Arm arm : List.of(
                    arm("autoregressive", null, null, null),
                    arm(CHAIN, BLOCK, null, null),
                    arm(TREE, null, BUDGETS.get(0), 8))) {
                for (int prompt : PROMPTS) {
                    shortAnswers.add(shortAnswer(arm, prompt));
                }
            }
            return new FoundingCase(
                    result.scenario(),
                    result.points().size(),
                    (int) result.points().stream().filter(p -> !p.feasible()).count(),
                    implied,
                    onePrompt(arm(TREE, null, BUDGETS.get(0), 8)),
                    shortAnswers,
                    baselines(),
                    notABaseline(),
                    Pick.of(result.points()),
                    DemoFiles.standIns(),
                    result.warnings());
        }

        private ImpliedLength implied(double rate, Arm arm) {
            double roundMs = round(arm, 1, workload().meanContextTokens()).roundMs();
            return ImpliedLength.of(
                    rate, arm, roundMs, prefillMs(arm, workload().isl().mean()), osl());
        }

        private AcceptanceLaw law(Arm arm) {
            AcceptanceForm form = workload().acceptanceOf(arm.id(), arm.kind());
            return form == null || !arm.speculative()
                    ? PmfLaw.ONE_TOKEN
                    : Laws.of(form, arm.method().design(arm)).central();
        }

        private OnePrompt onePrompt(Arm arm) {
            AcceptanceLaw law = law(arm);
            int tokens = osl() - 1;
            Renewal rounds = new Renewal(law, tokens);
            double mean = rounds.mean(tokens);
            double spread = Math.sqrt(OVERDISPERSION * rounds.variance(tokens)) / mean;
            double roundMs = round(arm, 1, workload().meanContextTokens()).roundMs();
            double rate = 1000 * tokens / (mean * roundMs);
            return new OnePrompt(
                    law.acceptLength(),
                    osl(),
                    mean,
                    rate,
                    rate / (1 + Z90 * spread),
                    rate / (1 - Z90 * spread),
                    prompts(spread, 0.01),
                    prompts(spread, 0.05));
        }

        private static int prompts(double spread, double within) {
            double n = Z95 * spread / within;
            return (int) Math.ceil(n * n);
        }

        private ShortAnswer shortAnswer(Arm arm, int prompt) {
            double roundMs = round(arm, 1, prompt + SHORT_TOKENS / 2.0).roundMs();
            double first = prefillMs(arm, prompt);
            int rest = SHORT_TOKENS - 1;
            double rounds = new Renewal(law(arm), rest).mean(rest);
            double ms = first + rounds * roundMs;
            double best = arm.speculative() ? 1 : rest;
            return new ShortAnswer(
                    arm.id(),
                    arm.budget(),
                    prompt,
                    first,
                    roundMs,
                    rounds,
                    1000 * SHORT_TOKENS / ms,
                    first / ms,
                    1000 * SHORT_TOKENS / (first + rest * roundMs),
                    1000 * SHORT_TOKENS / (first + best * roundMs),
                    promptAt(arm, 1000 * SHORT_TOKENS / SHORT_RATE - rounds * roundMs));
        }

        /** Prompt whose prefill takes so long, by bisection; null when none up to 100,000 tokens does. */
        private Double promptAt(Arm arm, double prefillMs) {
            double low = 1;
            double high = 100_000;
            if (prefillMs < prefillMs(arm, low) || prefillMs > prefillMs(arm, high)) {
                return null;
            }
            while (high - low > 0.5) {
                double middle = (low + high) / 2;
                if (prefillMs(arm, middle) < prefillMs) {
                    low = middle;
                } else {
                    high = middle;
                }
            }
            return (double) Math.round((low + high) / 2);
        }

        private List<Baseline> baselines() {
            Arm ar = arm("autoregressive", null, null, null);
            List<Baseline> all = new ArrayList<>();
            for (int tp : List.of(1, OTHER_TP, 4, 8)) {
                RoundTime t = round(ar, tp, workload().meanContextTokens());
                double rate = 1000 / t.roundMs();
                all.add(new Baseline(
                        tp, t.roundMs(), rate, t.boundBy(), tp == 1 ? 100 / rate : null, tp == 1 ? 124 / rate : null));
            }
            return all;
        }

        /** Every difference of conditions between the rates at TP 1 and the one at TP 2, and what a baseline would need. */
        private List<String> notABaseline() {
            List<String> why = new ArrayList<>();
            why.addAll(conditions(scenario.hardware().gpu(), 1)
                    .differences(conditions("another machine's, not named", OTHER_TP)));
            why.add("method: drafting against drafting another way; a baseline decodes without drafts");
            why.addAll(Guards.warnings(new Guards.Facts(null, null, ONE_PROMPT_RATE, null, null, null, false, false)));
            return why;
        }

        private Conditions conditions(String card, int tp) {
            return new Conditions(card, tp, null, null, null, null, null, null, null, null, null, null, null, null);
        }
    }
}
