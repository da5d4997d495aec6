package dev.foretoken.sim.oracle;

import dev.foretoken.sim.acceptance.AcceptanceForm;
import dev.foretoken.sim.acceptance.Design;
import dev.foretoken.sim.acceptance.Laws;
import dev.foretoken.sim.acceptance.MarkovModulatedChain;
import dev.foretoken.sim.acceptance.PmfLaw;
import dev.foretoken.sim.acceptance.Renewal;
import dev.foretoken.sim.acceptance.ServedAcceptLength;
import dev.foretoken.sim.acceptance.Survival;
import dev.foretoken.sim.acceptance.TruncatedGeometric;
import dev.foretoken.sim.acceptance.UnlimitedChain;
import dev.foretoken.sim.formula.ClosedLoop;
import dev.foretoken.sim.formula.KvCapacity;
import dev.foretoken.sim.formula.Padding;
import dev.foretoken.sim.formula.Queues;
import dev.foretoken.sim.formula.Roofline;
import dev.foretoken.sim.formula.RoundClock;
import dev.foretoken.sim.formula.Speedup;
import dev.foretoken.sim.statistics.Bilinear;
import dev.foretoken.sim.statistics.Hinge;
import dev.foretoken.sim.statistics.Isotonic;
import dev.foretoken.sim.statistics.MeanInterval;
import dev.foretoken.sim.statistics.Mser5;
import dev.foretoken.sim.statistics.Pareto;
import dev.foretoken.sim.statistics.PredictionErrors;
import dev.foretoken.sim.statistics.Tost;
import dev.foretoken.sim.statistics.Variances;
import dev.foretoken.sim.tree.BatchAllocation;
import dev.foretoken.sim.tree.BestFirst;
import dev.foretoken.sim.tree.CostAwareBudget;
import dev.foretoken.sim.tree.DraftTree;
import dev.foretoken.sim.tree.FullTree;
import dev.foretoken.sim.tree.RankScores;
import dev.foretoken.sim.tree.Sequoia;
import dev.foretoken.sim.tree.TreeOptions;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.function.IntToDoubleFunction;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** What each formula name computes, from the project's own code. */
final class OracleFormulas {
    private static final Map<String, Function<Inputs, double[]>> FORMULAS = new TreeMap<>();

    private OracleFormulas() {}

    static double[] compute(String formula, Inputs inputs) {
        Function<Inputs, double[]> f = FORMULAS.get(formula);
        if (f == null) {
            throw new AssertionError("unknown formula '" + formula + "'; known: " + FORMULAS.keySet());
        }
        return f.apply(inputs);
    }

    private static void number(String name, Function<Inputs, Number> f) {
        FORMULAS.put(name, in -> new double[] {f.apply(in).doubleValue()});
    }

    private static void numbers(String name, Function<Inputs, double[]> f) {
        FORMULAS.put(name, f);
    }

    private static double[] list(double... values) {
        return values;
    }

    static {
        chains();
        rounds();
        trees();
        budgets();
        fits();
        simulationStatistics();
        queues();
        rounds2();
        steps();
        validation();
    }

    // ---- chains
    // -------------------------------------------------------------------------------------------------------

    private static double tau(Inputs in) {
        return in.has("gamma")
                ? TruncatedGeometric.acceptLength(in.number("alpha"), in.integer("gamma"))
                : TruncatedGeometric.unlimitedAcceptLength(in.number("alpha"));
    }

    private static void chains() {
        number("chain.iid.tau", OracleFormulas::tau);
        number(
                "chain.iid.walltime_speedup",
                in -> Speedup.wallTime(in.number("alpha"), in.integer("gamma"), in.number("c")));
        number("chain.iid.optimal_length", in -> Speedup.optimalLength(in.number("alpha"), in.number("c")));
        number(
                "chain.iid.operations_factor",
                in -> Speedup.operationsFactor(in.number("alpha"), in.integer("gamma"), in.number("c_hat")));
        number("chain.survival.tau", in -> {
            double[] survival = in.numbers("cumulative");
            return PmfLaw.ofSurvival(survival).acceptLength();
        });
        numbers("chain.survival.tau_and_draft_rate", in -> {
            double[] survival = in.numbers("cumulative");
            return list(PmfLaw.ofSurvival(survival).acceptLength(), Survival.draftRate(survival));
        });
        numbers("chain.survival.conditional", in -> Survival.toConditional(in.numbers("cumulative")));
        number(
                "chain.conditional.tau",
                in -> Survival.acceptLength(Survival.fromConditional(in.numbers("conditional"))));
        numbers("chain.conditional.tau_and_pmf", in -> {
            double[] survival = Survival.fromConditional(in.numbers("conditional"));
            double[] pmf = Survival.toPmf(survival);
            double[] out = new double[pmf.length + 1];
            out[0] = Survival.acceptLength(survival);
            System.arraycopy(pmf, 0, out, 1, pmf.length);
            return out;
        });
        number(
                "chain.beta_mixed.tau",
                in -> PmfLaw.betaMixed(in.number("a"), in.number("b"), in.integer("gamma"))
                        .acceptLength());
        numbers("chain.markov_modulated", in -> {
            MarkovModulatedChain.Moments m = new MarkovModulatedChain(
                            in.number("p01"),
                            in.number("p10"),
                            in.number("alpha0"),
                            in.number("alpha1"),
                            in.integer("gamma"))
                    .moments();
            return list(m.acceptLength(), m.variance(), m.lag1(), m.inflation());
        });
        number("classes.equal_tokens.tau", in -> {
            double[] shares = new double[in.numbers("alphas").length];
            Arrays.fill(shares, 1);
            return ServedAcceptLength.tokenWeighted(shares, classTaus(in));
        });
        number(
                "classes.token_share.tau",
                in -> ServedAcceptLength.tokenWeighted(in.numbers("token_share"), classTaus(in)));
    }

    private static double[] classTaus(Inputs in) {
        return Arrays.stream(in.numbers("alphas"))
                .map(alpha -> in.has("gamma")
                        ? TruncatedGeometric.acceptLength(alpha, in.integer("gamma"))
                        : TruncatedGeometric.unlimitedAcceptLength(alpha))
                .toArray();
    }

    // ---- rounds per answer
    // --------------------------------------------------------------------------------------------

    private static double[] meanAndVariance(double[] pmf, int tokens) {
        Renewal renewal = new Renewal(pmf, tokens);
        return list(renewal.mean(tokens), renewal.variance(tokens));
    }

    /** Mean and variance of the rounds for N tokens with or without an end of the chain. */
    private static double[] roundsOf(Inputs in) {
        int n = in.integer("N");
        if (in.has("gamma")) {
            return meanAndVariance(
                    PmfLaw.iid(in.number("alpha"), in.integer("gamma")).pmf(), n);
        }
        UnlimitedChain chain = new UnlimitedChain(in.number("alpha"), n);
        return list(chain.meanRounds(), chain.varianceOfRounds());
    }

    private static void rounds() {
        numbers("rounds.renewal.mean_var", OracleFormulas::roundsOf);
        numbers("rounds.unlimited.mean_var", OracleFormulas::roundsOf);
        number(
                "rounds.deterministic",
                in -> ClosedLoop.Lockstep.rounds(in.integer("N"), in.integer("accepted_per_round") + 1));
        number("rounds.renewal.asymptotic_mean", in -> {
            double alpha = in.number("alpha");
            if (in.has("gamma")) {
                return Renewal.asymptoticMean(
                        PmfLaw.iid(alpha, in.integer("gamma")).pmf(), in.number("N"));
            }
            double mean = TruncatedGeometric.unlimitedAcceptLength(alpha);
            return Renewal.asymptoticMean(mean, (1 + alpha) * mean * mean, in.number("N"));
        });
        numbers(
                "rounds.histogram.mean_var",
                in -> meanAndVariance(Survival.pmfFromCounts(in.numbers("counts")), in.integer("N")));
    }

    // ---- trees
    // --------------------------------------------------------------------------------------------------------

    private static DraftTree tree(RankScores scores, int budget, Inputs in) {
        int topK = in.integer("topk", TreeOptions.UNLIMITED);
        return BestFirst.build(scores, TreeOptions.budget(budget).withTopK(topK));
    }

    private static double[] taus(Inputs in, double kappa) {
        RankScores scores = RankScores.probabilities(in.matrix("marginals"));
        return Arrays.stream(in.integers("budgets"))
                .mapToDouble(b -> tree(scores, b, in).expectedTokens(scores, kappa))
                .toArray();
    }

    private static double[] sequoiaRanks(Inputs in) {
        double[] vector = in.numbers("acceptance_vector");
        return Arrays.copyOfRange(vector, 1, vector.length);
    }

    private static int largest(int[] values) {
        return Arrays.stream(values).max().orElseThrow();
    }

    private static void trees() {
        numbers("tree.ddtree.tau", in -> taus(in, 1));
        numbers("tree.ddtree.kappa_tau", in -> taus(in, in.number("kappa")));
        numbers("tree.ddtree.nodes_by_depth", in -> {
            RankScores scores = RankScores.probabilities(in.matrix("marginals"));
            int[] counts = tree(scores, in.integer("budget"), in).nodesByDepth();
            return Arrays.stream(Arrays.copyOf(counts, scores.depth()))
                    .asDoubleStream()
                    .toArray();
        });
        number("tree.ddtree.topk1_tau", in -> {
            RankScores scores = RankScores.probabilities(in.matrix("marginals"));
            return tree(scores, in.integer("budget"), in).expectedTokens(scores);
        });
        number("tree.full_kary.tau", in -> FullTree.expectedTokens(in.numbers("rank_probs"), in.integer("depth")));
        numbers("tree.sequoia.max_tokens", in -> {
            int[] sizes = in.integers("sizes");
            int levels = in.integer("max_levels");
            Sequoia dp = new Sequoia(sequoiaRanks(in), largest(sizes), levels);
            return Arrays.stream(sizes)
                    .mapToDouble(n -> dp.expectedTokens(n, levels))
                    .toArray();
        });
        numbers("tree.sequoia.hardware_aware", in -> {
            int[] sizes = in.integers("sizes");
            Sequoia dp = new Sequoia(sequoiaRanks(in), largest(sizes), in.integer("max_levels"));
            Sequoia.Choice c = dp.cheapest(sizes, in.numbers("target_time"), in.number("draft_time"));
            return list(c.timePerToken(), c.size(), c.levels());
        });
        numbers("tree.sequoia.depth_limited", in -> {
            int[] levels = in.integers("levels");
            int size = in.integer("size");
            Sequoia dp = new Sequoia(sequoiaRanks(in), size, largest(levels));
            return Arrays.stream(levels)
                    .mapToDouble(l -> dp.expectedTokens(size, l))
                    .toArray();
        });
        numbers("tree.sequoia.equals_best_first", in -> {
            double[] ranks = in.numbers("rank_probs");
            int depth = in.integer("depth");
            int size = in.integer("budget_nodes") + 1;
            double[][] rows = new double[depth][];
            Arrays.fill(rows, ranks);
            RankScores scores = RankScores.probabilities(rows);
            return list(
                    new Sequoia(ranks, size, depth + 1).expectedTokens(size, depth + 1),
                    tree(scores, size - 1, in).expectedTokens(scores));
        });
        number("acceptance.srt.tau", in -> {
            AcceptanceForm.Srt form = AcceptanceForm.Srt.of(
                    in.number("a"),
                    in.number("b"),
                    in.number("c1"),
                    in.number("sigma"),
                    in.number("rho"),
                    in.number("kappa"),
                    in.integer("D"),
                    in.integer("K"));
            Design design =
                    new Design.Tree(in.integer("D"), in.integer("topk", TreeOptions.UNLIMITED), in.integer("B"), false);
            return Laws.of(form, design).central().acceptLength();
        });
        numbers("acceptance.histogram.tau_and_conditional", in -> {
            PmfLaw law = PmfLaw.ofCounts(in.numbers(in.keyStarting("counts")));
            double[] conditional = Survival.toConditional(Survival.fromPmf(law.pmf()));
            return list(law.acceptLength(), conditional[0], conditional[4], conditional[14]);
        });
    }

    // ---- budgets
    // ------------------------------------------------------------------------------------------------------

    /** Cd + Cv(n), where Cv is a list, a number or an expression in n. */
    private static IntToDoubleFunction cost(Inputs in) {
        double draft = in.number("Cd");
        if (in.isText("Cv")) {
            return n -> draft + Expression.evaluate(in.text("Cv"), "n", n);
        }
        double[] verify = in.numbers("Cv");
        return n -> draft + (verify.length == 0 ? in.number("Cv") : verify[n]);
    }

    private static void budgets() {
        numbers("budget.cost_aware.linear", in -> {
            RankScores scores = RankScores.probabilities(in.matrix("marginals"));
            double[] gains = tree(scores, in.integer("max_nodes"), in).pathProbabilities(scores);
            int best = CostAwareBudget.best(gains, cost(in));
            return list(
                    CostAwareBudget.firstDecrease(gains, cost(in)), best, CostAwareBudget.rate(gains, cost(in), best));
        });
        numbers("budget.cost_aware.staircase", in -> {
            double[] gains = in.numbers("deltas");
            int greedy = CostAwareBudget.firstDecrease(gains, cost(in));
            int best = CostAwareBudget.best(gains, cost(in));
            return list(
                    greedy,
                    best,
                    CostAwareBudget.rate(gains, cost(in), greedy),
                    CostAwareBudget.rate(gains, cost(in), best));
        });
        number("budget.batch_allocation.tau_sum", in -> {
            List<RankScores> requests = new ArrayList<>();
            for (double[][] m : in.matrices("marginals")) {
                requests.add(RankScores.probabilities(m));
            }
            List<DraftTree> trees =
                    BatchAllocation.allocate(requests, in.integer("C"), in.integer("topk", TreeOptions.UNLIMITED));
            double sum = 0;
            for (int i = 0; i < trees.size(); i++) {
                sum += trees.get(i).expectedTokens(requests.get(i));
            }
            return sum;
        });
        numbers("budget.goodput_chain_length", in -> {
            int[] range = in.integers("k_range");
            int batch = in.integer("B");
            double alpha = in.number("alpha");
            int best = Speedup.goodputLength(
                    batch, alpha, in.number("W"), in.number("c"), in.number("d"), range[0], range[1]);
            return list(best, Speedup.goodput(batch, alpha, best, in.number("W"), in.number("c"), in.number("d")));
        });
        number(
                "speedup.draft_verify_target",
                in -> Speedup.ofTimes(
                        tau(in), in.integer("gamma"), in.number("T_D"), in.number("T_V"), in.number("T_T")));
        number(
                "breakeven.concurrency",
                in -> Speedup.breakEvenBatch(
                        in.number("tau"), in.number("W"), in.number("c"), in.number("d"), in.integer("gamma")));
        numbers("opt.pareto", in -> {
            double[][] points = in.matrix("points");
            return Pareto.front(
                            Arrays.stream(points).mapToDouble(p -> p[0]).toArray(),
                            Arrays.stream(points).mapToDouble(p -> p[1]).toArray())
                    .stream()
                    .mapToDouble(Integer::doubleValue)
                    .toArray();
        });
        number(
                "opt.largest_batch_under_slo",
                in -> Speedup.largestBatch(
                        in.number("slo"), in.number("tau"), in.number("W"), in.number("c"), in.integer("gamma")));
    }

    // ---- fits
    // ---------------------------------------------------------------------------------------------------------

    private static void fits() {
        numbers("fit.pava", in -> {
            double[] y = in.numbers("y");
            for (String key : new String[] {"w", "weights"}) {
                if (in.has(key)) {
                    return Isotonic.fit(y, in.numbers(key));
                }
            }
            return Isotonic.fit(y);
        });
        number("fit.hinge_breakpoint", in -> new Hinge(in.number("a"), in.number("b"), in.number("c")).breakpoint());
        number(
                "fit.delta_method_cv",
                in -> Variances.ratioCv(in.number("cv_tau"), in.number("cv_t"), in.number("r", 0)));
        number("fit.bilinear_log2m_kv", in -> {
            Inputs grid = in.inner("grid");
            return new Bilinear(grid.numbers("m"), grid.numbers("kv"), grid.matrix("t"))
                    .at(in.number("m"), in.number("kv"));
        });
    }

    // ---- statistics of simulations
    // ------------------------------------------------------------------------------------

    private static final Pattern SERIES = Pattern.compile("\\s*x_i\\s*=\\s*(.*),\\s*i\\s*=\\s*(\\d+)\\.\\.(\\d+)\\s*");

    /** A series as a list, or as "x_i = expression, i=0..n". */
    private static double[] series(Inputs in) {
        if (!in.isText("series")) {
            return in.numbers("series");
        }
        Matcher m = SERIES.matcher(in.text("series"));
        if (!m.matches()) {
            throw new IllegalArgumentException("cannot read the series " + in.text("series"));
        }
        int from = Integer.parseInt(m.group(2));
        double[] x = new double[Integer.parseInt(m.group(3)) - from + 1];
        for (int i = 0; i < x.length; i++) {
            x[i] = Expression.evaluate(m.group(1), "i", from + i);
        }
        return x;
    }

    private static void simulationStatistics() {
        numbers("des.mser5", in -> {
            Mser5 m = Mser5.of(series(in));
            return list(m.truncation(), m.statistic());
        });
        numbers("des.batch_means_ci", in -> {
            MeanInterval m = MeanInterval.of(in.numbers("batch_means"), in.number("conf", 0.95));
            return list(m.mean(), m.halfWidth());
        });
        number("des.ar1_variance_factor", in -> Variances.ar1Factor(in.number("phi")));
        number("des.ar1_variance_factor_finite", in -> Variances.ar1Factor(in.number("phi"), in.integer("n")));
        number("des.crn_variance_ratio", in -> Variances.commonRandomNumbersRatio(in.number("rho")));
        number(
                "des.replications_needed",
                in -> MeanInterval.replicationsNeeded(in.number("cv"), in.number("eps"), in.number("conf", 0.95)));
        number(
                "des.replications_needed_adjusted",
                in -> MeanInterval.replicationsNeededAdjusted(
                        in.number("cv"), in.number("eps"), in.number("conf", 0.95)));
    }

    // ---- queues
    // -------------------------------------------------------------------------------------------------------

    private static double[] closed(ClosedLoop c) {
        return list(c.throughput(), c.inStation(), c.responseTime(), c.allInStation());
    }

    private static void queues() {
        numbers("queue.mm1", in -> {
            Queues.Open q = Queues.mm1(in.number("lam"), in.number("mu"));
            return list(q.numberInSystem(), q.timeInSystem(), q.waitTime());
        });
        number(
                "queue.md1.wait",
                in -> Queues.md1(in.number("lam"), in.number("s")).waitTime());
        numbers(
                "queue.dd1",
                in -> list(
                        Queues.dd1Wait(in.number("interarrival"), in.number("service"), in.integer("n")),
                        Queues.dd1Completion(in.number("interarrival"), in.number("service"), in.integer("n"))));
        number(
                "queue.dd1_overloaded_wait",
                in -> Queues.dd1Wait(in.number("interarrival"), in.number("service"), in.integer("n")));
        numbers("queue.mg1_rounds", in -> {
            double[] rounds = roundsOf(in);
            double t = in.number("t");
            Queues.Open q = Queues.mg1(in.number("lam"), t * rounds[0], t * t * (rounds[1] + rounds[0] * rounds[0]));
            return list(q.utilisation(), q.serviceTime(), q.waitTime());
        });
        numbers(
                "queue.machine_repair",
                in -> closed(ClosedLoop.of(in.integer("N"), in.number("Z"), n -> in.number("mu"))));
        numbers("queue.closed_mmm", in -> {
            int servers = in.integer("servers");
            return closed(ClosedLoop.of(in.integer("N"), in.number("Z"), n -> in.number("mu") * Math.min(n, servers)));
        });
        numbers("queue.closed_load_dependent", in -> {
            Hinge round = new Hinge(in.number("W"), 0, in.number("c") * (in.integer("gamma") + 1));
            return closed(ClosedLoop.of(
                    in.integer("N"), in.number("Z"), n -> n * in.number("tau") / round.at(n) / in.number("L")));
        });
        numbers(
                "queue.closed_bounds",
                in -> list(
                        ClosedLoop.throughputBound(in.integer("N"), in.number("D"), in.number("Z")),
                        ClosedLoop.saturationClients(in.number("D"), in.number("Z"))));
        numbers("closed.deterministic", in -> {
            int n = in.integer("N");
            double round = in.number("t0") + in.number("c") * n * (in.integer("gamma") + 1);
            ClosedLoop.Lockstep l = ClosedLoop.Lockstep.of(n, in.integer("L"), in.integer("accepted") + 1, round);
            return list(l.rounds(), l.makespan(), l.tokensPerTime());
        });
        number("little.in_flight", in -> ClosedLoop.inFlight(in.number("tok_per_s") / in.number("L"), in.number("R")));
    }

    // ---- round clocks and static batches
    // ------------------------------------------------------------------------------

    private static void rounds2() {
        numbers("round.sync_engine_one_round", in -> {
            int rounds = in.integer("rounds", 1);
            double wait = RoundClock.syncEngineWait(in.number("lam"), in.number("t"), rounds);
            return list(wait, wait + rounds * in.number("t"));
        });
        number("round.free_clock_mean_latency", in -> RoundClock.freeClockLatency(in.number("t"), roundsOf(in)[0]));
        number("static_batch.straggler", in -> {
            double[] cdf = in.has("gamma")
                    ? Renewal.roundsCdf(
                            PmfLaw.iid(in.number("alpha"), in.integer("gamma")).pmf(), in.integer("N"))
                    : new UnlimitedChain(in.number("alpha"), in.integer("N")).roundsCdf();
            return RoundClock.slowestOf(cdf, in.integer("B"));
        });
    }

    // ---- memory and steps
    // ---------------------------------------------------------------------------------------------

    private static void steps() {
        number(
                "memory.kv_capacity",
                in -> KvCapacity.requests(
                        in.number("kv_bytes"),
                        in.number("bytes_per_token"),
                        (long) in.number("isl") + (long) in.number("osl") + (long) in.number("tree_slack", 0),
                        in.integer("block", 1)));
        number(
                "step.saturation_tokens",
                in -> Roofline.saturationTokens(
                        in.number("peak_flops"), in.number("bw"), in.number("bytes_per_param")));
        number(
                "step.roofline_seconds",
                in -> new Roofline(
                                in.number("params"),
                                in.number("bytes_per_param"),
                                in.number("bw"),
                                in.number("peak_flops"),
                                in.integer("layers"),
                                in.integer("hidden"),
                                in.number("allreduce_bw"),
                                in.number("allreduce_lat"),
                                in.number("overhead", 0))
                        .seconds(in.number("m_tokens"), in.integer("tp", 1), in.number("kv_bytes", 0)));
        numbers("step.tiles_waves", in -> {
            int[] tile = in.integers("tile");
            Padding.Waves w = Padding.Waves.of(in.integer("M"), in.integer("N"), tile[0], tile[1], in.integer("sms"));
            return list(w.tiles(), w.waves(), w.efficiency());
        });
        numbers("step.graph_padding", in -> {
            int padded = Padding.toCaptured(in.integer("batch"), in.integers("capture_sizes"));
            return list(padded, (double) padded * (in.integer("budget") + 1));
        });
    }

    // ---- validation
    // ---------------------------------------------------------------------------------------------------

    private static void validation() {
        numbers("validation.summary", in -> {
            PredictionErrors e = errors(in);
            return list(e.meanAbsoluteRelativeError(), e.bias(), e.kendallTauB().orElseThrow(), e.regret());
        });
        numbers("validation.regret_and_tau_b", in -> {
            PredictionErrors e = errors(in);
            return list(e.regret(), e.kendallTauB().orElseThrow());
        });
        number(
                "validation.kendall_tau_b",
                in -> PredictionErrors.kendallTauB(in.numbers("predicted"), in.numbers("measured"))
                        .orElseThrow());
        numbers("validation.tost", in -> {
            Tost t = Tost.of(in.numbers("log_ratio"), in.number("margin"));
            return list(t.tLower(), t.tUpper(), t.pValue());
        });
    }

    private static PredictionErrors errors(Inputs in) {
        return new PredictionErrors(in.numbers("predicted"), in.numbers("measured"));
    }
}
