package dev.foretoken.cli;

import dev.foretoken.calibration.host.CalibrationPlan;
import dev.foretoken.calibration.host.LiveLoop;
import dev.foretoken.calibration.host.LoopProgress;
import dev.foretoken.calibration.host.RecordedServer;
import dev.foretoken.cli.live.CpuMachine;
import dev.foretoken.cli.live.LiveCharts;
import dev.foretoken.cli.live.LiveTables;
import dev.foretoken.cli.live.LlamaTimedServer;
import dev.foretoken.formats.timings.TimingsFile;
import dev.foretoken.report.table.Block;
import dev.foretoken.validation.testserver.LlamaKit;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;

/** {@code demo --live-cpu}: calibrate a llama.cpp server on this CPU, fit, predict, measure. */
final class LiveCpu {
    private static final String ROOT = "foretoken.root";
    private static final long SEED = 1;

    private final Common common;
    private final int repeats;
    private final boolean resume;

    LiveCpu(Common common, int repeats, boolean resume) {
        this.common = common;
        this.repeats = repeats;
        this.resume = resume;
    }

    /** The kit of this project, installed where it is missing. */
    static LlamaKit kit(Common common) throws InterruptedException {
        String root = System.getProperty(ROOT);
        LlamaKit kit = new LlamaKit(Path.of(root == null ? "." : root));
        if (!CpuMachine.measurable()) {
            throw new UserError(
                    Exit.FAILURE, "the CPU time of a server is read from /proc, which this system does not have");
        }
        try {
            kit.install(common::note);
            kit.drafter(LlamaTimedServer.DRAFTER_LAYERS);
        } catch (IOException e) {
            throw new UserError(
                    Exit.FAILURE,
                    "the llama.cpp server could not be installed (python3 with venv, and about 200 MB from PyPI): "
                            + e.getMessage());
        }
        return kit;
    }

    /** The kit's server, whose runs are kept in the project's cache. */
    static RecordedServer server(LlamaKit kit, boolean resume) throws IOException {
        String root = System.getProperty(ROOT);
        Path journal = Path.of(root == null ? "." : root, ".cache", "live-cpu", "runs.jsonl");
        try {
            return new RecordedServer(new LlamaTimedServer(kit), journal, CpuMachine.identity(kit.versions()), resume);
        } catch (IllegalArgumentException e) {
            throw new UserError(e.getMessage());
        }
    }

    Integer call() throws IOException, InterruptedException {
        LlamaKit kit = kit(common);
        long seed = common.seed() == null ? SEED : common.seed();
        RecordedServer server = server(kit, resume);
        Map<String, Object> conditions = new LinkedHashMap<>();
        conditions.put("machine", CpuMachine.cpu());
        conditions.put("server", kit.versions());
        conditions.put("repeats", repeats);
        conditions.put("seed", seed);
        Instant started = Instant.now();
        common.note(
                "a quarter of an hour or more, by how busy this machine is; Ctrl-C keeps what was measured, and --resume goes"
                        + " on");
        Double before = CpuMachine.load();
        conditions.put("load_average_start", before);
        LiveLoop.Report report;
        try (Shown shown = new Shown(common)) {
            report = LiveLoop.run(
                    server,
                    CalibrationPlan.standard(repeats),
                    LiveLoop.settings(),
                    LiveLoop.loads(),
                    repeats,
                    seed,
                    shown);
        } catch (IOException e) {
            throw new UserError(
                    Exit.FAILURE,
                    "the loop stopped: " + e.getMessage() + ". What was measured is kept: foretoken demo --live-cpu"
                            + " --resume goes on");
        }
        conditions.put("load_average_end", CpuMachine.load());
        conditions.put("resumed_runs", server.taken());
        conditions.put("resumed_from", server.oldest());
        conditions.values().removeIf(Objects::isNull);
        print(report, conditions, server);
        if (common.out() != null) {
            TimingsFile.write(
                    common.out().resolve("timings-llama.json"),
                    report.calibration().timings(CpuMachine.provenance(kit.versions(), Main.version(), started)));
        }
        return LiveTables.good(report) ? Exit.OK : Exit.OUTSIDE_TOLERANCE;
    }

    private void print(LiveLoop.Report report, Map<String, Object> conditions, RecordedServer server)
            throws IOException {
        List<Block> blocks = new ArrayList<>();
        Block.Table<LiveLoop.Row> runs = LiveTables.runs(report);
        blocks.add(runs);
        blocks.add(LiveTables.plain(report));
        blocks.add(new Block.Sentences("Result", LiveTables.verdict(report)));
        blocks.add(new Block.Sentences("Calibrated costs", LiveTables.costs(report)));
        blocks.add(LiveTables.residuals(report));
        blocks.add(new Block.Sentences("Conditions", conditions(conditions, server)));
        BlockOutput out = new BlockOutput(
                common,
                "live-cpu",
                String.format(
                        Locale.ROOT,
                        "llama.cpp on this CPU: calibrated without accepted drafts, then %d speculative runs predicted and"
                                + " measured",
                        report.rows().size()),
                blocks,
                runs,
                LiveTables.json(report, conditions));
        out.chart("live-cpu seconds", () -> LiveCharts.seconds(report));
        out.chart("live-cpu gains", () -> LiveCharts.gains(report));
        out.chart("live-cpu rounds", () -> LiveCharts.rounds(report));
        out.write();
        if (common.out() == null) {
            common.note("Charts, tables and every run as JSON: foretoken demo --live-cpu --resume --out DIR");
        }
    }

    private static List<String> conditions(Map<String, Object> c, RecordedServer server) {
        List<String> lines = new ArrayList<>();
        lines.add(c.get("machine") + "; " + c.get("server") + "; SmolLM2-135M Q4_1, one thread; drafter: its first "
                + LlamaTimedServer.DRAFTER_LAYERS + " of 30 layers; acceptance forced by the server");
        Object before = c.get("load_average_start");
        Object after = c.get("load_average_end");
        if (before != null && after != null) {
            lines.add(String.format(
                    Locale.ROOT,
                    "load average %.1f at the start and %.1f at the end on %d processors: CPU seconds do not count waiting, wall"
                            + " clock does",
                    (Double) before,
                    (Double) after,
                    Runtime.getRuntime().availableProcessors()));
        }
        if (server.taken() > 0) {
            lines.add(server.taken() + " runs were taken from an earlier start of " + server.oldest());
        }
        return lines;
    }

    /** A bar on a terminal; a line per stage elsewhere. */
    static final class Shown implements LoopProgress, AutoCloseable {
        private final Common common;
        private Common.Progress bar;

        Shown(Common common) {
            this.common = common;
        }

        @Override
        public void stage(String what) {
            if (System.console() == null) {
                common.note(what);
            }
        }

        @Override
        public void done(long done, long total) {
            if (bar == null) {
                bar = common.progress("live CPU loop", total);
            }
            bar.accept(done);
        }

        @Override
        public void close() {
            if (bar != null) {
                bar.close();
            }
        }
    }
}
