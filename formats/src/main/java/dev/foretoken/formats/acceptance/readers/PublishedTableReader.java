package dev.foretoken.formats.acceptance.readers;

import java.io.IOException;
import java.util.Arrays;
import java.util.List;
import java.util.Map;

/**
 * Published tables as CSV: mean accept length by k ({@code num_speculative_tokens}, {@code k}, {@code steps}) or by tree
 * budget ({@code budget}), the mean in {@code accept_length}, {@code golden_al}, {@code al} or {@code tau}; or survival rates
 * in {@code per_position} separated by spaces. Optional columns workload (or mode), method, engine, version, top_k, rounds.
 * Means include the bonus token; each row is a measurement of its own, so a curve may fall.
 */
final class PublishedTableReader implements AcceptanceReader {
    private static final List<String> MEAN = List.of("accept_length", "golden_al", "al", "tau", "mean_accept_length");
    private static final List<String> LENGTH = List.of("num_speculative_tokens", "k", "steps", "length");

    @Override
    public String id() {
        return "published-table";
    }

    @Override
    public String description() {
        return "published tables (CSV): mean accept length by k or by budget, or survival by position";
    }

    @Override
    public boolean recognises(String name, String head) {
        String first = head.lines()
                .filter(l -> !l.startsWith("#") && !l.isBlank())
                .findFirst()
                .orElse("");
        List<String> columns = Arrays.stream(
                        first.toLowerCase(java.util.Locale.ROOT).split(","))
                .map(String::strip)
                .toList();
        return (columns.stream().anyMatch(MEAN::contains) || columns.contains("per_position"))
                && (columns.stream().anyMatch(LENGTH::contains) || columns.contains("budget"))
                && !columns.contains("case_id");
    }

    @Override
    public void read(LineReader lines, AcceptanceSink sink) throws IOException {
        CsvTable.forEach(lines, sink, (row, line) -> sink.observe(line, () -> observation(row, sink)));
    }

    private static AcceptanceObservation observation(Map<String, String> row, AcceptanceSink sink) {
        String model = first(row, List.of("model"));
        String mode = first(row, List.of("workload", "mode", "dataset"));
        String workload = model == null ? mode : mode == null ? model : model + " " + mode;
        AcceptanceKey key = sink.key(new AcceptanceKey(
                workload,
                first(row, List.of("method", "file")),
                first(row, List.of("engine")),
                first(row, List.of("version", "engine_version"))));
        String budget = first(row, List.of("budget"));
        String length = first(row, LENGTH);
        String topK = first(row, List.of("top_k"));
        DraftDesign design = new DraftDesign(whole(length), whole(budget), whole(topK));
        String positions = first(row, List.of("per_position"));
        if (positions != null) {
            double[] rates = Arrays.stream(positions.split("[ ;,]+"))
                    .mapToDouble(PublishedTableReader::number)
                    .toArray();
            return AcceptanceObservation.ofRates(key, design, null, rates);
        }
        String mean = first(row, MEAN);
        if (mean == null) {
            throw new IllegalArgumentException("no accept length");
        }
        double tau = number(mean);
        String rounds = first(row, List.of("rounds"));
        if (rounds != null) {
            long n = Math.round(number(rounds));
            return AcceptanceObservation.ofTotals(key, design, null, n, Math.round((tau - 1) * n), null);
        }
        if (budget != null && tau > number(budget) + 1) {
            throw new IllegalArgumentException(
                    "accept length " + tau + " exceeds budget + 1 = " + (number(budget) + 1));
        }
        return AcceptanceObservation.ofMean(key, design, null, tau);
    }

    private static String first(Map<String, String> row, List<String> columns) {
        for (String c : columns) {
            String v = row.get(c);
            if (v != null && !v.isEmpty()) {
                return v;
            }
        }
        return null;
    }

    private static Integer whole(String text) {
        if (text == null) {
            return null;
        }
        double d = number(text);
        if (d != Math.rint(d) || d < 0 || d > 1e6) {
            throw new IllegalArgumentException("not a whole number: " + text);
        }
        return (int) d;
    }

    private static double number(String text) {
        double d;
        try {
            d = Double.parseDouble(text);
        } catch (NumberFormatException e) {
            throw new IllegalArgumentException("not a number: " + text, e);
        }
        if (!Double.isFinite(d)) {
            throw new IllegalArgumentException("not a finite number: " + text);
        }
        return d;
    }
}
