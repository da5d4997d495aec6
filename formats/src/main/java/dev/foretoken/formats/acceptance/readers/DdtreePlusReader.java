package dev.foretoken.formats.acceptance.readers;

import java.io.IOException;
import java.util.Map;

/**
 * Round logs of hxri/ddtreeplus as CSV: one round per row. accepted_length counts the bonus token (1..16 at block 16), so
 * accepted drafts = accepted_length - 1. Only rows with clean = yes (fixed width profile) follow one design.
 */
final class DdtreePlusReader implements AcceptanceReader {
    private static final int BLOCK_16_DRAFTS = 15;

    @Override
    public String id() {
        return "ddtreeplus-csv";
    }

    @Override
    public String description() {
        return "round logs of ddtreeplus (CSV, rows with clean = yes)";
    }

    @Override
    public boolean recognises(String name, String head) {
        return head.contains("accepted_length") && head.contains("effective_budget");
    }

    @Override
    public void read(LineReader lines, AcceptanceSink sink) throws IOException {
        sink.converted("ddtreeplus: accepted drafts = accepted_length - 1 (the column counts the bonus token)");
        CsvTable.forEach(lines, sink, (row, line) -> {
            if (!"yes".equals(row.getOrDefault("clean", "yes"))) {
                sink.skip(line, "clean is not yes: the width profile changes from round to round");
                return;
            }
            sink.observe(line, () -> observation(row, sink));
        });
    }

    private static AcceptanceObservation observation(Map<String, String> row, AcceptanceSink sink) {
        int tokens = integer(row, "accepted_length");
        int budget = integer(row, "effective_budget");
        if (tokens < 1 || tokens > BLOCK_16_DRAFTS + 1) {
            throw new IllegalArgumentException("accepted_length outside 1..16: " + tokens);
        }
        long[] histogram = new long[tokens];
        histogram[tokens - 1] = 1;
        return AcceptanceObservation.ofHistogram(
                sink.key(new AcceptanceKey(null, "ddtree", "ddtreeplus", null)),
                new DraftDesign(BLOCK_16_DRAFTS, budget, null),
                row.get("sample_index"),
                histogram,
                (long) budget,
                new int[] {tokens - 1});
    }

    private static int integer(Map<String, String> row, String column) {
        String text = row.get(column);
        if (text == null || text.isEmpty()) {
            throw new IllegalArgumentException(column + " is missing");
        }
        try {
            return Integer.parseInt(text);
        } catch (NumberFormatException e) {
            throw new IllegalArgumentException(column + " is not a whole number: " + text, e);
        }
    }
}
