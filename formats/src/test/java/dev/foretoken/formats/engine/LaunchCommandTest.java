package dev.foretoken.formats.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.foretoken.formats.catalogue.Catalogue;
import dev.foretoken.formats.catalogue.CatalogueKind;
import dev.foretoken.formats.scenario.ScenarioReader;
import dev.foretoken.formats.scenario.ScenarioResources;
import dev.foretoken.sim.method.Arm;
import dev.foretoken.sim.scenario.MethodSpec;
import dev.foretoken.sim.scenario.Scenario;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;

class LaunchCommandTest {
    private static final Catalogue CATALOGUE = Catalogue.bundled();
    private static final Scenario SCENARIO = new ScenarioReader(ScenarioResources.of(CATALOGUE, path -> null))
            .read(Path.of("src/test/resources/golden/scenario.yaml"))
            .variants()
            .get(0);

    private static Map<String, String> lines(String engine) {
        LaunchCommand launch = new LaunchCommand(CATALOGUE.engine(engine));
        Map<String, String> lines = new LinkedHashMap<>();
        for (MethodSpec method : SCENARIO.methods()) {
            Arm arm = Arm.expand(method).get(0);
            lines.put(method.id(), launch.of(SCENARIO, arm, SCENARIO.engine().overriddenBy(method.engine()), 4));
        }
        return lines;
    }

    @Test
    void startsSglang() {
        Map<String, String> lines = lines("sglang");
        String common =
                "python -m sglang.launch_server --model-path /path/to/qwen3.6-27b --tp-size 4 --kv-cache-dtype auto"
                        + " --mem-fraction-static 0.9 --max-running-requests 64 --chunked-prefill-size 8192 --page-size 16"
                        + " --attention-backend flashinfer --cuda-graph-bs 1 2 4 8 16 24 32 --disable-custom-all-reduce";
        assertEquals(common, lines.get("ar"));
        assertEquals(
                common + " --speculative-algorithm NEXTN --speculative-num-steps 3 --speculative-eagle-topk 1"
                        + " --speculative-num-draft-tokens 4",
                lines.get("mtp3"));
        assertTrue(lines.get("ddtree").contains("--disable-overlap-schedule"), "the method's own flag");
        assertTrue(lines.get("ddtree").endsWith("--speculative-ddtree-budget 8"), lines.get("ddtree"));
        assertNull(lines.get("causal"), "no released version runs it");
    }

    @Test
    void startsVllm() {
        Map<String, String> lines = lines("vllm");
        assertTrue(
                lines.get("dflash")
                        .endsWith(
                                "--speculative-config '{\"method\": \"dflash\", \"model\": \"/path/to/qwen3.6-27b-dflash\","
                                        + " \"num_speculative_tokens\": 15}'"),
                lines.get("dflash"));
        assertNull(lines.get("ddtree"));
    }

    @Test
    void leavesNoPlaceholderBehind() {
        for (String engine : CATALOGUE.ids(CatalogueKind.ENGINE)) {
            lines(engine).forEach((method, line) -> {
                if (line != null) {
                    assertFalse(line.matches(".*\\{[a-z_.]+\\}.*"), line);
                    assertFalse(line.contains("null") || line.contains("  "), line);
                }
            });
        }
    }
}
