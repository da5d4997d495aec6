package dev.foretoken.formats.bad;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.foretoken.formats.acceptance.AcceptanceReader;
import dev.foretoken.formats.cases.CasesFile;
import dev.foretoken.formats.catalogue.Catalogue;
import dev.foretoken.formats.document.DocumentError;
import dev.foretoken.formats.json.JsonFile;
import dev.foretoken.formats.requests.TraceFile;
import dev.foretoken.formats.scenario.ScenarioReader;
import dev.foretoken.formats.scenario.ScenarioResources;
import dev.foretoken.formats.timings.TimingsFile;
import dev.foretoken.sim.result.Result;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.io.TempDir;

/**
 * Every file under {@code bad/KIND/} is refused by the reader of its kind with a {@link DocumentError} whose message names
 * the file and holds every line of the {@code .expected} file beside it.
 */
class BadInputTest {
    private static final Path BAD = Path.of("src/test/resources/bad");

    private static final Map<String, Consumer<Path>> READERS = Map.of(
            "scenario", BadInputTest::readScenario,
            "acceptance", AcceptanceReader::read,
            "timings", TimingsFile::read,
            "trace", BadInputTest::readTrace,
            "cases", CasesFile::read,
            "result", path -> JsonFile.read(path, Result.class, Result.SCHEMA));

    @TempDir
    Path folder;

    private static void readScenario(Path path) {
        new ScenarioReader(ScenarioResources.of(Catalogue.bundled(), trace -> {
                    throw new IllegalArgumentException("no traces in this test");
                }))
                .read(path);
    }

    private static void readTrace(Path path) {
        try (TraceFile.Rows rows = TraceFile.open(path, Set.of("code", "prose"))) {
            rows.forEachRemaining(row -> {});
        }
    }

    @TestFactory
    Stream<DynamicTest> badFilesAreRefused() throws IOException {
        List<Path> files;
        try (Stream<Path> walk = Files.walk(BAD)) {
            files = walk.filter(Files::isRegularFile)
                    .filter(path -> !path.toString().endsWith(".expected"))
                    .sorted()
                    .toList();
        }
        assertTrue(files.size() >= 60, "files: " + files.size());
        return files.stream()
                .map(path -> DynamicTest.dynamicTest(BAD.relativize(path).toString(), () -> refused(path)));
    }

    private static void refused(Path path) throws IOException {
        String kind = path.getParent().getFileName().toString();
        String name = path.getFileName().toString();
        String message = assertThrows(
                        DocumentError.class, () -> READERS.get(kind).accept(path))
                .getMessage();
        Path expected = path.resolveSibling(name.substring(0, name.lastIndexOf('.')) + ".expected");
        for (String fragment : Files.readAllLines(expected)) {
            assertTrue(message.contains(fragment), "expected \"" + fragment + "\" in:\n" + message);
        }
        for (String line : message.lines().toList()) {
            assertTrue(line.startsWith(BAD.toString()) || line.startsWith("and "), line);
            assertTrue(line.length() < 700, line);
        }
        assertFalse(message.contains("Exception") || message.contains("\tat "), message);
    }

    @Test
    void filesOfAHundredMegabytesAreRefusedUnread() throws IOException {
        Path huge = folder.resolve("huge.yaml");
        try (RandomAccessFile file = new RandomAccessFile(huge.toFile(), "rw")) {
            file.setLength(100_000_000);
        }
        String message =
                assertThrows(DocumentError.class, () -> readScenario(huge)).getMessage();
        assertEquals(huge + ": is too large: at most 3000000 bytes are read", message);
    }

    @Test
    void foldersAndMissingFilesAreRefused() {
        for (Consumer<Path> reader : READERS.values()) {
            assertEquals(
                    folder + ": is a directory, not a file",
                    assertThrows(DocumentError.class, () -> reader.accept(folder))
                            .getMessage());
            Path none = folder.resolve("none.json");
            assertEquals(
                    none + ": no such file",
                    assertThrows(DocumentError.class, () -> reader.accept(none)).getMessage());
        }
    }

    /** A row that a stray quote never ends must not be gathered in memory. */
    @Test
    void aRowWithoutEndIsRefused() throws IOException {
        Path open = folder.resolve("open.csv");
        Files.writeString(open, "arrival_s,isl,osl\n1,2,3\n\"1,2,3\n" + "x".repeat(3_000_000));
        String message =
                assertThrows(DocumentError.class, () -> readTrace(open)).getMessage();
        assertTrue(message.contains("is not CSV: "), message);
        assertTrue(message.contains("a row is longer than"), message);
    }
}
