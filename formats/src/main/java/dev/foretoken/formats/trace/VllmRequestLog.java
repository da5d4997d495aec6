package dev.foretoken.formats.trace;

import java.nio.file.Path;

/**
 * Per-request logs of a vLLM server (JSON Lines): arrival_time in seconds, input_toks, output_toks. What the server did with
 * the requests is in the same lines: see {@link VllmRequestTimes}.
 */
final class VllmRequestLog implements TraceFormat {
    private static final String ISL = "input_toks";
    private static final String OSL = "output_toks";

    @Override
    public String name() {
        return "vllm";
    }

    @Override
    public String summary() {
        return "vLLM per-request log, JSON Lines (arrival_time, input_toks, output_toks)";
    }

    @Override
    public boolean recognises(String firstLine) {
        return firstLine.startsWith("{") && firstLine.contains('"' + ISL + '"') && firstLine.contains('"' + OSL + '"');
    }

    @Override
    public TraceReader open(Path path) {
        return new JsonLinesTrace(path, "arrival_time", ISL, OSL, 1);
    }
}
