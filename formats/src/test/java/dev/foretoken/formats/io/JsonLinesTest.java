package dev.foretoken.formats.io;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.foretoken.formats.document.DocumentError;
import dev.foretoken.formats.marginals.Marginals;
import dev.foretoken.formats.rounds.RoundLog;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Damage in logs is counted and named, and the rest is read. */
class JsonLinesTest {
    @TempDir
    Path folder;

    private Path write(String text) throws IOException {
        return Files.writeString(folder.resolve("log.jsonl"), text);
    }

    private static final String ROUND = "{\"request\":\"q\",\"round\":0,\"drafted\":3,\"accepted\":2}\n";

    private static List<Integer> accepted(Path path, List<String> reasons) {
        List<Integer> accepted = new ArrayList<>();
        Skipped skipped = RoundLog.read(path, (header, round) -> accepted.add(round.accepted()));
        reasons.addAll(skipped.examples());
        assertEquals(reasons.size(), skipped.count());
        return accepted;
    }

    @Test
    void skipsDamagedLinesAndNamesThem() throws IOException {
        Path path = write("{\"schema\":\"foretoken/rounds/1\"}\n" + ROUND
                + "\n"
                + "{\"request\":\"q\",\"rou\n"
                + "[1]\n"
                + "{\"request\":\"q\",\"round\":1,\"drafted\":3,\"accepted\":4}\n"
                + "{\"request\":\"q\",\"round\":1,\"drafted\":3,\"accepted\":1.5}\n"
                + "{\"request\":\"q\",\"round\":1,\"drafted\":3,\"accepted\":NaN}\n"
                + "{\"request\":\"q\",\"round\":1,\"drafted\":3}\n"
                + "{\"round\":1,\"drafted\":3,\"accepted\":1}\n"
                + ROUND.strip());
        List<String> reasons = new ArrayList<>();
        assertEquals(List.of(2, 2), accepted(path, reasons));
        assertEquals(7, reasons.size(), reasons.toString());
        assertTrue(reasons.get(0).startsWith(path + ":4: is not valid JSON"), reasons.get(0));
        assertTrue(reasons.get(1).endsWith(":5: is not a JSON object"), reasons.get(1));
        assertTrue(reasons.get(2).endsWith(":6: accepted must lie in 0..3 (drafted): 4"), reasons.get(2));
        assertTrue(reasons.get(3).endsWith(":7: accepted must be a whole number, found 1.5"), reasons.get(3));
        assertTrue(reasons.get(6).endsWith(":10: a round needs the id of its request"), reasons.get(6));
    }

    @Test
    void readsWhatATruncatedArchiveStillHolds() throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (GZIPOutputStream gzip = new GZIPOutputStream(bytes)) {
            for (int i = 0; i < 50_000; i++) {
                gzip.write(ROUND.replace("\"round\":0", "\"round\":" + i).getBytes(StandardCharsets.UTF_8));
            }
        }
        Path path = folder.resolve("log.jsonl.gz");
        Files.write(path, Arrays.copyOf(bytes.toByteArray(), bytes.size() / 2));
        List<Integer> accepted = new ArrayList<>();
        Skipped skipped = RoundLog.read(path, (header, round) -> accepted.add(round.accepted()));
        assertTrue(accepted.size() > 10_000, "rounds: " + accepted.size());
        assertEquals(1, skipped.count());
        assertTrue(
                skipped.examples().get(0).contains("the compressed data ends early"),
                skipped.examples().get(0));
    }

    @Test
    void leavesOutALineThatIsTooLong() throws IOException {
        Path path = write(ROUND + "\"" + "x".repeat(JsonLines.MAX_LINE + 10) + "\"\n" + ROUND);
        List<String> reasons = new ArrayList<>();
        assertEquals(List.of(2, 2), accepted(path, reasons));
        assertTrue(reasons.get(0).endsWith(":2: is longer than " + JsonLines.MAX_LINE + " bytes"), reasons.get(0));
    }

    @Test
    void refusesAnotherFormat() throws IOException {
        Path path = write("{\"schema\":\"foretoken/marginals/1\"}\n");
        assertTrue(assertThrows(DocumentError.class, () -> RoundLog.read(path, (header, round) -> {}))
                .getMessage()
                .endsWith(":1: schema: must be foretoken/rounds/1, found \"foretoken/marginals/1\""));
    }

    @Test
    void refusesImpossibleMarginals() throws IOException {
        Path path = write("""
                {"schema":"foretoken/marginals/1"}
                {"request":"q","round":0,"log_probs":[[-0.1,-3.0]],"target_ranks":[2]}
                {"request":"q","round":0,"log_probs":[[-3.0,-0.1]],"target_ranks":[0]}
                {"request":"q","round":0,"log_probs":[[0.7,-3.0]],"target_ranks":[0]}
                {"request":"q","round":0,"log_probs":[[-0.1,-0.2]],"target_ranks":[0]}
                {"request":"q","round":0,"log_probs":[[-0.1,-3.0],[-0.1]],"target_ranks":[0]}
                {"request":"q","round":0,"log_probs":[[-0.1,"x"]],"target_ranks":[0]}
                {"request":"q","round":0,"log_probs":[],"target_ranks":[]}
                {"request":"q","round":0,"log_probs":[[-0.1]],"target_ranks":[0,0]}
                {"request":"q","round":0,"log_probs":[[-0.1,-3.0]],"target_ranks":[null]}
                """);
        List<Integer> read = new ArrayList<>();
        Skipped skipped = Marginals.read(path, (header, round) -> read.add(round.round()));
        assertEquals(1, read.size());
        assertEquals(8, skipped.count(), skipped.examples().toString());
        assertTrue(
                skipped.examples().get(0).endsWith("a target rank must lie in 0..1: 2"),
                skipped.examples().get(0));
        assertTrue(
                skipped.examples().get(3).contains("probabilities of depth 1 sum to 1.7"),
                skipped.examples().get(3));
    }
}
