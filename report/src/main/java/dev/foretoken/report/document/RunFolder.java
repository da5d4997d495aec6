package dev.foretoken.report.document;

import dev.foretoken.formats.document.DocumentError;
import dev.foretoken.formats.json.JsonFile;
import dev.foretoken.formats.scenario.Effective;
import dev.foretoken.sim.result.Result;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/**
 * The files that explore and simulate leave in a folder for reports: {@value #RESULT} (foretoken/result/1) and
 * {@value #EFFECTIVE} ({@value #EFFECTIVE_SCHEMA}: every value of the run and where it came from).
 *
 * @param result of the run
 * @param effective every value it ran with; empty when the folder does not say
 */
public record RunFolder(Result result, List<Effective> effective) {
    public static final String RESULT = "result.json";
    public static final String EFFECTIVE = "effective.json";
    public static final String EFFECTIVE_SCHEMA = "foretoken/effective/1";

    public RunFolder {
        effective = List.copyOf(effective);
    }

    /** Content of the second file. */
    private record EffectiveFile(String schema, List<Effective> values) {}

    /** Writes both files. */
    public void write(Path folder) throws IOException {
        JsonFile.write(folder.resolve(RESULT), result);
        JsonFile.write(folder.resolve(EFFECTIVE), new EffectiveFile(EFFECTIVE_SCHEMA, effective));
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
        if (!Files.isRegularFile(beside)) {
            return new RunFolder(result, List.of());
        }
        EffectiveFile effective = JsonFile.read(beside, EffectiveFile.class, EFFECTIVE_SCHEMA);
        return new RunFolder(result, effective.values() == null ? List.of() : effective.values());
    }
}
