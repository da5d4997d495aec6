package dev.foretoken.calibration.aiconfigurator;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.foretoken.calibration.aiconfigurator.Finding.Action;
import dev.foretoken.formats.catalogue.Catalogue;
import dev.foretoken.formats.document.DocumentError;
import dev.foretoken.formats.profile.ProfileReader;
import dev.foretoken.sim.profile.Curve;
import dev.foretoken.sim.profile.Profile;
import dev.foretoken.sim.profile.Shape;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import java.util.zip.ZipEntry;
import java.util.zip.ZipOutputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class AiconfiguratorImportTest {
    private static final String GEMM = "rtx_pro_6000_server/gemm/sglang/0.5.14/gemm_perf.parquet";

    @TempDir
    Path temp;

    private static byte[] resource(String name) throws IOException {
        try (InputStream in = AiconfiguratorImportTest.class.getResourceAsStream("/aiconfigurator/" + name)) {
            assertNotNull(in, name);
            return in.readAllBytes();
        }
    }

    /** A folder as an unpacked wheel would be, with one table. */
    private Path unpacked(byte[] table) throws IOException {
        Path file = temp.resolve("unpacked/aiconfigurator_core/systems/data").resolve(GEMM);
        Files.createDirectories(file.getParent());
        Files.write(file, table);
        return temp.resolve("unpacked");
    }

    private static AiconfiguratorImport.Result read(Path path) {
        return AiconfiguratorImport.read(path, List.of(), Catalogue.bundled(), s -> {});
    }

    private String refused(byte[] table) throws IOException {
        Path path = unpacked(table);
        return assertThrows(DocumentError.class, () -> read(path)).getMessage();
    }

    @ParameterizedTest
    @ValueSource(strings = {"good.parquet", "good-snappy.parquet"})
    void readsATableInMicroseconds(String name) throws IOException {
        AiconfiguratorImport.Result r = read(unpacked(resource(name)));
        assertEquals(1, r.profiles().size());
        Profile p = r.profiles().get(0);
        assertEquals("rtx-pro-6000-server/sglang-0.5.14", p.id());
        assertFalse(p.source().measured());
        Curve c = p.families("gemm", "bf16").get(0).find(Shape.gemm(8192, 1024));
        // the fixture's time at one row: 2 x 8192 x 1024 bytes at 1.5 MB/us and 4 us, four digits kept
        assertEquals(15.18, c.us(1), 1e-9);
        assertEquals(8, c.size());
    }

    @Test
    void readsAWheelAndAnUnpackedFolderAlike() throws IOException {
        Path folder = unpacked(resource("good.parquet"));
        Path wheel = temp.resolve("a.whl");
        try (ZipOutputStream zip = new ZipOutputStream(Files.newOutputStream(wheel))) {
            zip.putNextEntry(new ZipEntry("aiconfigurator_core/systems/data/" + GEMM));
            zip.write(resource("good.parquet"));
            zip.closeEntry();
        }
        Path out = temp.resolve("out");
        assertEquals(AiconfiguratorImport.texts(read(folder), out), AiconfiguratorImport.texts(read(wheel), out));
    }

    @Test
    void listsWhatIsRejectedAndSuspicious() throws IOException {
        List<Finding> findings = read(unpacked(resource("good.parquet"))).findings();
        assertFinding(findings, Action.REJECTED, "fp8_block block_mm", 48, "broken: at best");
        assertFinding(findings, Action.REJECTED, "fp8 scaled_mm", 1, "zero time");
        assertFinding(findings, Action.SUSPICIOUS, "bf16 torch_linear", 1, "disturbed");
        assertFinding(findings, Action.SUSPICIOUS, "bf16 torch_linear", 6, "cache-warm");
    }

    private static void assertFinding(List<Finding> findings, Action action, String what, int rows, String reason) {
        assertTrue(
                findings.stream()
                        .anyMatch(f -> f.action() == action
                                && f.what().equals(what)
                                && f.rows() == rows
                                && f.reason().contains(reason)),
                () -> action + " " + what + " " + rows + " " + reason + " not in " + findings);
    }

    @Test
    void brokenAndUnmeasuredRowsAreInNoCurve() throws IOException {
        Profile p = read(unpacked(resource("good.parquet"))).profiles().get(0);
        assertTrue(p.families("gemm", "fp8_block").isEmpty());
        assertEquals(
                7, p.families("gemm", "fp8").get(0).find(Shape.gemm(2048, 1024)).size());
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "empty.parquet|is an empty table",
                "wrong-columns.parquet|m: column is missing; the table has framework, version",
                "negative.parquet|latency: must be a time, found -8.",
                "not-a-number.parquet|latency: must be a time, found NaN",
                "null.parquet|n: has no value in row 8",
                "other-card.parquet|device: must be timings of RTX PRO 6000 Blackwell Server, found NVIDIA H200",
                "other-engine.parquet|framework: must be timings under sglang, found VLLM",
                "other-version.parquet|version: must be timings of 0.5.14, found 0.4.0",
                "text-latency.parquet|latency: must be a column of numbers, found binary",
                "unknown-dtype.parquet|gemm_dtype: unknown dtype posit8",
                "gzip.parquet|compressed with GZIP",
            })
    void refusesATableThatIsNotWhatItShouldBe(String name, String reason) throws IOException {
        String message = refused(resource(name));
        assertTrue(message.contains(reason), message);
        assertTrue(message.contains(GEMM), message);
        assertFalse(message.contains("\n\tat "), message);
    }

    @Test
    void refusesTruncatedAndDamagedTables() throws IOException {
        byte[] good = resource("good.parquet");
        assertTrue(refused(Arrays.copyOf(good, good.length / 2)).contains("truncated"));
        assertTrue(refused(Arrays.copyOf(good, 3)).contains("is not a parquet file"));
        assertTrue(refused(new byte[0]).contains("is not a parquet file"));
        byte[] damaged = good.clone();
        Arrays.fill(damaged, 4, good.length / 2, (byte) 0x5a); // pages overwritten, footer whole
        assertTrue(refused(damaged).contains("damaged or truncated"));
        byte[] footer = good.clone();
        Arrays.fill(footer, good.length - 200, good.length - 8, (byte) 0xff);
        assertTrue(refused(footer).contains("damaged or truncated"));
    }

    @Test
    void refusesPathsWithoutTables() throws IOException {
        Path nothing = temp.resolve("nothing");
        assertTrue(assertThrows(DocumentError.class, () -> read(nothing))
                .getMessage()
                .contains("no such file or folder"));
        Files.createDirectories(nothing);
        assertTrue(assertThrows(DocumentError.class, () -> read(nothing))
                .getMessage()
                .contains("holds no tables"));
        Path text = temp.resolve("text.whl");
        Files.writeString(text, "not a zip");
        assertTrue(assertThrows(DocumentError.class, () -> read(text))
                .getMessage()
                .contains("neither a wheel nor a folder"));
    }

    @Test
    void namesTheNearestCardForAnUnknownOne() throws IOException {
        Path path = unpacked(resource("good.parquet"));
        IllegalArgumentException e = assertThrows(
                IllegalArgumentException.class,
                () -> AiconfiguratorImport.read(path, List.of("h20"), Catalogue.bundled(), s -> {}));
        assertTrue(e.getMessage().contains("did you mean h200?"), e.getMessage());
    }

    @Test
    void writesWholeFilesThatReadBackAlike() throws IOException {
        AiconfiguratorImport.Result r = read(unpacked(resource("good.parquet")));
        Path out = temp.resolve("out");
        List<Path> written = AiconfiguratorImport.write(r, out);
        Profile back = ProfileReader.read(out.resolve("profiles/rtx-pro-6000-server/sglang-0.5.14.json"));
        assertEquals(
                AiconfiguratorImport.texts(r, out),
                AiconfiguratorImport.texts(
                        new AiconfiguratorImport.Result(List.of(back), r.links(), r.findings()), out));
        try (Stream<Path> files = Files.walk(out)) {
            assertEquals(written.size(), files.filter(Files::isRegularFile).count());
        }
    }

    @Test
    void nothingIsWrittenWhenATableIsBad() throws IOException {
        Path folder = unpacked(resource("good.parquet"));
        Path second = folder.resolve("aiconfigurator_core/systems/data/h200_sxm/gemm/sglang/0.5.14/gemm_perf.parquet");
        Files.createDirectories(second.getParent());
        Files.write(second, resource("other-engine.parquet")); // neither card nor engine
        Path out = temp.resolve("out");
        assertThrows(DocumentError.class, () -> AiconfiguratorImport.write(read(folder), out));
        assertFalse(Files.exists(out));
    }
}
