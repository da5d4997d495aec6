package dev.foretoken.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
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
