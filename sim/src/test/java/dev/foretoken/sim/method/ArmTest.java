package dev.foretoken.sim.method;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.foretoken.sim.scenario.EngineSettings;
import dev.foretoken.sim.scenario.MethodSpec;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class ArmTest {
    private static List<Arm> expand(String kind, Map<String, List<Object>> values) {
        return Arm.expand(new MethodSpec("m", kind, values, EngineSettings.NONE));
    }

    @Test
    void listsAreAxes() {
        Map<String, List<Object>> values = new LinkedHashMap<>();
        values.put("block", List.of(16));
        values.put("budget", List.of(8, 16, 32));
        values.put("top_k", List.of(4, 8));
        List<Arm> arms = expand("ddtree", values);
        assertEquals(6, arms.size());
        assertEquals(8, arms.get(0).budget());
        assertEquals(4, arms.get(0).topK());
        assertEquals(32, arms.get(5).budget());
    }

    @Test
    void sglangTreesAreAtLeastTheBlockWide() {
        Arm arm = expand("ddtree", Map.of("block", List.of(16), "budget", List.of(8)))
                .get(0);
        assertEquals(16, arm.method().verifyWidth(arm, "sglang"));
        assertEquals(9, arm.method().verifyWidth(arm, "vllm"));
        Arm wide = expand("ddtree", Map.of("block", List.of(16), "budget", List.of(32)))
                .get(0);
        assertEquals(33, wide.method().verifyWidth(wide, "sglang"));
    }

    @Test
    void shadowLinearFillsTheChainOnly() {
        Arm arm = expand("ddtree-shadow-linear", Map.of("block", List.of(16), "budget", List.of(32)))
                .get(0);
        assertEquals(15, arm.method().maxAccepted(arm));
        Arm small = expand("ddtree-shadow-linear", Map.of("block", List.of(16), "budget", List.of(4)))
                .get(0);
        assertEquals(4, small.method().maxAccepted(small));
    }

    @Test
    void eagleTopK1IsClampedAndSaysSo() {
        Arm arm = expand("eagle3", Map.of("steps", List.of(5), "top_k", List.of(1), "draft_tokens", List.of(32)))
                .get(0);
        assertEquals(6, arm.method().verifyWidth(arm, "sglang"));
        assertEquals(1, arm.notes().size());
        assertTrue(arm.notes().get(0).contains("clamps"));
    }

    @Test
    void refusesValuesOutOfBoundsAndOfOtherTypes() {
        assertThrows(
                IllegalArgumentException.class,
                () -> expand("ddtree", Map.of("block", List.of(16), "budget", List.of(-1))));
        assertThrows(
                IllegalArgumentException.class,
                () -> expand("ddtree", Map.of("block", List.of(16), "budget", List.of(2.5))));
        assertThrows(
                IllegalArgumentException.class,
                () -> expand("ngram", Map.of("draft_tokens", List.of(12), "fire_rate", List.of(1.2))));
        assertThrows(IllegalArgumentException.class, () -> expand("mtp", Map.of("steps", List.of("three"))));
    }
}
