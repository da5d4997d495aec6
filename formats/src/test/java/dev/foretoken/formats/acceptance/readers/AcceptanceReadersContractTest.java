package dev.foretoken.formats.acceptance.readers;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.stream.Stream;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** What every registered reader must do, with the fixture named after its id. */
class AcceptanceReadersContractTest {
    private static final List<String> ENDINGS = List.of(".jsonl", ".json", ".txt", ".log", ".csv");

    static Stream<AcceptanceReader> readers() {
        return AcceptanceReaders.all().stream();
    }

    static byte[] fixture(String id) {
        for (String ending : ENDINGS) {
            try (InputStream in =
                    AcceptanceReadersContractTest.class.getResourceAsStream("/acceptance/" + id + ending)) {
                if (in != null) {
                    return in.readAllBytes();
                }
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
        throw new AssertionError("no fixture acceptance/" + id + ".*");
    }

    static AcceptanceSource source(String name, byte[] bytes) {
        return new AcceptanceSource(name, () -> new ByteArrayInputStream(bytes), AcceptanceKey.UNKNOWN);
    }

    record Reading(List<AcceptanceObservation> observations, ReadReport report) {}

    static Reading read(AcceptanceReader reader, byte[] bytes) throws IOException {
        List<AcceptanceObservation> list = new ArrayList<>();
        ReadReport report = new ReadReport();
        AcceptanceReaders.read(reader, List.of(source("fixture", bytes)), report, list::add);
        return new Reading(list, report);
    }

    @ParameterizedTest
    @MethodSource("readers")
    void recognisesItsOwnSourceAndNoOther(AcceptanceReader reader) throws IOException {
        String head = new String(fixture(reader.id()), StandardCharsets.UTF_8);
        for (AcceptanceReader other : AcceptanceReaders.all()) {
            assertEquals(other == reader, other.recognises("fixture", head), other.id());
        }
        assertFalse(reader.recognises("x.txt", "Something else entirely.\n"));
        assertFalse(reader.recognises("x.json", "{}"));
        assertFalse(reader.description().isBlank());
    }

    @ParameterizedTest
    @MethodSource("readers")
    void deliversConsistentObservations(AcceptanceReader reader) throws IOException {
        Reading r = read(reader, fixture(reader.id()));
        assertFalse(r.observations().isEmpty());
        assertEquals(r.observations().size(), r.report().observations());
        for (AcceptanceObservation o : r.observations()) {
            assertNotNull(o.key());
            if (o.rounds() != null) {
                assertEquals(1 + (double) o.acceptedDrafts() / o.rounds(), o.acceptLength(), 1e-12);
            }
            if (o.histogram() != null) {
                long[] s = AcceptanceObservation.survivorsOf(o.histogram());
                assertEquals(o.acceptedDrafts(), java.util.Arrays.stream(s).sum());
            }
        }
        SurvivalTally tally = new SurvivalTally();
        r.observations().forEach(tally::add);
        for (SurvivalCounts c : tally.counts()) {
            assertTrue(c.acceptLength() >= 1, c.toString());
            if (c.survivalRates() != null) {
                double before = 1;
                for (double p : c.survivalRates()) {
                    assertTrue(p >= 0 && p <= before + 1e-12);
                    before = p;
                }
            }
        }
    }

    @ParameterizedTest
    @MethodSource("readers")
    void survivesTruncationAnywhere(AcceptanceReader reader) throws IOException {
        byte[] whole = fixture(reader.id());
        int step = Math.max(1, whole.length / 150);
        for (int n = 0; n < whole.length; n += step) {
            Reading r = read(reader, java.util.Arrays.copyOf(whole, n));
            assertEquals(r.observations().size(), r.report().observations());
        }
    }

    @ParameterizedTest
    @MethodSource("readers")
    void survivesRandomDamage(AcceptanceReader reader) throws IOException {
        byte[] whole = fixture(reader.id());
        Random random = new Random(11);
        for (int trial = 0; trial < 100; trial++) {
            byte[] bytes = whole.clone();
            for (int k = 0; k < 1 + trial % 20; k++) {
                bytes[random.nextInt(bytes.length)] = (byte) random.nextInt(256);
            }
            read(reader, bytes);
        }
    }

    @ParameterizedTest
    @MethodSource("readers")
    void damagedNumbersAreSkippedAndNamed(AcceptanceReader reader) throws IOException {
        String text = new String(fixture(reader.id()), StandardCharsets.UTF_8);
        for (String bad : List.of("NaN", "-7", "1e400", "\"x\"", "null")) {
            String damaged = text.replaceAll("(?<=[:=,}] {0,2})[0-9]+(\\.[0-9]+)?(?=[,\\]} \n])", bad);
            Reading r = read(reader, damaged.getBytes(StandardCharsets.UTF_8));
            for (AcceptanceObservation o : r.observations()) {
                assertTrue(Double.isFinite(o.acceptLength()) && o.acceptLength() >= 1);
            }
            if (r.observations().isEmpty() && r.report().skippedTotal() > 0) {
                r.report().skipped().forEach((reason, skip) -> {
                    assertFalse(reason.isBlank());
                    assertTrue(skip.first().startsWith("fixture:"), skip.first());
                });
            }
        }
    }

    @ParameterizedTest
    @MethodSource("readers")
    void readsGzipAndCarriageReturnsAlike(AcceptanceReader reader) throws IOException {
        byte[] plain = fixture(reader.id());
        Reading expected = read(reader, plain);
        byte[] crlf =
                new String(plain, StandardCharsets.UTF_8).replace("\n", "\r\n").getBytes(StandardCharsets.UTF_8);
        assertEquals(
                expected.report().observations(), read(reader, crlf).report().observations());
        ByteArrayOutputStream packed = new ByteArrayOutputStream();
        try (GZIPOutputStream gzip = new GZIPOutputStream(packed)) {
            gzip.write(plain);
        }
        java.nio.file.Path file = java.nio.file.Files.createTempFile("acceptance", ".gz");
        try {
            java.nio.file.Files.write(file, packed.toByteArray());
            var result = AcceptanceReaders.tally(List.of(AcceptanceSource.of(file, AcceptanceKey.UNKNOWN)));
            assertEquals(expected.report().observations(), result.report().observations());
            java.nio.file.Files.write(file, java.util.Arrays.copyOf(packed.toByteArray(), packed.size() - 12));
            var cut = AcceptanceReaders.tally(List.of(AcceptanceSource.of(file, AcceptanceKey.UNKNOWN)));
            assertTrue(cut.report().skipped().keySet().stream().anyMatch(s -> s.contains("broke off")));
        } finally {
            java.nio.file.Files.delete(file);
        }
    }

    @ParameterizedTest
    @MethodSource("readers")
    void whatTheUserSaysFillsWhatTheSourceLeavesOpen(AcceptanceReader reader) throws IOException {
        AcceptanceKey said = new AcceptanceKey("prose", "mtp3", "other-engine", "9.9");
        byte[] bytes = fixture(reader.id());
        List<AcceptanceObservation> list = new ArrayList<>();
        AcceptanceReaders.read(
                reader,
                List.of(new AcceptanceSource("fixture", () -> new ByteArrayInputStream(bytes), said)),
                new ReadReport(),
                list::add);
        AcceptanceKey key = list.get(0).key();
        assertNotNull(key.workload());
        assertNotNull(key.method());
        assertNotNull(key.engine());
        assertNotNull(key.version());
    }

    @org.junit.jupiter.api.Test
    void idsAreUnique() {
        Set<String> ids = new HashSet<>();
        AcceptanceReaders.all().forEach(r -> assertTrue(ids.add(r.id()), r.id()));
    }
}
