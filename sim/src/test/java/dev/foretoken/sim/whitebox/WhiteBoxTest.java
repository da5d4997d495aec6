package dev.foretoken.sim.whitebox;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.foretoken.sim.method.DraftWork;
import dev.foretoken.sim.model.Dtype;
import dev.foretoken.sim.model.Gemm;
import dev.foretoken.sim.model.Part;
import dev.foretoken.sim.profile.Profile;
import dev.foretoken.sim.round.GraphPadding;
import dev.foretoken.sim.round.RoundTime;
import java.util.List;
import org.junit.jupiter.api.Test;

class WhiteBoxTest {
    private static final DraftWork MTP = new DraftWork(DraftWork.Kind.MTP_HEAD, 3, 1, 0, false);
    private static final DraftWork TREE = new DraftWork(DraftWork.Kind.BLOCK, 1, 8, 31, true);

    private static WhiteBox autoregressive(int tp) {
        return Synthetic.box(Synthetic.kernels(), tp, Synthetic.shape(1, DraftWork.NONE, true));
    }

    @Test
    void weightsAndLmHeadStreamOnceAtFewRows() {
        RoundTime t = autoregressive(1).explain(1, 1, 1000, 1000);
        double bytes = 0;
        for (Gemm g : Synthetic.model().gemms(1)) {
            bytes += g.part() == Part.LM_HEAD ? 0 : g.bytes(Dtype.BF16);
        }
        // 1e6 bytes per us; the gate projection (n = 16) is timed as the smallest measured n, 64
        double gates = 2 * 2.0 * (64 - 16) * 1024 / 1e6 / 1e3;
        assertEquals(bytes / 1e6 / 1e3 + gates, t.termsMs().get("weights"), 1e-9);
        assertEquals(2.0 * 32768 * 1024 / 1e6 / 1e3, t.termsMs().get("lm_head"), 1e-9);
        assertEquals("host", t.boundBy()); // so small a model runs faster than its kernels are launched
        assertEquals("compute", autoregressive(1).explain(256, 4096, 10, 10).boundBy());
    }

    @Test
    void attentionReadsEveryCacheOnceWhenQueriesArePacked() {
        WhiteBox box = Synthetic.box(Synthetic.kernels(), 1, Synthetic.shape(4, MTP, true));
        // two layers: the time at KV 1 and every token's bytes cold, of 1,000 + 3 tokens of 8 requests
        double launch = 4 + 8 * Synthetic.kvBytes(2) / 1e6;
        double us = 2 * (launch + 8 * 1003 * Synthetic.kvBytes(2) / 1e6);
        assertEquals(us / 1e3, box.explain(8, 32, 1000, 1000).termsMs().get("attention"), 1e-9);
    }

    @Test
    void unequalContextsCostTheirStatedShare() {
        WhiteBox box = autoregressive(1);
        double mean = box.explain(8, 8, 1000, 1000).termsMs().get("attention");
        double longest = box.explain(8, 8, 5000, 5000).termsMs().get("attention");
        double ragged = box.explain(8, 8, 1000, 5000).termsMs().get("attention");
        assertEquals(mean + 0.05 * (longest - mean), ragged, 1e-12);
    }

    @Test
    void verificationWithoutPackingPaysTilesPerQueryHead() {
        Kernels packed = Synthetic.kernels("flashinfer", null, Mode.SERVING);
        Kernels tiled = Synthetic.kernels("vllm_flash_attn_fa2", null, Mode.SERVING);
        WhiteBox a = Synthetic.box(packed, 1, Synthetic.shape(4, MTP, true));
        WhiteBox b = Synthetic.box(tiled, 1, Synthetic.shape(4, MTP, true));
        double once = a.explain(64, 256, 1000, 1000).termsMs().get("attention");
        double tiles = b.explain(64, 256, 1000, 1000).termsMs().get("attention");
        assertTrue(tiles > 1.5 * once, tiles + " against " + once);
        assertTrue(
                b.notes().stream().anyMatch(n -> n.contains("fa2") && n.contains("64 query rows")),
                b.notes()::toString);
        // decoding alone is the same kernel call for both
        WhiteBox c = Synthetic.box(packed, 1, Synthetic.shape(1, DraftWork.NONE, true));
        WhiteBox d = Synthetic.box(tiled, 1, Synthetic.shape(1, DraftWork.NONE, true));
        assertEquals(c.roundMs(64, 64, 1000, 1000), d.roundMs(64, 64, 1000, 1000), 1e-12);
        // a prompt chunk in the batch takes packing and splitting away from decode rows too
        assertTrue(d.mixedRoundMs(64, 64, 1000, 1000, 256, 0) > c.mixedRoundMs(64, 64, 1000, 1000, 256, 0));
    }

    @Test
    void savedStatesAreWrittenPerTokenAndCopiedAtCommit() {
        WhiteBox box = Synthetic.box(Synthetic.kernels(), 1, Synthetic.shape(4, MTP, true));
        RoundTime t = box.explain(8, 32, 1000, 1000);
        double state = Synthetic.stateBytes(1);
        // two layers, each 2.5 us and one state read, four written, for eight sequences
        double recurrent = 2 * (2.5 + 8 * 5 * state / 1e6) / 1e3;
        assertEquals(recurrent, t.termsMs().get("recurrent_state"), 1e-3 * recurrent);
        assertEquals((2 + 2 * 8 * 2 * state / 1e6) / 1e3, t.termsMs().get("commit"), 1e-9);
    }

    @Test
    void replayedStatesCostOneMoreRecurrentPassInstead() {
        RoundShape s = Synthetic.shape(4, MTP, true);
        RoundShape replay =
                new RoundShape(4, MTP, null, null, 1, null, true, true, true, GraphPadding.NONE, HostTerms.PUBLISHED);
        RoundTime saved = Synthetic.box(Synthetic.kernels(), 1, s).explain(8, 32, 1000, 1000);
        RoundTime replayed = Synthetic.box(Synthetic.kernels(), 1, replay).explain(8, 32, 1000, 1000);
        // the chunk kernel over four tokens, in the verify pass and again at commit
        assertEquals(
                replayed.termsMs().get("recurrent_state"), replayed.termsMs().get("commit"), 1e-12);
        assertFalse(saved.termsMs().get("commit").equals(replayed.termsMs().get("commit")));
    }

    @Test
    void overlapHidesTheSmallerOfGpuAndHost() {
        Kernels k = Synthetic.kernels();
        WhiteBox with = Synthetic.box(k, 1, Synthetic.shape(32, TREE, true));
        WhiteBox without = Synthetic.box(k, 1, Synthetic.shape(32, TREE, false));
        RoundTime a = with.explain(4, 128, 1000, 1000);
        RoundTime b = without.explain(4, 128, 1000, 1000);
        double host = a.termsMs().get("host");
        // schedule 0.4, block graph 0.68, tree 0.5 and 31 x 4 nodes at 1 us, 4 layers x 40 nodes at 0.95 us
        assertEquals(0.4 + 0.68 + 0.5 + 0.124 + 0.152, host, 1e-12);
        assertEquals(b.roundMs() - host, Math.max(a.roundMs() == host ? 0 : a.roundMs(), b.roundMs() - host), 1e-9);
        assertEquals(0, b.hiddenMs());
        assertTrue(a.hiddenMs() > 0);
    }

    @Test
    void roundsOutsideTheGraphsLaunchEveryKernel() {
        RoundShape s = new RoundShape(
                1,
                DraftWork.NONE,
                null,
                null,
                1,
                null,
                false,
                false,
                true,
                new GraphPadding(List.of(1, 2, 4), true),
                HostTerms.PUBLISHED);
        WhiteBox box = Synthetic.box(Synthetic.kernels(), 1, s);
        double inside = box.explain(4, 4, 100, 100).termsMs().get("host");
        double outside = box.explain(5, 5, 100, 100).termsMs().get("host");
        assertEquals(4 * 40 * 0.95 / 1e3, inside - 0.4, 1e-12);
        assertEquals(4 * 40 * 2.7 / 1e3, outside - 0.4, 1e-12);
    }

    @Test
    void allReducesAreTwoPerLayerAndOneForTheEmbeddingPlusTheGather() {
        RoundTime t = autoregressive(2).explain(1, 8, 100, 100);
        double reduce = 7 + (8 * 1024 * 2 - 1000) / 1e5;
        double gather = 7 + (8 * 32768 * 2 - 1000) / 1e5;
        assertEquals((9 * reduce + gather) / 1e3, t.termsMs().get("all_reduce"), 1e-6);
        assertEquals(0, autoregressive(1).explain(1, 8, 100, 100).termsMs().get("all_reduce"));
    }

    @Test
    void tableModeHasTablesOnly() {
        Kernels table = Synthetic.kernels("flashinfer", null, Mode.TABLE);
        RoundTime t = Synthetic.box(table, 2, Synthetic.shape(4, MTP, true)).explain(8, 32, 1000, 1000);
        for (String none : List.of("draft", "commit", "elementwise", "sampler", "host")) {
            assertEquals(0, t.termsMs().get(none), none);
        }
        // attention at one query token over the context as it is; two layers
        assertEquals(
                2 * (4 + 8 * 1000 * Synthetic.kvBytes(1) / 1e6) / 1e3,
                t.termsMs().get("attention"),
                1e-9);
        double reduce = 7 + (32 * 1024 * 2 - 1000) / 1e5;
        assertEquals(8 * reduce / 1e3, t.termsMs().get("all_reduce"), 1e-6);
    }

    @Test
    void aPowerCapMovesTheKneeNotTheStreaming() {
        WhiteBox full = Synthetic.box(Synthetic.kernels(), 1, Synthetic.shape(1, DraftWork.NONE, true));
        WhiteBox capped = Synthetic.box(
                Synthetic.kernels("flashinfer", 300.0, Mode.SERVING), 1, Synthetic.shape(1, DraftWork.NONE, true));
        assertEquals(
                full.explain(1, 1, 100, 100).termsMs().get("weights"),
                capped.explain(1, 1, 100, 100).termsMs().get("weights"));
        // half the throughput: 512 rows cost twice the time once compute binds
        assertEquals(
                2 * full.explain(64, 512, 100, 100).termsMs().get("weights"),
                capped.explain(64, 512, 100, 100).termsMs().get("weights"),
                0.005);
        assertTrue(capped.notes().stream().anyMatch(n -> n.contains("300 W")), capped.notes()::toString);
    }

    @Test
    void expertsAreVisitedByChance() {
        WhiteBox box = WhiteBox.of(
                Synthetic.kernels(),
                Synthetic.mixture(),
                1,
                Dtype.BF16,
                Dtype.BF16,
                Dtype.FP32,
                Synthetic.shape(1, DraftWork.NONE, true));
        double expert = 2.0 * 3 * 1024 * 512;
        double visited = Synthetic.mixture().moe().expectedExperts(4);
        assertTrue(visited < 8, "four rows of top-2 visit fewer than eight experts by chance: " + visited);
        double one = box.explain(1, 1, 100, 100).termsMs().get("weights");
        double four = box.explain(4, 4, 100, 100).termsMs().get("weights");
        assertEquals(2 * (visited - 2) * expert / 1e6 / 1e3, four - one, 1e-9);
    }

    @Test
    void draftPassesAreSequentialForHeadsAndOneForBlocks() {
        Kernels k = Synthetic.kernels();
        double one = Synthetic.box(
                        k, 1, Synthetic.shape(2, new DraftWork(DraftWork.Kind.MTP_HEAD, 1, 1, 0, false), true))
                .explain(1, 2, 100, 100)
                .termsMs()
                .get("draft");
        double three = Synthetic.box(k, 1, Synthetic.shape(2, MTP, true))
                .explain(1, 2, 100, 100)
                .termsMs()
                .get("draft");
        // an empty graph and one verified row more in the first pass is all that tells it from the others
        assertEquals(3, three / one, 0.05);
        double block = Synthetic.box(
                        k, 1, Synthetic.shape(8, new DraftWork(DraftWork.Kind.BLOCK, 1, 8, 0, false), true))
                .explain(1, 8, 100, 100)
                .termsMs()
                .get("draft");
        assertTrue(block > 0 && block < three, block + " " + three);
    }

    @Test
    void refusesWhatItCannotTime() {
        Kernels k = Synthetic.kernels();
        RoundShape s = Synthetic.shape(1, DraftWork.NONE, true);
        assertMessage("TP 3 does not divide", () -> Synthetic.box(k, 3, s));
        assertMessage(
                "no matrix products of fp8",
                () -> WhiteBox.of(k, Synthetic.model(), 1, Dtype.FP8, Dtype.BF16, Dtype.FP32, s));
        Profile other = Synthetic.profile("flashinfer");
        Profile foreign = new Profile(
                "another", other.engine(), other.version(), other.source(), other.state(), other.families(), List.of());
        assertMessage(
                "holds timings of another, not of card",
                () -> Kernels.of(Synthetic.gpu(), foreign, Synthetic.link(), null, null, null, Mode.SERVING));
        Kernels alone = Kernels.of(Synthetic.gpu(), other, null, null, null, null, Mode.SERVING);
        assertMessage("TP 2 needs a link profile", () -> Synthetic.box(alone, 2, s));
    }

    private static void assertMessage(String part, org.junit.jupiter.api.function.Executable call) {
        IllegalArgumentException e = assertThrows(IllegalArgumentException.class, call);
        assertTrue(e.getMessage().contains(part), e.getMessage());
    }

    @Test
    void chunksOfAPromptAddUpToItsAttention() {
        WhiteBox box = autoregressive(1);
        double whole = box.prefillMs(8192, 8192);
        double chunked = box.prefillMs(8192, 2048);
        // products and attention are the same work; each chunk of 2,048 rows is past the knee
        assertEquals(1, chunked / whole, 0.05);
        assertTrue(box.prefillMs(16384, 8192) > 2 * whole * 0.99);
        assertEquals(0, box.prefillMs(0, 8192));
    }
}
