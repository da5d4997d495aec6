package dev.foretoken.report.document;

import com.fasterxml.jackson.core.JacksonException;
import com.fasterxml.jackson.core.JsonLocation;
import com.fasterxml.jackson.core.type.TypeReference;
import dev.foretoken.formats.document.DocumentError;
import dev.foretoken.formats.io.AtomicFiles;
import dev.foretoken.formats.json.Json;
import dev.foretoken.formats.scenario.Effective;
import dev.foretoken.formats.schema.SchemaVersion;
import dev.foretoken.sim.result.Result;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/**
 * The files that explore and simulate leave in a folder for reports: {@value #RESULT} (foretoken/result/1) and
 * {@value #EFFECTIVE} (a list of key, value and origin).
 *
 * @param result of the run
 * @param effective every value it ran with; empty when the folder does not say
 */
public record RunFolder(Result result, List<Effective> effective) {
    public static final String RESULT = "result.json";
    public static final String EFFECTIVE = "effective.json";

    public RunFolder {
        effective = List.copyOf(effective);
    }

    /** Writes both files. */
    public void write(Path folder) throws IOException {
        AtomicFiles.write(folder.resolve(RESULT), out -> Json.mapper().writeValue(out, result));
        AtomicFiles.write(folder.resolve(EFFECTIVE), Json.pretty(effective));
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
                    "holds no " + RESULT + "; give a folder that explore or simulate"
                            + " wrote with --out, or a result file");
        }
        Result result = parse(file, new TypeReference<Result>() {});
        String problem = result == null ? "is empty" : SchemaVersion.problem(result.schema(), Result.SCHEMA);
        if (problem != null) {
            throw new DocumentError(file.toString(), 0, "schema", problem);
        }
        Path beside = file.resolveSibling(EFFECTIVE);
        return new RunFolder(
                result,
                Files.isRegularFile(beside) ? parse(beside, new TypeReference<List<Effective>>() {}) : List.of());
    }

    private static <T> T parse(Path file, TypeReference<T> type) {
        try {
            return Json.mapper().readValue(file.toFile(), type);
        } catch (JacksonException e) {
            JsonLocation at = e.getLocation();
            String what = e.getOriginalMessage() == null
                    ? "cannot be read"
                    : e.getOriginalMessage().lines().findFirst().orElse("");
            throw new DocumentError(file.toString(), at == null ? 0 : at.getLineNr(), "", what);
        } catch (IOException e) {
            throw new DocumentError(file.toString(), 0, "", "cannot be read: " + e.getMessage());
        }
    }
}
