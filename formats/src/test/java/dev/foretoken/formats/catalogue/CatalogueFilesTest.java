package dev.foretoken.formats.catalogue;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.foretoken.formats.document.DocumentError;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class CatalogueFilesTest {
    @TempDir
    Path folder;

    private static final String CARD = """
            schema: foretoken/gpu/1
            id: %s
            name: A card
            arch: sm_120
            memory_bytes: 1000
            dram_spec_gb_per_s: 100
            link: {kind: pcie}
            sources: [here]
            """;

    private Catalogue catalogue(String variable) {
        return new Catalogue(CatalogueFiles.of(folder.resolve("runs/s.yaml"), variable));
    }

    private void write(String path, String text) throws IOException {
        Path file = folder.resolve(path);
        Files.createDirectories(file.getParent());
        Files.writeString(file, text);
    }

    @Test
    void findsAUsersCardsBesideTheScenarioAndAbove() throws IOException {
        write("runs/scenarios/gpus/mine.yaml", CARD.formatted("mine"));
        assertEquals(1000, catalogue(null).gpu("mine").memoryBytes());
        assertTrue(catalogue(null).ids(CatalogueKind.GPU).contains("mine"));
        assertTrue(catalogue(null).ids(CatalogueKind.GPU).contains("b200"));
    }

    @Test
    void theVariableComesFirstAndOverridesWhatShips() throws IOException {
        write("other/gpus/b200.yaml", CARD.formatted("b200"));
        Catalogue catalogue = catalogue(folder.resolve("other").toString());
        assertEquals(1000, catalogue.gpu("b200").memoryBytes());
        assertTrue(catalogue.origin(CatalogueKind.GPU, "b200").orElseThrow().endsWith("b200.yaml"));
        assertEquals(1000, catalogue.gpu("b200").memoryBytes(), "read once");
    }

    @Test
    void refusesAFolderThatIsNotThere() {
        String missing = folder.resolve("none").toString();
        assertTrue(assertThrows(DocumentError.class, () -> catalogue(missing))
                .getMessage()
                .startsWith("FORETOKEN_CATALOGUE: is not a folder: "));
    }

    @Test
    void refusesAFileWhoseIdIsNotItsName() throws IOException {
        write("runs/gpus/mine.yaml", CARD.formatted("yours"));
        assertTrue(assertThrows(DocumentError.class, () -> catalogue(null).gpu("mine"))
                .getMessage()
                .endsWith("mine.yaml: id: must be the name of the file, mine, found yours"));
    }

    @Test
    void refusesFiguresThatDoNotFollowFromTheArchitecture() throws IOException {
        write("runs/models/tiny.yaml", """
                schema: foretoken/model/1
                id: tiny
                name: Tiny
                full_attention_layers: 2
                hidden_size: 8
                intermediate_size: 16
                attention: {heads: 2, kv_heads: 1, head_dim: 4}
                vocab_size: 10
                tied_embeddings: true
                native_weights: bf16
                derived: {bf16_kv_bytes_per_token: 33}
                sources: [here]
                """);
        assertTrue(assertThrows(DocumentError.class, () -> catalogue(null).model("tiny"))
                .getMessage()
                .endsWith(
                        "tiny.yaml:11: derived.bf16_kv_bytes_per_token: must be what follows from the architecture, 32,"
                                + " found 33"));
    }
}
