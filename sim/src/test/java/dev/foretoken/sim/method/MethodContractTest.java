package dev.foretoken.sim.method;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.foretoken.sim.acceptance.AcceptanceForm;
import dev.foretoken.sim.acceptance.AcceptanceLaw;
import dev.foretoken.sim.acceptance.Laws;
import dev.foretoken.sim.scenario.EngineSettings;
import dev.foretoken.sim.scenario.MethodSpec;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** What every registered method must hold; a new one is picked up from the registry. */
class MethodContractTest {
    static List<Method> methods() {
        return Methods.all();
    }

    /** An arm with every required parameter at a middling value. */
    static Arm typical(Method m, Map<String, Object> overrides) {
        Map<String, List<Object>> values = new LinkedHashMap<>();
        for (Param p : m.params()) {
            if (overrides.containsKey(p.name())) {
                values.put(p.name(), List.of(overrides.get(p.name())));
            } else if (p.required()) {
                values.put(p.name(), List.of(p.type() == Param.Type.REAL ? (Object) 0.5 : (Object) 8));
            }
        }
        return Arm.expand(new MethodSpec("m", m.kind(), values, EngineSettings.NONE))
                .get(0);
    }

    @ParameterizedTest
    @MethodSource("methods")
    void kindIsUniqueAndDescribed(Method m) {
        assertEquals(
                1, Methods.all().stream().filter(o -> o.kind().equals(m.kind())).count());
        assertTrue(m.kind().matches("[a-z][a-z0-9-]*"), m.kind());
        assertFalse(m.summary().isBlank());
        assertEquals(m, Methods.byKind(m.kind()));
        HashSet<String> names = new HashSet<>();
        for (Param p : m.params()) {
            assertTrue(names.add(p.name()), "repeated parameter " + p.name());
            assertFalse(p.meaning().isBlank());
        }
    }

    @ParameterizedTest
    @MethodSource("methods")
    void widthHoldsTheAcceptedDraftsAndTheRoot(Method m) {
        Arm arm = typical(m, Map.of());
        for (String engine : List.of("sglang", "vllm", "llama.cpp")) {
            int width = m.verifyWidth(arm, engine);
            assertTrue(width >= m.maxAccepted(arm) + 1, m.kind() + " on " + engine);
        }
        assertEquals(m.maxAccepted(arm) > 0, m.draftWork(arm).kind() != DraftWork.Kind.NONE);
        assertTrue(m.fireRate(arm) > 0 && m.fireRate(arm) <= 1);
    }

    @ParameterizedTest
    @MethodSource("methods")
    void lawFitsTheMethod(Method m) {
        Arm arm = typical(m, Map.of());
        AcceptanceForm srt = AcceptanceForm.Srt.of(2.2, 0.13, -1.2, 1.35, 0.32, 0.64, 15, 24);
        AcceptanceLaw law = Laws.of(srt, m.design(arm)).central();
        assertTrue(law.maxAccepted() <= m.maxAccepted(arm), m.kind());
        assertTrue(law.acceptLength() >= 1 && law.acceptLength() <= 1 + m.maxAccepted(arm));
    }

    @ParameterizedTest
    @MethodSource("methods")
    void budgetZeroIsAutoregressive(Method m) {
        if (m.params().stream().noneMatch(p -> p.name().equals(Method.BUDGET))) {
            return;
        }
        Arm arm = typical(m, Map.of(Method.BUDGET, 0));
        assertEquals(1, m.verifyWidth(arm, "sglang"));
        assertEquals(0, m.maxAccepted(arm));
        assertFalse(arm.speculative());
        assertEquals(DraftWork.Kind.NONE, m.draftWork(arm).kind());
    }

    @ParameterizedTest
    @MethodSource("methods")
    void refusesUnknownAndMissingParameters(Method m) {
        assertThrows(
                IllegalArgumentException.class,
                () -> Arm.expand(new MethodSpec(
                        "m", m.kind(), Map.of("no_such_key", List.of((Object) 1)), EngineSettings.NONE)));
        if (m.params().stream().anyMatch(Param::required)) {
            IllegalArgumentException e = assertThrows(
                    IllegalArgumentException.class,
                    () -> Arm.expand(new MethodSpec("m", m.kind(), Map.of(), EngineSettings.NONE)));
            assertTrue(e.getMessage().contains("needs"), e.getMessage());
        }
        assertNotNull(m.alternatives(typical(m, Map.of())));
    }
}
