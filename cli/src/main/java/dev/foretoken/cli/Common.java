package dev.foretoken.cli;

import dev.foretoken.formats.scenario.ScenarioFile;
import dev.foretoken.sim.scenario.Scenario;
import java.io.IOException;
import java.io.PrintStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.function.LongConsumer;
import me.tongfei.progressbar.ProgressBar;
import me.tongfei.progressbar.ProgressBarBuilder;
import me.tongfei.progressbar.ProgressBarStyle;
import picocli.CommandLine.Option;

/** Options that every command takes. */
public final class Common {
    /** Output formats of results. */
    public enum Format {
        table,
        json,
        csv,
        md
    }

    @Option(names = "--format", paramLabel = "FORMAT", description = "table, json, csv or md (default: table)")
    private Format format;

    @Option(names = "--json", description = "the same as --format json")
    private boolean json;

    @Option(names = "--out", paramLabel = "DIR", description = "also write files and charts to this folder")
    private Path out;

    @Option(names = "--seed", paramLabel = "N", description = "base of every random stream; replaces the scenario's")
    private Long seed;

    @Option(names = "--quiet", description = "no progress and no notes on standard error")
    private boolean quiet;

    @Option(
            names = {"-v", "--verbose"},
            description = "more: every effective value and where it came from")
    private boolean verbose;

    public Format format() {
        if (json && format != null && format != Format.json) {
            throw new UserError("--json and --format " + format + " exclude each other");
        }
        return json ? Format.json : format == null ? Format.table : format;
    }

    public Path out() {
        return out;
    }

    /** Refuses a folder of --out that cannot be written, before anything is computed. */
    void checkOut() {
        if (out == null) {
            return;
        }
        if (out.toString().isBlank()) {
            throw new UserError("--out needs the name of a folder");
        }
        try {
            Files.createDirectories(out);
        } catch (IOException e) {
            throw new UserError("--out " + out + " cannot be made a folder: "
                    + (e instanceof FileAlreadyExistsException ? "a file is there" : e.getMessage()));
        }
        if (!Files.isWritable(out)) {
            throw new UserError("--out " + out + " cannot be written to");
        }
    }

    public Long seed() {
        return seed;
    }

    /** The scenarios with the seed of --seed where it is given. */
    List<Scenario> seeded(List<Scenario> variants) {
        return seed == null
                ? variants
                : variants.stream().map(v -> v.withSeed(seed)).toList();
    }

    public boolean verbose() {
        return verbose;
    }

    public boolean quiet() {
        return quiet;
    }

    /** With -v every value that a scenario runs with and where it came from. */
    void effective(ScenarioFile file) {
        if (verbose) {
            file.effective().forEach(e -> note(e.key() + ": " + e.value() + "    (" + e.origin() + ")"));
        }
    }

    /** A note on standard error, unless --quiet. */
    public void note(String line) {
        if (!quiet) {
            System.err.println(line);
        }
    }

    /** Progress on standard error: a bar on a terminal, nothing elsewhere or with --quiet. */
    public Progress progress(String task, long total) {
        boolean shown = !quiet && System.console() != null && total > 0;
        return new Progress(
                shown
                        ? new ProgressBarBuilder()
                                .setTaskName(task)
                                .setInitialMax(total)
                                .setStyle(ProgressBarStyle.ASCII)
                                .setUpdateIntervalMillis(200)
                                .continuousUpdate()
                                .build()
                        : null);
    }

    /** A progress bar that may be absent. */
    public static final class Progress implements LongConsumer, AutoCloseable {
        private final ProgressBar bar;

        private Progress(ProgressBar bar) {
            this.bar = bar;
        }

        @Override
        public void accept(long done) {
            if (bar != null) {
                bar.stepTo(done);
            }
        }

        @Override
        public void close() {
            if (bar != null) {
                bar.close();
            }
        }
    }

    /** Prints to standard output without converting line ends. */
    static void print(String text) {
        PrintStream out = System.out;
        out.print(text);
        out.flush();
    }

    static String stackTrace(Throwable t) {
        StringWriter w = new StringWriter();
        t.printStackTrace(new PrintWriter(w));
        return w.toString();
    }
}
