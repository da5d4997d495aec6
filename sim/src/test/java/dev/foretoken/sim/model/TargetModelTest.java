package dev.foretoken.sim.model;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.DoubleRange;
import net.jqwik.api.constraints.IntRange;
import org.junit.jupiter.api.Test;

class TargetModelTest {
    private static TargetModel model(Attention attention, LinearAttention linear, Moe moe, boolean tied) {
        return new TargetModel(
                "tiny",
                "Tiny",
                2,
                linear == null ? 0 : 1,
                8,
                moe == null ? 16 : 0,
                attention,
                linear,
                moe,
                10,
                tied,
                1,
                Dtype.BF16,
                null,
                List.of(),
                List.of());
    }

    /**
     * Two layers of 4 query and 2 KV heads of 3, MLP 16, hidden 8, vocabulary 10: qkv (4 + 2 x 2) x 3 x 8 = 192, o 4 x 3 x 8 =
     * 96, MLP 3 x 16 x 8 = 384: 672 a layer; lm_head 80.
     */
    @Test
    void countsADenseModelByHand() {
        TargetModel model = model(new Attention(4, 2, 3, false, 0, 0), null, null, false);
        assertEquals(2 * 672 + 80, Math.round(model.paramsReadPerPass(1)));
        assertEquals(2 * 672 + 80 + 80, model.params());
        assertEquals(2 * (2 * 672 + 80 + 80), model.weightBytesPerCard(Dtype.BF16, 1));
        assertEquals(
                2 * (2 * 672 + 80),
                model(new Attention(4, 2, 3, false, 0, 0), null, null, true).weightBytesPerCard(Dtype.BF16, 1));
        assertEquals(
                2 * 672 + 2 * 160, model.weightBytesPerCard(Dtype.FP8, 1), "lm_head and embedding stay at 16 bits");
        assertEquals(2 * 2 * 2 * 3 * 2, model.kvBytesPerTokenPerCard(Dtype.BF16, 1));
        assertEquals(2 * 2 * 1 * 3 * 2, model.kvBytesPerTokenPerCard(Dtype.BF16, 2));
        assertEquals(2 * 2 * 1 * 3 * 2, model.kvBytesPerTokenPerCard(Dtype.BF16, 4), "KV heads are replicated");
        assertEquals(2 * (2 * 8 * 8 + 672), model.mtpBytesPerCard(1));
        assertEquals(0, model.recurrentStateBytesPerCard(Dtype.FP32, 1));
    }

    /** Replicated KV: at TP 4 each rank keeps one of the two KV heads, (1 + 2 x 1) x 3 x 8 = 72 for qkv. */
    @Test
    void shardsProjectionsAndReplicatesKeyAndValueHeads() {
        TargetModel model = model(new Attention(4, 2, 3, false, 0, 0), null, null, false);
        Gemm qkv = model.gemms(4).get(0);
        assertEquals("qkv", qkv.name());
        assertEquals(72 * 2, qkv.params());
    }

    /** One GDN layer of 2 key heads of 3 and 4 value heads of 5: state 4 x 3 x 5, convolution (2 x 2 x 3 + 4 x 5) x 3. */
    @Test
    void countsRecurrentAndConvolutionState() {
        TargetModel model = model(new Attention(4, 2, 3, true, 0, 0), new LinearAttention(2, 3, 4, 5, 4), null, false);
        assertEquals(4 * 3 * 5 * 4, model.recurrentStateBytesPerCard(Dtype.FP32, 1));
        assertEquals(2 * 3 * 5 * 4, model.recurrentStateBytesPerCard(Dtype.FP32, 2));
        assertEquals((2 * 2 * 3 + 4 * 5) * 3 * 2, model.convStateBytesPerCard(1));
        assertTrue(model.whyNotTp(2).isEmpty());
        assertEquals(
                "TP 4 does not divide the 2 key and 4 value GDN heads of tiny",
                model.whyNotTp(4).orElseThrow());
        assertEquals(
                "TP 3 does not divide the 4 query heads of tiny",
                model.whyNotTp(3).orElseThrow());
    }

    @Test
    void quantisesExpertsOnlyInMxfp4() {
        TargetModel model = model(new Attention(4, 2, 3, false, 0, 0), null, new Moe(4, 2, 32, 0), false);
        long experts = 2L * 4 * 3 * 32 * 8;
        long others = model.params() - experts;
        assertEquals(Math.round(experts * 4.25 / 8) + 2 * others, model.weightBytesPerCard(Dtype.MXFP4, 1));
    }

    @Test
    void refusesNonsense() {
        assertThrows(IllegalArgumentException.class, () -> new Attention(5, 2, 3, false, 0, 0));
        assertThrows(IllegalArgumentException.class, () -> new Attention(4, 2, 3, false, 1, 0));
        assertThrows(IllegalArgumentException.class, () -> new Moe(4, 5, 32, 0));
        assertThrows(
                IllegalArgumentException.class, () -> model(new Attention(4, 2, 3, false, 3, 128), null, null, false));
        assertThrows(IllegalArgumentException.class, () -> Dtype.of("fp9"));
    }

    @Property(tries = 300, seed = "7")
    void expectedExpertsRiseWithRowsAndStayWithinTheirNumber(
            @ForAll @IntRange(min = 1, max = 512) int experts,
            @ForAll @IntRange(min = 1, max = 16) int topK,
            @ForAll @DoubleRange(min = 0, max = 4096) double rows) {
        Moe moe = new Moe(experts, Math.min(topK, experts), 8, 0);
        double hit = moe.expectedExperts(rows);
        assertTrue(hit >= 0 && hit <= experts, "" + hit);
        assertTrue(hit <= rows * moe.topK() + 1e-9 || rows < 1, "no more than are asked for: " + hit);
        assertTrue(moe.expectedExperts(rows + 1) >= hit, "more rows hit no fewer");
    }
}
