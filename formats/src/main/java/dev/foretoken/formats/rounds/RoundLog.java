package dev.foretoken.formats.rounds;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import dev.foretoken.formats.io.JsonLines;
import dev.foretoken.formats.io.JsonLinesWriter;
import dev.foretoken.formats.io.Skipped;
import dev.foretoken.formats.json.Json;
import java.io.IOException;
import java.nio.file.Path;
import java.util.function.BiConsumer;

/** Reads and writes logs of rounds as streams. */
public final class RoundLog {
    private static final String[] NUMBERS = {"round", "drafted", "accepted"};

    private RoundLog() {}

    /**
     * Streams a log.
     *
     * @param sink takes each round with the header that holds for it
     * @return what was left out
     */
    public static Skipped read(Path path, BiConsumer<RoundHeader, RoundRecord> sink) {
        try (JsonLines lines = JsonLines.open(path, RoundHeader.SCHEMA)) {
            RoundHeader header = RoundHeader.unknown();
            for (JsonNode node = lines.next(); node != null; node = lines.next()) {
                try {
                    if (node.has("schema") && !node.has("accepted")) {
                        header = Json.mapper().treeToValue(node, RoundHeader.class);
                        continue;
                    }
                    sink.accept(header, record(node));
                } catch (JsonProcessingException e) {
                    lines.skip(reason(e));
                } catch (IllegalArgumentException e) {
                    lines.skip(e.getMessage());
                }
            }
            return lines.skipped();
        }
    }

    private static RoundRecord record(JsonNode node) throws JsonProcessingException {
        for (String key : NUMBERS) {
            if (!node.hasNonNull(key) || !node.get(key).isIntegralNumber()) {
                throw new IllegalArgumentException(key + " must be a whole number, found " + node.get(key));
            }
        }
        return Json.mapper().treeToValue(node, RoundRecord.class);
    }

    private static String reason(JsonProcessingException e) {
        Throwable cause = e.getCause();
        return cause instanceof IllegalArgumentException ? cause.getMessage() : e.getOriginalMessage();
    }

    /** Takes one round after the other. */
    public interface Rounds {
        void add(RoundRecord round) throws IOException;
    }

    /** Hands out the rounds. */
    public interface Content {
        void writeTo(Rounds rounds) throws IOException;
    }

    /** Writes a log; compressed when the name ends in {@code .gz}. */
    public static void write(Path path, RoundHeader header, Content content) throws IOException {
        JsonLinesWriter.write(path, lines -> {
            lines.add(header);
            content.writeTo(lines::add);
        });
    }
}
