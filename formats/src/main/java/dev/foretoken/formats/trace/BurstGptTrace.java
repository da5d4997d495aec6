package dev.foretoken.formats.trace;

import java.nio.file.Path;

/**
 * BurstGPT (arXiv 2401.17644): Timestamp in seconds, Request tokens, Response tokens. Failed requests have 0 response tokens
 * and are left out, counted.
 */
final class BurstGptTrace implements TraceFormat {
    private static final String TIME = "Timestamp";
    private static final String ISL = "Request tokens";
    private static final String OSL = "Response tokens";

    @Override
    public String name() {
        return "burstgpt";
    }

    @Override
    public String summary() {
        return "BurstGPT CSV (Timestamp, Request tokens, Response tokens)";
    }

    @Override
    public boolean recognises(String firstLine) {
        return firstLine.contains(ISL) && firstLine.contains(OSL);
    }

    @Override
    public TraceReader open(Path path) {
        return new CsvTrace(path, TIME, ISL, OSL, CsvTrace::number);
    }
}
