package dev.foretoken.calibration.timings;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;

/**
 * Runs the native timing tool. The binary is looked for in {@code FORETOKEN_TIMING}, then where its setup script builds it; what
 * it says on standard error is handed on line by line.
 */
public final class TimingTool {
    /** Environment variable that names the binary. */
    public static final String VARIABLE = "FORETOKEN_TIMING";

    /** The tool measured what it was asked to. */
    public static final int MEASURED = 0;

    /** Bad usage or a bad shapes file. */
    public static final int USAGE = 2;

    /** No GPU, or the machine is busy: a valid file says so. */
    public static final int CANNOT_RUN = 5;

    /** Stopped by the user: what was measured is in the file. */
    public static final int STOPPED = 130;

    private final Path binary;

    private TimingTool(Path binary) {
        this.binary = binary;
    }

    /**
     * The built tool.
     *
     * @param root project root
     * @param gpu true to ask for a build with the CUDA backend; a host build is found for the host only
     * @return empty when nothing was built
     */
    public static Optional<TimingTool> find(Path root, boolean gpu) {
        String named = System.getenv(VARIABLE);
        if (named != null && !named.isBlank()) {
            Path p = Path.of(named);
            return Files.isExecutable(p) ? Optional.of(new TimingTool(p)) : Optional.empty();
        }
        Path folder = root.resolve("calibration").resolve("native");
        List<Path> places = new ArrayList<>();
        places.add(folder.resolve("build").resolve("foretoken-timing"));
        if (!gpu) {
            places.add(folder.resolve("build-host").resolve("foretoken-timing"));
        }
        return places.stream().filter(Files::isExecutable).findFirst().map(TimingTool::new);
    }

    /**
     * Builds the tool by its setup script.
     *
     * @param gpu with the CUDA backend, whose compiler comes from PyPI; else only g++ and cmake are needed
     * @param progress told each line the script prints
     * @throws IOException when the build fails; the message has the script's last line
     */
    public static TimingTool build(Path root, boolean gpu, Consumer<String> progress)
            throws IOException, InterruptedException {
        List<String> command = new ArrayList<>(List.of(
                root.resolve("calibration").resolve("native").resolve("setup").toString()));
        if (!gpu) {
            command.add("--host-only");
        }
        String[] last = {""};
        int code = execute(command, line -> {
            last[0] = line;
            progress.accept(line);
        });
        if (code != 0) {
            throw new IOException("the timing tool could not be built (" + code + "): " + last[0]);
        }
        return find(root, gpu).orElseThrow(() -> new IOException("the build left no timing tool"));
    }

    /** Path of the binary. */
    public Path binary() {
        return binary;
    }

    /**
     * Runs the tool.
     *
     * @param arguments its options, see {@code --help}; without {@code --out} what it measures is lost
     * @param progress told each line of progress
     * @return its exit code; one of the constants here, or 1 for a failure
     */
    public int run(List<String> arguments, Consumer<String> progress) throws IOException, InterruptedException {
        List<String> command = new ArrayList<>();
        command.add(binary.toString());
        command.addAll(arguments);
        return execute(command, progress);
    }

    private static int execute(List<String> command, Consumer<String> progress)
            throws IOException, InterruptedException {
        Process p = new ProcessBuilder(command)
                .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                .start();
        // a signal of the terminal reaches the tool too, which then writes what it has and ends
        try (BufferedReader lines =
                new BufferedReader(new InputStreamReader(p.getErrorStream(), StandardCharsets.UTF_8))) {
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                progress.accept(line);
            }
        }
        return p.waitFor();
    }
}
