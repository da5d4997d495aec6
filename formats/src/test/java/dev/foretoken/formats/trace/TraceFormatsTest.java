package dev.foretoken.formats.trace;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.foretoken.formats.document.DocumentError;
import dev.foretoken.sim.serving.TraceRequest;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Every registered trace format reads the same four requests from its golden file, and treats damage alike. */
class TraceFormatsTest {
    private static final List<TraceRequest> GOLDEN = List.of(
            new TraceRequest(0, 472, 18),
            new TraceRequest(500_000_000L, 1087, 230),
            new TraceRequest(750_000_000L, 417, 276),
            new TraceRequest(2_125_000_000L, 1360, 647));

    @TempDir
    Path folder;

    static Stream<String> names() {
        return TraceFormats.all().stream().map(TraceFormat::name);
    }

    static Stream<String> imported() {
        return names().filter(n -> !n.equals("csv"));
    }

    private static String extension(String name) {
        return Map.of("mooncake", ".jsonl", "vllm", ".jsonl").getOrDefault(name, ".csv");
    }

    private Path golden(String name) throws IOException {
        return resource(name + extension(name));
    }

    private Path resource(String file) throws IOException {
        Path copy = folder.resolve(file);
        try (InputStream in = TraceFormatsTest.class.getResourceAsStream("/trace/" + file)) {
            Files.copy(in, copy);
        }
        return copy;
    }

    private static List<TraceRequest> read(TraceFileSource source) {
        List<TraceRequest> all = new ArrayList<>();
        Iterator<TraceRequest> pass = source.open();
        pass.forEachRemaining(all::add);
        return all;
    }

    /** Requests to a tolerance of 2 microseconds: epoch seconds in a double carry no more. */
    private static void assertGolden(List<TraceRequest> read) {
        assertEquals(GOLDEN.size(), read.size());
        for (int i = 0; i < GOLDEN.size(); i++) {
            assertEquals(GOLDEN.get(i).arrivalNs(), read.get(i).arrivalNs(), 2000);
            assertEquals(GOLDEN.get(i).isl(), read.get(i).isl());
            assertEquals(GOLDEN.get(i).osl(), read.get(i).osl());
        }
    }

    @ParameterizedTest
    @MethodSource("names")
    void readsItsGoldenFileEveryTimeItIsOpened(String name) throws IOException {
        TraceFileSource source = TraceFileSource.of(golden(name));
        assertEquals(name, source.format().name());
        assertEquals(name, TraceFormats.byName(name).name());
        assertGolden(read(source));
        assertGolden(read(source));
        assertEquals(List.of(), source.warnings());
    }

    @Test
    void readsDatesWithOffsets() throws IOException {
        assertGolden(read(TraceFileSource.of(resource("azure-2024.csv"))));
    }

    @ParameterizedTest
    @MethodSource("imported")
    void sortsSmallDisorderAndCountsIt(String name) throws IOException {
        Path file = golden(name);
        List<String> lines = new ArrayList<>(Files.readAllLines(file));
        int last = lines.size() - 1;
        lines.add(last - 1, lines.remove(last));
        Files.write(file, lines);
        TraceFileSource source = TraceFileSource.of(file);
        assertGolden(read(source));
        assertTrue(source.warnings().get(0).contains("1 requests were out of order"), source.warnings()::toString);
    }

    @ParameterizedTest
    @MethodSource("imported")
    void leavesUnusableRowsOutAndCountsThem(String name) throws IOException {
        Path file = golden(name);
        List<String> lines = new ArrayList<>(Files.readAllLines(file));
        String row = lines.get(lines.size() - 1);
        for (String bad : List.of("-1", "1e30", "0", "NaN", "2.5", "\"x\"", "")) {
            lines.add(row.replace("1360", bad));
            lines.add(row.replace("647", bad));
        }
        Files.write(file, lines);
        TraceFileSource source = TraceFileSource.of(file);
        assertGolden(read(source));
        assertTrue(source.warnings().get(0).contains("14 rows were left out"), source.warnings()::toString);
    }

    @ParameterizedTest
    @MethodSource("names")
    void refusesAFileWithoutUsableRequests(String name) throws IOException {
        Path file = golden(name);
        List<String> lines = Files.readAllLines(file);
        Files.write(
                file,
                extension(name).equals(".csv")
                        ? lines.subList(0, 1)
                        : List.of(lines.get(0).replace("472", "-5")));
        DocumentError error =
                assertThrows(DocumentError.class, () -> TraceFileSource.of(file).open());
        assertTrue(error.getMessage().contains("no usable requests"), error.getMessage());
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "\n", "hello world", "{\"a\": 1}", "a,b,c\n1,2,3"})
    void refusesFilesOfNoFormat(String content) throws IOException {
        Path file = folder.resolve("other");
        Files.writeString(file, content);
        assertThrows(DocumentError.class, () -> TraceFormats.detect(file));
    }

    @Test
    void refusesRowsThatComeTooLate() throws IOException {
        Path file = folder.resolve("late.csv");
        StringBuilder text = new StringBuilder("Timestamp,Request tokens,Response tokens\n");
        for (int i = 0; i < 2 * TraceFileSource.WINDOW; i++) {
            text.append(i + 10).append(",5,5\n");
        }
        Files.writeString(file, text + "1,5,5\n");
        TraceFileSource source = TraceFileSource.of(file);
        DocumentError error = assertThrows(DocumentError.class, () -> read(source));
        assertTrue(error.getMessage().contains("must be sorted by arrival"), error.getMessage());
    }

    @ParameterizedTest
    @ValueSource(strings = {"1,5,5\n0,5,5", "-1,5,5", "0,0,5", "0,5,0", "0,5,", "0,5,1e12", "0,5,x", "NaN,5,5"})
    void thePlainFormatIsStrictAndNamesTheLine(String rows) throws IOException {
        Path file = folder.resolve("plain.csv");
        Files.writeString(file, "arrival_s,isl,osl\n" + rows + "\n");
        DocumentError error = assertThrows(DocumentError.class, () -> read(TraceFileSource.of(file)));
        assertTrue(error.problems().get(0).line() >= 2, error.getMessage());
    }

    @Test
    void readsWorkloadsAndPrefixHits() throws IOException {
        Path file = folder.resolve("plain.csv");
        Files.writeString(file, "arrival_s,isl,osl,workload,cached_tokens\n0,5,6,code,3\n0,7,8,,\n");
        assertEquals(
                List.of(new TraceRequest(0, 5, 6, "code", 3), new TraceRequest(0, 7, 8)),
                read(TraceFileSource.of(file)));
    }

    @Test
    void readsWhatAServerDid() throws IOException {
        List<VllmRequestTimes> times = VllmRequestTimes.read(resource("vllm.jsonl"));
        assertEquals(4, times.size());
        assertEquals(0.5, times.get(1).firstTokenS() - times.get(1).queuedS(), 1e-9);
        assertEquals("bench-3", times.get(3).id());
    }
}
