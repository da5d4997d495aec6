package dev.foretoken.sim.whitebox;

import dev.foretoken.sim.method.DraftWork;
import dev.foretoken.sim.round.RoundTime;
import java.util.List;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.constraints.DoubleRange;
import net.jqwik.api.constraints.IntRange;

class WhiteBoxProperties {
    private static final String SEED = "20261130";
    private static final double EPS = 1e-9;

    private record Arm(String name, int width, DraftWork work) {}

    private static final List<Arm> ARMS = List.of(
            new Arm("autoregressive", 1, DraftWork.NONE),
            new Arm("mtp", 4, new DraftWork(DraftWork.Kind.MTP_HEAD, 3, 1, 0, false)),
            new Arm("block", 8, new DraftWork(DraftWork.Kind.BLOCK, 1, 8, 0, false)),
            new Arm("tree", 33, new DraftWork(DraftWork.Kind.BLOCK, 1, 8, 32, true)),
            new Arm("lookup", 13, new DraftWork(DraftWork.Kind.LOOKUP, 1, 0, 0, false)));

    private static final Kernels PACKED = Synthetic.kernels();
    private static final Kernels TILED = Synthetic.kernels("fa2", null, Mode.SERVING);

    private record Case(Arm arm, WhiteBox box) {}

    @Provide
    Arbitrary<Case> cases() {
        return Arbitraries.of(ARMS)
                .flatMap(arm -> Arbitraries.of(PACKED, TILED)
                        .flatMap(k -> Arbitraries.of(true, false)
                                .flatMap(overlap -> Arbitraries.of(1, 2, 4)
                                        .map(tp -> new Case(
                                                arm,
                                                Synthetic.box(
                                                        k, tp, Synthetic.shape(arm.width, arm.work, overlap)))))));
    }

    @Property(seed = SEED, tries = 300)
    boolean termsMinusHiddenSumToTheRound(
            @ForAll("cases") Case c,
            @ForAll @IntRange(min = 1, max = 300) int n,
            @ForAll @DoubleRange(min = 0, max = 50000) double context) {
        RoundTime t = c.box.explain(n, (long) n * c.arm.width, context, context * 1.5);
        double sum = t.termsMs().values().stream().mapToDouble(v -> v).sum() - t.hiddenMs();
        return Math.abs(sum - t.roundMs()) <= EPS * t.roundMs()
                && t.roundMs() == c.box.roundMs(n, (long) n * c.arm.width, context, context * 1.5)
                && t.termsMs().values().stream().allMatch(v -> v >= 0);
    }

    @Property(seed = SEED, tries = 300)
    boolean timeNeverFallsInContextOrRequests(
            @ForAll("cases") Case c,
            @ForAll @IntRange(min = 1, max = 300) int n,
            @ForAll @IntRange(min = 0, max = 300) int more,
            @ForAll @DoubleRange(min = 0, max = 50000) double context,
            @ForAll @DoubleRange(min = 0, max = 50000) double longer) {
        int w = c.arm.width;
        double base = c.box.roundMs(n, (long) n * w, context, context);
        return c.box.roundMs(n, (long) n * w, context + longer, context + longer) >= base * (1 - EPS)
                && c.box.roundMs(n + more, (long) (n + more) * w, context, context) >= base * (1 - EPS)
                && c.box.roundMs(n, (long) n * w + more, context, context) >= base * (1 - EPS);
    }

    @Property(seed = SEED, tries = 200)
    boolean productsPerCardFallInTp(
            @ForAll @IntRange(min = 1, max = 512) int rows, @ForAll @IntRange(min = 0, max = 1) int step) {
        int tp = 1 << step;
        RoundShape s = Synthetic.shape(1, DraftWork.NONE, true);
        RoundTime few = Synthetic.box(PACKED, tp, s).explain(rows, rows, 1000, 1000);
        RoundTime more = Synthetic.box(PACKED, 2 * tp, s).explain(rows, rows, 1000, 1000);
        for (String term : List.of("weights", "lm_head", "recurrent_state")) {
            if (more.termsMs().get(term) > few.termsMs().get(term) * (1 + EPS)) {
                return false;
            }
        }
        return true;
    }

    @Property(seed = SEED, tries = 100)
    boolean oneCardHasNoAllReduce(@ForAll @IntRange(min = 1, max = 512) int rows) {
        return ARMS.stream()
                .allMatch(a -> Synthetic.box(PACKED, 1, Synthetic.shape(a.width, a.work, true))
                                .explain(rows, (long) rows * a.width, 100, 100)
                                .termsMs()
                                .get("all_reduce")
                        == 0);
    }

    @Property(seed = SEED, tries = 100)
    boolean aPromptBesideDecodeRowsNeverShortensTheRound(
            @ForAll("cases") Case c,
            @ForAll @IntRange(min = 1, max = 128) int n,
            @ForAll @IntRange(min = 1, max = 4096) int prompt) {
        long rows = (long) n * c.arm.width;
        // without host time, which a mixed round charges differently
        double decode = c.box.explain(n, rows, 1000, 1000).termsMs().entrySet().stream()
                .filter(e -> !e.getKey().equals("host")
                        && !e.getKey().equals("lm_head")
                        && !e.getKey().equals("sampler"))
                .mapToDouble(java.util.Map.Entry::getValue)
                .sum();
        return c.box.mixedRoundMs(n, rows, 1000, 1000, prompt, 0) >= decode * (1 - 1e-6);
    }
}
