package dev.foretoken.formats.acceptance.readers;

import java.io.IOException;
import java.util.Arrays;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * llama.cpp log lines, one per request: {@code draft acceptance = 0.72 (39 accepted / 54 generated), mean len = 3.17, acc per
 * pos = (0.89, 0.72, 0.56)}; older ones print {@code draft acceptance rate = 0.57 (43 accepted / 75 generated)} only. The
 * mean length includes the bonus token; rates per position are survival over the rounds that drafted.
 */
final class LlamaCppLogReader implements AcceptanceReader {
    private static final Pattern COUNTS = Pattern.compile(
            "draft acceptance(?: rate)? *= *([0-9.]+) *\\( *([0-9]+) accepted */ *([0-9]+) generated\\)");
    private static final Pattern MEAN = Pattern.compile("mean len *= *([0-9.]+)");
    private static final Pattern POSITIONS = Pattern.compile("acc per pos *= *\\(([0-9., ]+)\\)");

    @Override
    public String id() {
        return "llamacpp-log";
    }

    @Override
    public String description() {
        return "llama.cpp server log (draft acceptance lines)";
    }

    @Override
    public boolean recognises(String name, String head) {
        return head.contains("draft acceptance") && head.contains("generated)");
    }

    @Override
    public void read(LineReader lines, AcceptanceSink sink) throws IOException {
        for (String line = lines.next(); line != null; line = lines.next()) {
            if (!line.contains("draft acceptance")) {
                continue;
            }
            Matcher m = COUNTS.matcher(line);
            if (!m.find()) {
                sink.skip(lines.number(), "draft acceptance line without counts (truncated?)");
                continue;
            }
            String text = line;
            sink.observe(lines.number(), () -> observation(m, text, sink));
        }
    }

    private static AcceptanceObservation observation(Matcher m, String line, AcceptanceSink sink) {
        long accepted = Long.parseLong(m.group(2));
        long drafted = Long.parseLong(m.group(3));
        if (accepted > drafted) {
            throw new IllegalArgumentException(
                    "acceptance rate above 1: " + accepted + " accepted of " + drafted + " drafted");
        }
        AcceptanceKey key = sink.key(new AcceptanceKey(null, null, "llama.cpp", null));
        Matcher mean = MEAN.matcher(line);
        if (!mean.find()) {
            throw new IllegalArgumentException(
                    "no mean length: rounds cannot be told from accepted and generated drafts");
        }
        double tau = Double.parseDouble(mean.group(1));
        Matcher positions = POSITIONS.matcher(line);
        double[] rates = positions.find()
                ? Arrays.stream(positions.group(1).split(","))
                        .map(String::strip)
                        .filter(s -> !s.isEmpty())
                        .mapToDouble(Double::parseDouble)
                        .toArray()
                : null;
        long rounds = rounds(tau, accepted, drafted, rates);
        if (rates == null || rates.length == 0) {
            return AcceptanceObservation.ofTotals(key, DraftDesign.UNKNOWN, null, rounds, accepted, drafted);
        }
        sink.converted("llama.cpp log: counts by position recovered from rates printed with three digits");
        long[] survivors = new long[rates.length];
        for (int i = 0; i < rates.length; i++) {
            if (!(rates[i] <= 1)) {
                throw new IllegalArgumentException("acceptance rate above 1: " + rates[i]);
            }
            survivors[i] = Math.round(rates[i] * rounds);
        }
        long sum = Arrays.stream(survivors).sum();
        if (sum != accepted) {
            return AcceptanceObservation.ofTotals(
                    key, DraftDesign.chain(rates.length), null, rounds, accepted, drafted);
        }
        return AcceptanceObservation.ofSurvivors(
                key, DraftDesign.chain(rates.length), null, rounds, survivors, drafted);
    }

    /** Rounds n with 1 + accepted / n = mean length; with nothing accepted the drafts bound it from the positions. */
    private static long rounds(double tau, long accepted, long drafted, double[] rates) {
        if (accepted > 0) {
            if (!(tau > 1)) {
                throw new IllegalArgumentException("mean length " + tau + " with " + accepted + " accepted drafts");
            }
            return Math.round(accepted / (tau - 1));
        }
        int k = rates == null || rates.length == 0 ? 1 : rates.length;
        if (drafted == 0) {
            throw new IllegalArgumentException("nothing was drafted");
        }
        return Math.max(1, Math.round((double) drafted / k));
    }
}
