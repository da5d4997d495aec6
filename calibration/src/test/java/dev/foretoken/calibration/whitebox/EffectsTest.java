package dev.foretoken.calibration.whitebox;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.foretoken.sim.hardware.LinkProfile;
import dev.foretoken.sim.method.Arm;
import dev.foretoken.sim.model.Dtype;
import dev.foretoken.sim.round.RoundTime;
import dev.foretoken.sim.round.RoundTimes;
import dev.foretoken.sim.scenario.EngineSettings;
import dev.foretoken.sim.scenario.MethodSpec;
import dev.foretoken.sim.scenario.Target;
import dev.foretoken.sim.whitebox.AttentionBackend;
import dev.foretoken.sim.whitebox.DatasheetProfile;
import dev.foretoken.sim.whitebox.Kernels;
import dev.foretoken.sim.whitebox.Mode;
import dev.foretoken.sim.whitebox.WhiteBox;
import dev.foretoken.sim.whitebox.WhiteBoxTimes;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** What people met in the field, on the founding card: Qwen3.6-27B bf16, SGLang, RTX PRO 6000 Server. */
class EffectsTest {
    private static final WhiteBoxTimes TIMES =
            Bundled.times("rtx-pro-6000-server", "sglang", "qwen3.6-27b", Dtype.BF16, Target.SAVED);
    private static final Arm AR = arm("autoregressive", Map.of());
    private static final EngineSettings SGLANG = EngineSettings.NONE;

    private static Arm arm(String kind, Map<String, List<Object>> values) {
        return Arm.expand(new MethodSpec(kind, kind, values, EngineSettings.NONE))
                .get(0);
    }

    private static Arm tree(int budget) {
        return arm(
                "ddtree",
                Map.of("drafter", List.of("qwen3.6-27b-dflash"), "block", List.of(16), "budget", List.of(budget)));
    }

    private static double ms(Arm arm, EngineSettings engine, int tp, int n, double context) {
        int width = arm.speculative() ? arm.method().verifyWidth(arm, "sglang") : 1;
        return TIMES.rounds(arm, engine, tp).roundMs(n, (long) n * width, context, context);
    }

    @Test
    void budgetZeroIsAutoregressiveDecoding() {
        for (int tp : new int[] {1, 4, 8}) {
            for (int n : new int[] {1, 7, 32}) {
                assertEquals(ms(AR, SGLANG, tp, n, 2000), ms(tree(0), SGLANG, tp, n, 2000), "TP " + tp + ", " + n);
            }
        }
    }

    @Test
    void onPcieTheRelativePriceOfATreeRisesWithTp() {
        double last = 0;
        for (int tp : new int[] {1, 2, 4, 8}) {
            double price = ms(tree(128), SGLANG, tp, 1, 1500) / ms(tree(16), SGLANG, tp, 1, 1500);
            assertTrue(price > last, "TP " + tp + ": " + price + " after " + last);
            last = price;
        }
        RoundTime t = TIMES.rounds(tree(64), SGLANG, 8).explain(1, 65, 1500, 1500);
        assertEquals("all_reduce", t.boundBy());
    }

    @Test
    void overlapOffForTreesOnlyAddsTheirHostTime() {
        EngineSettings off = new EngineSettings(
                null, null, null, null, false, null, null, null, null, null, null, null, null, null, null, null, null);
        RoundTime on = TIMES.rounds(tree(32), SGLANG, 1).explain(1, 33, 1500, 1500);
        assertEquals(on.roundMs() + on.termsMs().get("host"), ms(tree(32), off, 1, 1, 1500), 1e-9);
    }

    @Test
    void aTokenOfContextCostsMoreWhereVerificationNeitherPacksNorSplits() {
        double plain = ms(AR, SGLANG, 1, 16, 30000) - ms(AR, SGLANG, 1, 16, 1000);
        double packed = ms(tree(16), SGLANG, 1, 16, 30000) - ms(tree(16), SGLANG, 1, 16, 1000);
        EngineSettings triton = new EngineSettings(
                null, null, null, null, null, null, null, null, null, null, null, null, null, null, null, null,
                "triton");
        double tiled = ms(tree(16), triton, 1, 16, 30000) - ms(tree(16), triton, 1, 16, 1000);
        assertEquals(plain, packed, 0.35 * plain); // the draft pass reads its own cache too
        assertTrue(tiled > 1.5 * plain, tiled + " against " + plain);
    }

    @Test
    void aPowerCapHardlyMovesDecodingAndSlowsWideVerification() {
        Kernels full = kernels(null);
        Kernels capped = kernels(300.0);
        WhiteBox a = box(full);
        WhiteBox b = box(capped);
        assertEquals(1, b.roundMs(1, 1, 1500, 1500) / a.roundMs(1, 1, 1500, 1500), 0.01);
        assertTrue(b.roundMs(256, 1024, 1500, 1500) / a.roundMs(256, 1024, 1500, 1500) > 1.05);
    }

    private static Kernels kernels(Double powerLimitW) {
        return Kernels.of(
                Bundled.CATALOGUE.gpu("rtx-pro-6000-server"),
                Bundled.profile("rtx-pro-6000-server/sglang"),
                null,
                null,
                null,
                powerLimitW,
                Mode.SERVING);
    }

    private static WhiteBox box(Kernels k) {
        return WhiteBox.of(
                k, Bundled.CATALOGUE.model("qwen3.6-27b"), 1, Dtype.BF16, Dtype.BF16, Dtype.FP32, Bundled.plain(1));
    }

    @Test
    void theTwoPublishedPairsDifferAsPublished() {
        double fast = allReduce("pcie5-fast");
        double slow = allReduce("pcie5-slow");
        assertEquals(2.4, slow / fast, 0.15); // 1,392 against 589 us for 2,048 rows
        LinkProfile pair = Bundled.CATALOGUE.link("pcie5-slow");
        Kernels four = Kernels.of(
                Bundled.CATALOGUE.gpu("rtx-pro-6000-server"),
                Bundled.profile("rtx-pro-6000-server/sglang"),
                pair,
                null,
                null,
                null,
                Mode.SERVING);
        IllegalArgumentException e = assertThrows(
                IllegalArgumentException.class,
                () -> WhiteBox.of(
                        four,
                        Bundled.CATALOGUE.model("qwen3.6-27b"),
                        4,
                        Dtype.BF16,
                        Dtype.BF16,
                        Dtype.FP32,
                        Bundled.plain(1)));
        assertTrue(e.getMessage().contains("pcie5-slow has no all-reduce of 4 cards"), e.getMessage());
    }

    private static double allReduce(String link) {
        Kernels k = Kernels.of(
                Bundled.CATALOGUE.gpu("rtx-pro-6000-server"),
                Bundled.profile("rtx-pro-6000-server/vllm"),
                Bundled.CATALOGUE.link(link),
                null,
                null,
                null,
                Mode.TABLE);
        return WhiteBox.of(
                        k,
                        Bundled.CATALOGUE.model("qwen3-32b"),
                        2,
                        Dtype.BF16,
                        Dtype.BF16,
                        Dtype.FP32,
                        Bundled.plain(1))
                .explain(128, 2048, 1000, 1000)
                .termsMs()
                .get("all_reduce");
    }

    @Test
    void everyCardWithTablesTimesEveryModelThatItServes() {
        for (String card : List.of("rtx-pro-6000-server", "b200", "b300", "gb200", "h200", "h100", "l40s", "a100")) {
            for (String engine : List.of("sglang", "vllm")) {
                for (String model :
                        List.of("qwen3.6-27b", "qwen3.6-35b-a3b", "qwen3-8b", "llama-3.1-70b", "gpt-oss-20b")) {
                    RoundTimes.Timing t = Bundled.times(card, engine, model, Dtype.BF16, Target.SAVED)
                            .of(AR, engine(engine), 1);
                    double one = t.model().roundMs(1, 1, 1000, 1000);
                    double many = t.model().roundMs(64, 64, 8000, 8000);
                    assertTrue(
                            one > 0.5 && one < 300 && many > one,
                            card + " " + engine + " " + model + " " + one + " " + many);
                    assertTrue(t.prefill().ms(1000) > 0);
                    assertTrue(List.of(WhiteBox.PUBLISHED, WhiteBox.NONE).contains(t.calibrated()));
                    assertTrue(
                            t.calibrated().equals(WhiteBox.PUBLISHED)
                                    || t.notes().stream().anyMatch(n -> n.contains("not in the profile")),
                            t.notes()::toString);
                }
            }
        }
    }

    private static EngineSettings engine(String engine) {
        return new EngineSettings(
                engine, null, null, null, null, null, null, null, null, null, null, null, null, null, null, null, null);
    }

    @Test
    void aCardWithoutTablesRunsOnItsDatasheetAndSaysSo() {
        Kernels k = Kernels.of(
                Bundled.CATALOGUE.gpu("rtx-5090"),
                DatasheetProfile.of(Bundled.CATALOGUE.gpu("rtx-5090"), "sglang"),
                null,
                null,
                AttentionBackend.FLASHINFER,
                null,
                Mode.SERVING);
        WhiteBox b = WhiteBox.of(
                k, Bundled.CATALOGUE.model("qwen3-8b"), 1, Dtype.BF16, Dtype.BF16, Dtype.FP32, Bundled.plain(1));
        assertEquals(WhiteBox.NONE, b.calibrated());
        // 15.1 GB of weights at 0.83 of 1,792 GB/s and some kernels
        assertEquals(10.5, b.roundMs(1, 1, 100, 100), 1.5);
        assertTrue(
                b.notes().stream().anyMatch(n -> n.contains("No kernel of rtx-5090 was timed")), b.notes()::toString);
        IllegalArgumentException e = assertThrows(
                IllegalArgumentException.class,
                () -> DatasheetProfile.of(Bundled.CATALOGUE.gpu("rtx-pro-6000-max-q"), "sglang"));
        assertTrue(e.getMessage().contains("calibrate the card"), e.getMessage());
    }

    @Test
    void aProfileOfAnotherEngineIsRefused() {
        IllegalArgumentException e =
                assertThrows(IllegalArgumentException.class, () -> TIMES.of(AR, engine("vllm"), 1));
        assertTrue(e.getMessage().contains("holds timings under sglang, not under vllm"), e.getMessage());
    }

    @Test
    void draftersThatNobodyDescribedAreRefused() {
        Arm eagle = arm(
                "eagle3",
                Map.of(
                        "drafter", List.of("my-eagle3"),
                        "steps", List.of(5),
                        "top_k", List.of(8),
                        "draft_tokens", List.of(32)));
        IllegalArgumentException e = assertThrows(IllegalArgumentException.class, () -> TIMES.of(eagle, SGLANG, 1));
        assertTrue(e.getMessage().contains("my-eagle3 is not in the catalogue"), e.getMessage());
    }
}
