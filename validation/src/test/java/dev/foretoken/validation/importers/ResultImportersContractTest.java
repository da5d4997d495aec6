package dev.foretoken.validation.importers;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** What every registered importer must do, with the fixture named after its id. */
class ResultImportersContractTest {
    static Stream<ResultImporter> importers() {
        return ResultImporters.all().stream();
    }

    static String fixture(String id) {
        for (String ending : List.of(".json", ".jsonl")) {
            try (InputStream in = ResultImportersContractTest.class.getResourceAsStream("/importers/" + id + ending)) {
                if (in != null) {
                    return new String(in.readAllBytes(), StandardCharsets.UTF_8);
                }
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
        throw new AssertionError("no fixture importers/" + id);
    }

    @ParameterizedTest
    @MethodSource("importers")
    void recognisesItsOwnFileAndNoOther(ResultImporter importer) {
        String head = fixture(importer.id());
        for (ResultImporter other : ResultImporters.all()) {
            assertEquals(other == importer, other.recognises("f", head), other.id());
        }
        assertFalse(importer.recognises("f", "{}"));
    }

    @ParameterizedTest
    @MethodSource("importers")
    void figuresAreSaneAndConversionsSaid(ResultImporter importer) throws IOException {
        for (ImportedRun r : importer.read("file", fixture(importer.id()))) {
            assertTrue(r.source().startsWith("file"));
            assertFalse(r.client().isBlank());
            assertFalse(r.converted().isEmpty(), "how its names were read is said");
            r.figures().values().values().forEach(v -> assertTrue(v > 0 && Double.isFinite(v)));
            assertFalse(r.missing().contains(""));
        }
    }

    @ParameterizedTest
    @MethodSource("importers")
    void truncatedAndDamagedFilesGiveAReasonOrARun(ResultImporter importer) throws IOException {
        String text = fixture(importer.id());
        Random random = new Random(3);
        int step = Math.max(1, text.length() / 40);
        for (int n = 0; n < text.length(); n += step) {
            tolerate(importer, text.substring(0, n));
            StringBuilder damaged = new StringBuilder(text);
            for (int k = 0; k < 5; k++) {
                damaged.setCharAt(random.nextInt(text.length()), (char) (32 + random.nextInt(90)));
            }
            tolerate(importer, damaged.toString());
        }
        for (String bad : List.of("NaN", "null", "\"x\"", "-3")) {
            tolerate(importer, text.replaceAll("(?<=: ?)[0-9]+(\\.[0-9]+)?(?=[,}\\]\n])", bad));
        }
    }

    private static void tolerate(ResultImporter importer, String text) throws IOException {
        try {
            importer.read("damaged", text)
                    .forEach(r -> r.figures().values().values().forEach(v -> assertTrue(v > 0 && Double.isFinite(v))));
        } catch (IllegalArgumentException e) {
            assertFalse(e.getMessage() == null || e.getMessage().isBlank());
        }
    }
}
