package dev.foretoken.formats.trace;

import java.nio.file.Path;

/**
 * Mooncake's traces (JSON Lines): timestamp in milliseconds, input_length, output_length. hash_ids, which tell what prompts
 * share, are not used: prefix hits come from the engine's prefix_hit_rate.
 */
final class MooncakeTrace implements TraceFormat {
    private static final String ISL = "input_length";
    private static final String OSL = "output_length";

    @Override
    public String name() {
        return "mooncake";
    }

    @Override
    public String summary() {
        return "Mooncake JSON Lines (timestamp in ms, input_length, output_length)";
    }

    @Override
    public boolean recognises(String firstLine) {
        return firstLine.startsWith("{") && firstLine.contains('"' + ISL + '"') && firstLine.contains('"' + OSL + '"');
    }

    @Override
    public TraceReader open(Path path) {
        return new JsonLinesTrace(path, "timestamp", ISL, OSL, 1e-3);
    }
}
