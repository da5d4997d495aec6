package dev.foretoken.calibration.timings;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.fasterxml.jackson.databind.JsonNode;
import dev.foretoken.formats.catalogue.Catalogue;
import dev.foretoken.formats.json.Json;
import dev.foretoken.formats.timings.KernelTimings;
import dev.foretoken.formats.timings.TimingsFile;
import dev.foretoken.sim.model.TargetModel;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ShapesFileTest {
    private static final Path ROOT = Path.of(System.getProperty("foretoken.root", ".."));

    private static TargetModel qwen() {
        return Catalogue.bundled().model("qwen3.6-27b");
    }

    @Test
    void oneCardsShareOfTheHybridModel() throws IOException {
        JsonNode root = Json.mapper()
                .readTree(ShapesFile.text(
                        qwen(), List.of(1, 4), Catalogue.bundled().drafter("qwen3.6-27b-dflash")));
        assertEquals(ShapesFile.SCHEMA, root.get("schema").asText());
        JsonNode whole = root.get("shapes").get(0);
        JsonNode quarter = root.get("shapes").get(1);
        assertEquals(24, whole.get("attention").get("hq").asInt());
        assertEquals(6, quarter.get("attention").get("hq").asInt());
        assertEquals(1, quarter.get("attention").get("hkv").asInt());
        assertEquals(12, quarter.get("gdn").get("hv").asInt());
        // q, k, v channels of the convolution: 2 x 16 x 128 + 48 x 128
        assertEquals(10240, whole.get("gdn").get("conv_channels").asInt());
        boolean head = false;
        for (JsonNode g : whole.get("gemm")) {
            head |= g.get("n").asInt() == 248320 && g.get("k").asInt() == 5120;
        }
        assertTrue(head, "the lm_head is timed");
        assertEquals(16, whole.get("draft").get("block").asInt());
        assertTrue(quarter.get("draft") == null, "a drafter is timed on one card");
    }

    @Test
    void adegreeThatDoesNotFitIsRefused() {
        IllegalArgumentException e =
                assertThrows(IllegalArgumentException.class, () -> ShapesFile.text(qwen(), List.of(5), null));
        assertTrue(e.getMessage().contains("TP 5"), e.getMessage());
        assertThrows(IllegalArgumentException.class, () -> ShapesFile.text(qwen(), List.of(), null));
    }

    @Test
    void theBuiltToolReadsTheShapesAndItsFileIsRead(@TempDir Path dir) throws IOException, InterruptedException {
        Optional<TimingTool> tool = TimingTool.find(ROOT, false);
        assumeTrue(tool.isPresent(), "the timing tool is not built: calibration/native/setup --host-only");
        Path shapes = dir.resolve("shapes.json");
        Path out = dir.resolve("timings.json");
        ShapesFile.write(shapes, qwen(), List.of(8), null);
        List<String> said = new ArrayList<>();
        int code = tool.get()
                .run(
                        List.of(
                                "--backend",
                                "host",
                                "--shapes",
                                shapes.toString(),
                                "--ops",
                                "rmsnorm,tree_build",
                                "--quick",
                                "--force",
                                "--out",
                                out.toString()),
                        said::add);
        assertEquals(TimingTool.MEASURED, code, said::toString);
        KernelTimings t = TimingsFile.read(out);
        assertEquals("qwen3.6-27b", t.model());
        assertTrue(t.points().stream().anyMatch(p -> p.op().equals("rmsnorm") && p.param("hidden") == 5120));
        Files.writeString(shapes, "{\"schema\": \"foretoken/shapes/1\", \"model\": \"m\", \"shapes\": [{}]}");
        assertEquals(
                TimingTool.USAGE,
                tool.get().run(List.of("--shapes", shapes.toString(), "--out", out.toString()), said::add));
        assertTrue(said.stream().anyMatch(l -> l.contains("'tp' is missing")), said::toString);
    }
}
