package dev.foretoken.formats.trace;

import com.fasterxml.jackson.databind.JsonNode;
import dev.foretoken.formats.io.JsonLines;
import dev.foretoken.formats.io.Skipped;
import java.nio.file.Path;

/** Published traces in JSON Lines with one key each for time, prompt and output tokens; plain or gzip. */
final class JsonLinesTrace implements TraceReader {
    private final JsonLines lines;
    private final String timeKey;
    private final String islKey;
    private final String oslKey;
    private final double secondsPerUnit;

    /** @param secondsPerUnit seconds of one unit of the time key */
    JsonLinesTrace(Path path, String timeKey, String islKey, String oslKey, double secondsPerUnit) {
        lines = JsonLines.open(path);
        this.timeKey = timeKey;
        this.islKey = islKey;
        this.oslKey = oslKey;
        this.secondsPerUnit = secondsPerUnit;
    }

    @Override
    public Row next() {
        for (JsonNode node = lines.next(); node != null; node = lines.next()) {
            double arrival = number(node, timeKey) * secondsPerUnit;
            double isl = number(node, islKey);
            double osl = number(node, oslKey);
            String problem = Row.problem(arrival, isl, osl);
            if (problem == null) {
                return new Row(lines.line(), arrival, (int) isl, (int) osl, null, null);
            }
            lines.skip(problem);
        }
        return null;
    }

    private static double number(JsonNode node, String key) {
        JsonNode value = node.get(key);
        return value == null || !value.isNumber() ? Double.NaN : value.asDouble();
    }

    @Override
    public Skipped skipped() {
        return lines.skipped();
    }

    @Override
    public void close() {
        lines.close();
    }
}
