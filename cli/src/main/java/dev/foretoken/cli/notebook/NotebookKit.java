package dev.foretoken.cli.notebook;

import dev.foretoken.formats.io.AtomicFiles;
import dev.foretoken.formats.json.Json;
import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.lang.module.ModuleFinder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.stream.Stream;

/**
 * The Java notebook kernel in a Python environment of the project, from PyPI: {@code .venv-notebook} under the root. What runs
 * notebooks takes about 50 MB, JupyterLab to open them about 200 MB more.
 */
public final class NotebookKit {
    /** Name of the kernel that notebooks ask for. */
    public static final String KERNEL = "foretoken";

    private static final List<String> RUN = List.of("jjava==1.0a8", "nbclient==0.11.0", "nbformat==5.11.1");
    private static final List<String> OPEN = List.of("jupyterlab==4.6.6");
    private static final int LAST_LINES = 6;

    private final Path root;
    private final Path venv;

    /** @param root project root; {@code notebooks} and {@code .venv-notebook} lie under it */
    public NotebookKit(Path root) {
        this.root = root.toAbsolutePath().normalize();
        this.venv = this.root.resolve(".venv-notebook");
    }

    /** Folder of the notebooks. */
    public Path notebooks() {
        return root.resolve("notebooks");
    }

    /** The notebooks in order of their names; none when the folder is missing. */
    public List<Path> list() throws IOException {
        if (!Files.isDirectory(notebooks())) {
            return List.of();
        }
        try (Stream<Path> files = Files.list(notebooks())) {
            return files.filter(f -> f.toString().endsWith(".ipynb")).sorted().toList();
        }
    }

    /** The Java runtime cannot compile cells: it lacks the compiler or the shell; null when it can. */
    public static String unfit() {
        for (String module : List.of("jdk.jshell", "jdk.compiler")) {
            if (ModuleFinder.ofSystem().find(module).isEmpty()) {
                return "the Java runtime in " + System.getProperty("java.home") + " has no " + module
                        + ": notebooks need a JDK (17 or newer)";
            }
        }
        return null;
    }

    /**
     * Installs what is missing and writes the kernel's description anew.
     *
     * @param open whether JupyterLab is needed
     * @param classpath of the program, for cells
     * @param progress told each step
     * @throws IOException when a step fails; the message has the tool's last lines
     */
    public void install(boolean open, String classpath, Consumer<String> progress)
            throws IOException, InterruptedException {
        if (!Files.isExecutable(bin("python"))) {
            progress.accept("setting up " + venv);
            quietly(List.of("python3", "-m", "venv", venv.toString()), 5);
        }
        List<String> packages = new ArrayList<>(RUN);
        if (open) {
            packages.addAll(OPEN);
        }
        Path done = venv.resolve("installed.txt");
        List<String> before = Files.isRegularFile(done) ? Files.readAllLines(done) : List.of();
        if (!before.containsAll(packages)) {
            progress.accept("installing " + String.join(", ", packages) + " from PyPI");
            List<String> pip = new ArrayList<>(List.of(
                    bin("python").toString(),
                    "-m",
                    "pip",
                    "install",
                    "--disable-pip-version-check",
                    "--only-binary",
                    ":all:"));
            pip.addAll(packages);
            quietly(pip, 15);
            List<String> now = new ArrayList<>(packages);
            before.stream().filter(OPEN::contains).filter(p -> !now.contains(p)).forEach(now::add);
            AtomicFiles.write(done, String.join("\n", now) + "\n");
        }
        Path kernels = venv.resolve("share").resolve("jupyter").resolve("kernels");
        Path jar = kernels.resolve("java").resolve("jjava.jar");
        if (!Files.isRegularFile(jar)) {
            throw new IOException("the kernel's package holds no " + jar);
        }
        Path spec = Files.createDirectories(kernels.resolve(KERNEL)).resolve("kernel.json");
        AtomicFiles.write(spec.resolveSibling("logging.properties"), "handlers=\n.level=OFF\n");
        AtomicFiles.write(spec, Json.pretty(spec(jar, classpath)));
    }

    private Map<String, Object> spec(Path jar, String classpath) {
        Map<String, Object> spec = new LinkedHashMap<>();
        spec.put(
                "argv",
                List.of(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-Xmx1g",
                        "-XX:+UseSerialGC",
                        "--add-opens=jdk.jshell/jdk.jshell=ALL-UNNAMED",
                        "-Djava.awt.headless=true",
                        "-Djava.util.logging.config.file={resource_dir}/logging.properties",
                        "-Dforetoken.root=" + root,
                        "-jar",
                        jar.toString(),
                        "{connection_file}"));
        spec.put("display_name", "Java (Foretoken)");
        spec.put("language", "java");
        spec.put("interrupt_mode", "message");
        spec.put("env", Map.of("JJAVA_CLASSPATH", classpath));
        return spec;
    }

    /**
     * Executes notebooks without a browser.
     *
     * @param out folder for the executed notebooks and their charts, null for none
     * @param cellLimitS longest time of one cell, seconds
     * @return 0 when every cell ran and showed what its tag says, 1 when not
     */
    public int run(List<Path> which, Path out, int cellLimitS) throws IOException, InterruptedException {
        List<String> command = new ArrayList<>(List.of(
                bin("python").toString(),
                script().toString(),
                "run",
                KERNEL,
                Integer.toString(cellLimitS),
                out == null ? "-" : out.toAbsolutePath().toString()));
        which.forEach(n -> command.add(n.toString()));
        return visibly(command);
    }

    /** Removes outputs and counters from notebooks. */
    public int clean(List<Path> which) throws IOException, InterruptedException {
        List<String> command = new ArrayList<>(List.of(bin("python").toString(), script().toString(), "clean"));
        which.forEach(n -> command.add(n.toString()));
        return visibly(command);
    }

    /**
     * Opens the folder in JupyterLab and waits until that ends.
     *
     * @param browser whether a browser is started
     */
    public int open(boolean browser) throws IOException, InterruptedException {
        List<String> command = new ArrayList<>(List.of(bin("python").toString(), "-m", "jupyterlab", "--ip=127.0.0.1"));
        if (System.getProperty("user.name").equals("root")) {
            command.add("--allow-root"); // in a container; it listens on the loopback interface and asks for its token
        }
        if (!browser) {
            command.add("--no-browser");
        }
        command.add("--notebook-dir=" + notebooks());
        return visibly(command);
    }

    private Path bin(String program) {
        return venv.resolve("bin").resolve(program);
    }

    private Path script() throws IOException {
        Path file = venv.resolve("run_notebooks.py");
        try (InputStream in = NotebookKit.class.getResourceAsStream("run_notebooks.py")) {
            if (in == null) {
                throw new IOException("no bundled script run_notebooks.py");
            }
            AtomicFiles.write(file, new String(in.readAllBytes(), StandardCharsets.UTF_8));
        }
        return file;
    }

    /** Runs a program whose output the user sees, with this environment's kernels before the user's own. */
    private static int visibly(List<String> command) throws IOException, InterruptedException {
        ProcessBuilder builder = new ProcessBuilder(command).inheritIO();
        builder.environment().put("JUPYTER_PREFER_ENV_PATH", "1");
        Process p = builder.start();
        try {
            return p.waitFor();
        } finally {
            p.destroy();
        }
    }

    private static void quietly(List<String> command, int minutes) throws IOException, InterruptedException {
        File log = File.createTempFile("foretoken-notebook", ".log");
        try {
            Process p;
            try {
                p = new ProcessBuilder(command)
                        .redirectErrorStream(true)
                        .redirectOutput(log)
                        .start();
            } catch (IOException e) {
                throw new IOException(
                        command.get(0) + " cannot be started: Python 3 with its venv module is needed", e);
            }
            boolean ended = p.waitFor(minutes, TimeUnit.MINUTES);
            if (!ended) {
                p.destroyForcibly();
            }
            if (!ended || p.exitValue() != 0) {
                List<String> lines = Files.readAllLines(log.toPath(), StandardCharsets.UTF_8);
                throw new IOException(String.join(" ", command)
                        + (ended ? " failed: " : " took too long: ")
                        + String.join(" | ", lines.subList(Math.max(0, lines.size() - LAST_LINES), lines.size())));
            }
        } finally {
            Files.deleteIfExists(log.toPath());
        }
    }
}
