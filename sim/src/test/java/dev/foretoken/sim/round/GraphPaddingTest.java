package dev.foretoken.sim.round;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import org.junit.jupiter.api.Test;

class GraphPaddingTest {
    private static final List<Integer> SIZES = List.of(1, 2, 4, 8, 16);

    @Test
    void sglangPadsRequests() {
        GraphPadding sglang = GraphPadding.of("sglang", true, SIZES);
        assertEquals(8 * 16, sglang.rows(5, 16));
        assertEquals(17 * 16, sglang.rows(17, 16), "above the largest captured size: unpadded");
        assertTrue(sglang.eager(17, 17 * 16));
        assertFalse(sglang.eager(16, 256));
    }

    @Test
    void vllmPadsTokens() {
        GraphPadding vllm = GraphPadding.of("vllm", true, SIZES);
        assertEquals(16, vllm.rows(3, 4));
        assertEquals(20, vllm.rows(5, 4));
        assertTrue(vllm.eager(5, 20));
    }

    @Test
    void noGraphsNoPadding() {
        assertEquals(15, GraphPadding.of("sglang", false, SIZES).rows(5, 3));
        assertEquals(15, GraphPadding.of("sglang", true, null).rows(5, 3));
        assertFalse(GraphPadding.NONE.active());
    }
}
