package dev.foretoken.formats.trace;

import com.fasterxml.jackson.databind.JsonNode;
import dev.foretoken.formats.document.DocumentError;
import dev.foretoken.formats.io.JsonLines;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * What a vLLM server did with one request, from its per-request log. Arrivals stand on the client's clock, the rest on the
 * server's.
 *
 * @param id request id
 * @param arrivalS arrival, s
 * @param isl prompt tokens
 * @param osl output tokens
 * @param queuedS when the engine read it from its input queue, s
 * @param scheduledS when it was first scheduled, s
 * @param firstTokenS first token, s
 * @param lastTokenS last token, s
 */
public record VllmRequestTimes(
        String id,
        double arrivalS,
        int isl,
        int osl,
        double queuedS,
        double scheduledS,
        double firstTokenS,
        double lastTokenS) {

    /** Every request of a log in its order. Logs are small: they are read whole. */
    public static List<VllmRequestTimes> read(Path path) {
        List<VllmRequestTimes> all = new ArrayList<>();
        try (JsonLines lines = JsonLines.open(path)) {
            for (JsonNode n = lines.next(); n != null; n = lines.next()) {
                all.add(new VllmRequestTimes(
                        required(lines, n, "request_id").asText(),
                        required(lines, n, "arrival_time").asDouble(),
                        required(lines, n, "input_toks").asInt(),
                        required(lines, n, "output_toks").asInt(),
                        required(lines, n, "queued_ts").asDouble(),
                        required(lines, n, "scheduled_ts").asDouble(),
                        required(lines, n, "first_token_ts").asDouble(),
                        required(lines, n, "last_token_ts").asDouble()));
            }
            if (lines.skipped().count() > 0) {
                throw new DocumentError(
                        path.toString(),
                        0,
                        "",
                        "has damaged lines: " + lines.skipped().examples());
            }
        }
        return all;
    }

    private static JsonNode required(JsonLines lines, JsonNode node, String key) {
        JsonNode value = node.get(key);
        if (value == null || value.isNull()) {
            throw new DocumentError(lines.file(), (int) lines.line(), key, "required key is missing");
        }
        return value;
    }
}
