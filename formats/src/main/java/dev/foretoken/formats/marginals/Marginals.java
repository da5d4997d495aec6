package dev.foretoken.formats.marginals;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import dev.foretoken.formats.io.JsonLines;
import dev.foretoken.formats.io.JsonLinesWriter;
import dev.foretoken.formats.io.Skipped;
import dev.foretoken.formats.json.Json;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BiConsumer;

/** Reads and writes traces of marginals as streams. */
public final class Marginals {
    private Marginals() {}

    /**
     * Streams a trace.
     *
     * @param sink takes each round with the header that holds for it
     * @return what was left out
     */
    public static Skipped read(Path path, BiConsumer<MarginalsHeader, MarginalRound> sink) {
        try (JsonLines lines = JsonLines.open(path, MarginalsHeader.SCHEMA)) {
            MarginalsHeader header = MarginalsHeader.unknown();
            for (JsonNode node = lines.next(); node != null; node = lines.next()) {
                try {
                    if (node.has("schema") && !node.has("log_probs")) {
                        header = Json.mapper().treeToValue(node, MarginalsHeader.class);
                        continue;
                    }
                    sink.accept(header, round(node));
                } catch (JsonProcessingException e) {
                    lines.skip(e.getOriginalMessage());
                } catch (IllegalArgumentException e) {
                    lines.skip(e.getMessage());
                }
            }
            return lines.skipped();
        }
    }

    private static MarginalRound round(JsonNode node) {
        JsonNode depths = array(node, "log_probs");
        double[][] logProbs = new double[depths.size()][];
        for (int d = 0; d < logProbs.length; d++) {
            JsonNode ranks = depths.get(d);
            logProbs[d] = new double[ranks.size()];
            for (int r = 0; r < logProbs[d].length; r++) {
                if (!ranks.get(r).isNumber()) {
                    throw new IllegalArgumentException("a log-probability must be a number, found " + ranks.get(r));
                }
                logProbs[d][r] = ranks.get(r).doubleValue();
            }
        }
        List<Integer> target = new ArrayList<>();
        for (JsonNode rank : array(node, "target_ranks")) {
            if (!rank.isNull() && !rank.isInt()) {
                throw new IllegalArgumentException("a target rank must be a whole number or null, found " + rank);
            }
            target.add(rank.isNull() ? null : rank.intValue());
        }
        JsonNode round = node.get("round");
        if (round == null || !round.isInt()) {
            throw new IllegalArgumentException("round must be a whole number, found " + round);
        }
        return new MarginalRound(node.path("request").asText(), round.intValue(), logProbs, target);
    }

    private static JsonNode array(JsonNode node, String key) {
        JsonNode array = node.get(key);
        if (array == null || !array.isArray()) {
            throw new IllegalArgumentException(key + " must be a list");
        }
        return array;
    }

    /** Takes one round after the other. */
    public interface Rounds {
        void add(MarginalRound round) throws IOException;
    }

    /** Hands out the rounds. */
    public interface Content {
        void writeTo(Rounds rounds) throws IOException;
    }

    /** Writes a trace; compressed when the name ends in {@code .gz}. */
    public static void write(Path path, MarginalsHeader header, Content content) throws IOException {
        JsonLinesWriter.write(path, lines -> {
            lines.add(header);
            content.writeTo(lines::add);
        });
    }
}
