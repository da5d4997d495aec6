package dev.foretoken.formats.acceptance.readers;

import com.fasterxml.jackson.databind.JsonNode;
import dev.foretoken.formats.document.Nearest;
import java.io.IOException;
import java.util.List;

/**
 * {@code foretoken/rounds/1} (JSON Lines): one round per line with request, round, drafted, accepted (bonus excluded) and
 * design. A line with only {@code schema} and common fields is a header for the lines after it.
 */
final class RoundsReader implements AcceptanceReader {
    private static final String SCHEMA = "foretoken/rounds/";
    private static final List<String> DESIGN_KEYS = List.of("length", "budget", "top_k", "depth");

    @Override
    public String id() {
        return "rounds";
    }

    @Override
    public String description() {
        return "foretoken/rounds/1 logs, one round per line";
    }

    @Override
    public boolean recognises(String name, String head) {
        return head.contains(SCHEMA);
    }

    @Override
    public void read(LineReader lines, AcceptanceSink sink) throws IOException {
        JsonNode[] header = {null};
        JsonRecords.forEach(lines, sink, (record, line) -> {
            String schema = JsonRecords.text(record, "schema");
            if (schema != null && !schema.equals(SCHEMA + "1")) {
                sink.skip(line, "schema " + schema + " is not read by this version");
                return;
            }
            if (!record.has("accepted")) {
                if (schema != null) {
                    header[0] = record;
                } else {
                    sink.skip(line, "accepted is missing");
                }
                return;
            }
            sink.observe(line, () -> observation(record, header[0], sink));
        });
    }

    private static AcceptanceObservation observation(JsonNode record, JsonNode header, AcceptanceSink sink) {
        AcceptanceKey own = keyOf(record);
        AcceptanceKey key = sink.key(header == null ? own : own.orElse(keyOf(header)));
        JsonNode design =
                record.hasNonNull("design") ? record.get("design") : header == null ? null : header.get("design");
        long accepted = JsonRecords.requiredCount(record, "accepted");
        Long drafted = JsonRecords.count(record, "drafted");
        if (drafted != null && accepted > drafted) {
            throw new IllegalArgumentException(
                    "acceptance rate above 1: " + accepted + " accepted of " + drafted + " drafted");
        }
        if (accepted > 100_000) {
            throw new IllegalArgumentException("accepted drafts of one round: " + accepted);
        }
        long[] histogram = new long[(int) accepted + 1];
        histogram[(int) accepted] = 1;
        return AcceptanceObservation.ofHistogram(
                key,
                designOf(design, sink),
                JsonRecords.text(record, "request", "request_id"),
                histogram,
                drafted,
                new int[] {(int) accepted});
    }

    private static AcceptanceKey keyOf(JsonNode n) {
        return new AcceptanceKey(
                JsonRecords.text(n, "workload"),
                JsonRecords.text(n, "method"),
                JsonRecords.text(n, "engine"),
                JsonRecords.text(n, "version"));
    }

    /** Length of a chain or depth of a tree, budget and top-k; what else a design says is named, not used. */
    private static DraftDesign designOf(JsonNode design, AcceptanceSink sink) {
        if (design == null || design.isNull()) {
            return DraftDesign.UNKNOWN;
        }
        if (!design.isObject()) {
            throw new IllegalArgumentException("design must be a map, found " + design);
        }
        design.fieldNames().forEachRemaining(key -> {
            if (!DESIGN_KEYS.contains(key)) {
                sink.converted("the design key " + key + " was ignored: a design has " + String.join(", ", DESIGN_KEYS)
                        + Nearest.phrase(key, DESIGN_KEYS));
            }
        });
        Integer length = integer(JsonRecords.count(design, "length"));
        Integer depth = integer(JsonRecords.count(design, "depth"));
        if (length != null && depth != null && !length.equals(depth)) {
            throw new IllegalArgumentException(
                    "a design has a length or a depth, not two of them: " + length + " and " + depth);
        }
        return new DraftDesign(
                length != null ? length : depth,
                integer(JsonRecords.count(design, "budget")),
                integer(JsonRecords.count(design, "top_k")));
    }

    private static Integer integer(Long value) {
        return value == null ? null : Math.toIntExact(value);
    }
}
