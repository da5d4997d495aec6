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

    /** Every card with every model: what fits can be explored, what does not is said and is still a scenario that can be read. */
    @ParameterizedTest
    @ValueSource(strings = {"sglang", "vllm"})
    void everyCardWithEveryModelCanBeRead(String engine) throws Exception {
        Catalogue catalogue = Catalogue.bundled();
        List<String> faults = new ArrayList<>();
        int fitting = 0;
        for (String gpu : catalogue.ids(CatalogueKind.GPU)) {
            for (String model : catalogue.ids(CatalogueKind.MODEL)) {
                Path file = folder.resolve(gpu + "-" + model + ".yaml");
                CliRun init = CliRun.of(
                        "init", file.toString(), "--gpu", gpu, "--model", model, "--engine", engine, "--quiet");
                assertEquals(0, init.exit(), init.err());
                // One load: the whole grid of every pair takes minutes.
                Files.writeString(file, Files.readString(file).replace("[1, 2, 4, 8, 16, 32, 64]}", "1}"));
                CliRun explore = CliRun.of("explore", file.toString(), "--format", "csv", "--quiet");
                boolean fits = init.err().isEmpty();
                fitting += fits ? 1 : 0;
                boolean read = !explore.out().isBlank();
                if (!fits && !init.err().contains("does not fit one node of " + gpu)
                        || fits && (explore.exit() != 0 || explore.out().contains("does not fit"))
                        || !read) {
                    faults.add(gpu + " " + model + ": " + init.err() + explore.exit() + explore.err()
                            + explore.out()
                                    .lines()
                                    .filter(l -> l.contains("fit"))
                                    .findFirst()
                                    .orElse(""));
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
