package dev.foretoken.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.foretoken.formats.catalogue.Catalogue;
import dev.foretoken.formats.catalogue.CatalogueKind;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

class InitCommandTest {
    @TempDir
    Path folder;

    static List<Arguments> pairs() {
        List<Arguments> out = new ArrayList<>();
        Catalogue catalogue = Catalogue.bundled();
        for (String gpu : catalogue.ids(CatalogueKind.GPU)) {
            out.add(Arguments.of(gpu, "qwen3-8b", "sglang"));
        }
        for (String model : catalogue.ids(CatalogueKind.MODEL)) {
            out.add(Arguments.of("b200", model, "vllm"));
        }
        return out;
    }

    @ParameterizedTest
    @MethodSource("pairs")
    void whatItWritesCanBeExplored(String gpu, String model, String engine) {
        String file = folder.resolve("s.yaml").toString();
        CliRun init = CliRun.of("init", file, "--gpu", gpu, "--model", model, "--engine", engine);
        assertEquals(0, init.exit(), init.err());
        CliRun explore = CliRun.of("explore", file, "--format", "csv", "--quiet");
        assertEquals(0, explore.exit(), explore.err());
    }

    /** Every card with every model: what is written can be explored, and what fits no node is refused. */
    @ParameterizedTest
    @ValueSource(strings = {"sglang", "vllm"})
    void everyCardWithEveryModelCanBeExplored(String engine) throws Exception {
        Catalogue catalogue = Catalogue.bundled();
        List<String> faults = new ArrayList<>();
        int fitting = 0;
        for (String gpu : catalogue.ids(CatalogueKind.GPU)) {
            for (String model : catalogue.ids(CatalogueKind.MODEL)) {
                Path file = folder.resolve(gpu + "-" + model + ".yaml");
                CliRun init = CliRun.of(
                        "init", file.toString(), "--gpu", gpu, "--model", model, "--engine", engine, "--quiet");
                if (init.exit() != 0) {
                    if (init.exit() != 2 || !init.err().contains("does not fit one node of " + gpu)) {
                        faults.add(gpu + " " + model + ": " + init.err());
                    }
                    continue;
                }
                fitting++;
                // One load: the whole grid of every pair takes minutes.
                Files.writeString(file, Files.readString(file).replace("[1, 2, 4, 8, 16, 32, 64]}", "1}"));
                CliRun explore = CliRun.of("explore", file.toString(), "--format", "csv", "--quiet");
                if (explore.exit() != 0 || explore.out().contains("does not fit")) {
                    faults.add(gpu + " " + model + ": " + explore.exit() + explore.err() + explore.out());
                }
            }
        }
        assertEquals("", String.join("\n", faults));
        assertTrue(fitting > 50, "fitting: " + fitting);
    }

    @Test
    void takesTheCheckpointsFormatAndThenMoreCards() {
        String own = CliRun.of("init", "-", "--gpu", "rtx-5090", "--model", "gpt-oss-120b")
                .out();
        assertTrue(own.contains("weights: mxfp4") && own.contains("count: 4"), own);
        String more = CliRun.of("init", "-", "--gpu", "l40s", "--model", "llama-3.1-70b")
                .out();
        assertTrue(more.contains("weights: bf16") && more.contains("count: 4") && more.contains("tp: [4]"), more);
    }

    /** A user's model of 1.3 TB in 36 heads: at most 4 cards of a node divide them. */
    @Test
    void saysThatNoNodeHoldsTheModel() throws Exception {
        Files.writeString(Files.createDirectories(folder.resolve("models")).resolve("big.yaml"), """
                schema: foretoken/model/1
                id: big
                name: Big
                full_attention_layers: 160
                hidden_size: 16384
                intermediate_size: 65536
                attention: {heads: 36, kv_heads: 4, head_dim: 128}
                vocab_size: 128000
                tied_embeddings: false
                native_weights: bf16
                sources: [a test]
                """);
        Path file = folder.resolve("s.yaml");
        CliRun init =
                CliRun.of("init", file.toString(), "--gpu", "h100", "--model", "big", "--engine", "vllm", "--quiet");
        assertEquals(2, init.exit(), init.err());
        assertTrue(
                init.err()
                        .startsWith(
                                "foretoken: big does not fit one node of h100: at TP 4, the most that divides its heads,"),
                init.err());
        assertFalse(Files.exists(file));
    }

    @Test
    void writesNoYamlUnderAJsonName() {
        Path file = folder.resolve("x.json");
        CliRun run = CliRun.of("init", file.toString());
        assertEquals(2, run.exit());
        assertTrue(run.err().contains(".yaml"), run.err());
        assertFalse(Files.exists(file));
    }

    @Test
    void keepsAFileThatIsThere() throws Exception {
        Path file = folder.resolve("mine.yaml");
        Files.writeString(file, "precious");
        CliRun run = CliRun.of("init", file.toString());
        assertEquals(2, run.exit());
        assertEquals("precious", Files.readString(file));
        assertEquals(0, CliRun.of("init", file.toString(), "--force").exit());
        assertTrue(Files.readString(file).contains("foretoken/scenario/1"));
    }

    @Test
    void namesTheNearestCard() {
        CliRun run = CliRun.of("init", "-", "--gpu", "rtx-pro-6000-sever");
        assertEquals(2, run.exit());
        assertTrue(run.err().contains("rtx-pro-6000-server"), run.err());
    }
}
