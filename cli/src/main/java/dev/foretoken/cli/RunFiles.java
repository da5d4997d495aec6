package dev.foretoken.cli;

import dev.foretoken.formats.json.Json;
import dev.foretoken.formats.requests.ServedRequests;
import dev.foretoken.formats.timeline.TimelineFile;
import dev.foretoken.sim.serving.EngineListener;
import dev.foretoken.sim.serving.SimulationPoint;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import java.util.function.Function;

/** Files that simulated points write while they run: requests and timelines. */
final class RunFiles {
    /** Nothing is written. */
    static final RunFiles NONE = new RunFiles(null, null);

    /** Characters of a point in a file's name; longer ones end in a hash. */
    private static final int LONGEST = 180;

    private final Path requests;
    private final Path timeline;
    private final Set<Path> used = ConcurrentHashMap.newKeySet();
    private boolean several;

    RunFiles(Path requests, Path timeline) {
        this.requests = requests;
        this.timeline = timeline;
    }

    boolean asked() {
        return requests != null || timeline != null;
    }

    /** Number of points of the grid: several points get a file each. */
    void points(long count) {
        several = count > 1;
    }

    SimulationPoint run(String label, Function<EngineListener[], SimulationPoint> simulation) {
        if (!asked()) {
            return simulation.apply(new EngineListener[0]);
        }
        try {
            return run(label, simulation, new ArrayList<>());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private SimulationPoint run(
            String label, Function<EngineListener[], SimulationPoint> simulation, List<EngineListener> listeners)
            throws IOException {
        SimulationPoint[] point = new SimulationPoint[1];
        Consumer<EngineListener> last = listener -> {
            listeners.add(listener);
            point[0] = simulation.apply(listeners.toArray(EngineListener[]::new));
        };
        if (requests == null) {
            TimelineFile.write(named(timeline, label), label, TimelineFile.DEFAULT_STEPS, last);
        } else if (timeline == null) {
            ServedRequests.write(named(requests, label), last);
        } else {
            Path rows = named(requests, label);
            TimelineFile.write(named(timeline, label), label, TimelineFile.DEFAULT_STEPS, listener -> {
                listeners.add(listener);
                try {
                    ServedRequests.write(rows, last);
                } catch (IOException e) {
                    throw new UncheckedIOException(e);
                }
            });
        }
        return point[0];
    }

    /** Refuses a place that cannot be written, before anything is simulated. */
    void check() {
        check("--requests", requests);
        check("--timeline", timeline);
    }

    private static void check(String option, Path file) {
        if (file == null) {
            return;
        }
        if (file.toString().isBlank()) {
            throw new UserError(option + " needs the name of a file");
        }
        if (Files.isDirectory(file)) {
            throw new UserError(option + " " + file + " is a folder: give the name of a file");
        }
        Path folder = file.toAbsolutePath().getParent();
        try {
            Files.createDirectories(folder);
        } catch (IOException e) {
            throw new UserError(option + " " + file + ": no folder can be made at " + folder + ": "
                    + (e instanceof FileAlreadyExistsException ? "a file is there" : e.getMessage()));
        }
        if (!Files.isWritable(folder)) {
            throw new UserError(option + " " + file + ": the folder " + folder + " cannot be written to");
        }
    }

    /** requests.csv of ddtree B=16 on code, TP 4, c=8 is requests-ddtree-b-16-on-code-tp-4-c-8.csv; no name is given twice. */
    private Path named(Path file, String label) {
        if (!several) {
            return file;
        }
        String name = file.getFileName().toString();
        int dot = name.lastIndexOf('.');
        String stem = dot > 0 ? name.substring(0, dot) : name;
        String ending = dot > 0 ? name.substring(dot) : "";
        String slug = label.toLowerCase(Locale.ROOT).replaceAll("[^a-z0-9.]+", "-");
        if (slug.length() > LONGEST) {
            slug = slug.substring(0, LONGEST - 9) + "-" + Json.hash(label).substring(0, 8);
        }
        for (int i = 1; ; i++) {
            Path path = file.resolveSibling(stem + "-" + slug + (i == 1 ? "" : "-" + i) + ending);
            if (used.add(path)) {
                return path;
            }
        }
    }
}
