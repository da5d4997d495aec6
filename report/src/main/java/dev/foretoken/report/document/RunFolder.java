package dev.foretoken.report.document;

import dev.foretoken.formats.document.DocumentError;
import dev.foretoken.formats.json.JsonFile;
import dev.foretoken.formats.scenario.Effective;
import dev.foretoken.report.chart.PointSeries;
import dev.foretoken.sim.result.Result;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;

/**
 * The files that explore and simulate leave in a folder for reports: {@value #RESULT} (foretoken/result/1),
 * {@value #EFFECTIVE} ({@value #EFFECTIVE_SCHEMA}: every value of the run and where it came from) and, from simulations,
 * {@value #SERIES} ({@value #SERIES_SCHEMA}: what charts show of the runs beside their figures).
 *
 * @param result of the run
 * @param effective every value it ran with; empty when the folder does not say
 * @param series of its points; empty where nothing was simulated or the folder does not say
 */
public record RunFolder(Result result, List<Effective> effective, List<PointSeries> series) {
    public static final String RESULT = "result.json";
    public static final String EFFECTIVE = "effective.json";
    public static final String EFFECTIVE_SCHEMA = "foretoken/effective/1";

    public static final String SERIES = "series.json";
    public static final String SERIES_SCHEMA = "foretoken/series/1";

    public RunFolder {
        effective = List.copyOf(effective);
        series = List.copyOf(series);
        for (PointSeries s : series) {
            if (s.point() < 0 || s.point() >= result.points().size()) {
                throw new IllegalArgumentException("series of point " + s.point() + " of "
                        + result.points().size() + " points");
            }
        }
    }

    /** Content of the second file. */
    private record EffectiveFile(String schema, List<Effective> values) {}

    /** Content of the third file. */
    private record SeriesFile(String schema, String scenarioHash, List<PointSeries> series) {}

    /** Writes the files. */
    public void write(Path folder) throws IOException {
        JsonFile.write(folder.resolve(RESULT), result);
        JsonFile.write(folder.resolve(EFFECTIVE), new EffectiveFile(EFFECTIVE_SCHEMA, effective));
        if (series.isEmpty()) {
            Files.deleteIfExists(folder.resolve(SERIES));
        } else {
            JsonFile.write(folder.resolve(SERIES), new SeriesFile(SERIES_SCHEMA, result.scenarioHash(), series));
        }
    }

    /**
     * Reads a folder, or a result file of its own.
     *
     * @throws DocumentError when there is no result or it cannot be used
     */
    public static RunFolder read(Path path) {
        Path file = Files.isDirectory(path) ? path.resolve(RESULT) : path;
        if (!Files.isRegularFile(file)) {
            throw new DocumentError(
                    path.toString(),
                    0,
                    "",
                    "holds no " + RESULT + "; give a folder that a command wrote with --out, or a result file");
        }
        Result result = JsonFile.read(file, Result.class, Result.SCHEMA);
        Path beside = file.resolveSibling(EFFECTIVE);
        List<Effective> effective = List.of();
        if (Files.isRegularFile(beside)) {
            EffectiveFile read = JsonFile.read(beside, EffectiveFile.class, EFFECTIVE_SCHEMA);
            effective = read.values() == null ? List.of() : read.values();
        }
        return new RunFolder(result, effective, series(file.resolveSibling(SERIES), result));
    }

    /** Series beside a result; those of another run are left out. */
    private static List<PointSeries> series(Path file, Result result) {
        if (!result.engine().equals(Result.SIMULATION) || !Files.isRegularFile(file)) {
            return List.of();
        }
        SeriesFile read = JsonFile.read(file, SeriesFile.class, SERIES_SCHEMA);
        boolean same = Objects.equals(read.scenarioHash(), result.scenarioHash());
        return same && read.series() != null ? read.series() : List.of();
    }
}
