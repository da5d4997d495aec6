package dev.foretoken.formats.acceptance.readers;

import java.io.IOException;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * vLLM log lines ({@code SpecDecoding metrics: Mean acceptance length: 2.46, ... Accepted: 498 tokens, Drafted: 1005 tokens,
 * Per-position acceptance rate: 0.690, 0.486, 0.284, ...}). Rates are survival per draft, so drafts = drafted / positions.
 * Versions before May 2025 print the mean without the bonus token (vllm#17908): recognised from the counts and converted.
 */
final class VllmLogReader implements AcceptanceReader {
    private static final Pattern MEAN = Pattern.compile("Mean acceptance length: *([0-9.]+)");
    private static final Pattern ACCEPTED = Pattern.compile("Accepted: *([0-9]+) tokens");
    private static final Pattern DRAFTED = Pattern.compile("Drafted: *([0-9]+) tokens");
    private static final Pattern RATES = Pattern.compile("Per-position acceptance rate: *([0-9., ]+[0-9])");
    private static final double PRINTED = 0.03;

    @Override
    public String id() {
        return "vllm-log";
    }

    @Override
    public String description() {
        return "vLLM server log (SpecDecoding metrics lines)";
    }

    @Override
    public boolean recognises(String name, String head) {
        return head.contains("Mean acceptance length:");
    }

    @Override
    public void read(LineReader lines, AcceptanceSink sink) throws IOException {
        for (String line = lines.next(); line != null; line = lines.next()) {
            if (!line.contains("Mean acceptance length:")) {
                continue;
            }
            String text = line;
            sink.observe(lines.number(), () -> observation(text, sink));
        }
    }

    private static AcceptanceObservation observation(String line, AcceptanceSink sink) {
        double mean = Double.parseDouble(group(MEAN, line, "mean acceptance length"));
        long accepted = Long.parseLong(group(ACCEPTED, line, "Accepted"));
        long drafted = Long.parseLong(group(DRAFTED, line, "Drafted"));
        String[] printed = group(RATES, line, "per-position rates").split("[, ]+");
        int k = printed.length;
        if (drafted == 0 || drafted % k != 0) {
            throw new IllegalArgumentException(
                    "drafted tokens " + drafted + " are not a multiple of the " + k + " positions (truncated line?)");
        }
        long drafts = drafted / k;
        long[] survivors = new long[k];
        for (int i = 0; i < k; i++) {
            double rate = Double.parseDouble(printed[i]);
            if (!(rate <= 1)) {
                throw new IllegalArgumentException("acceptance rate above 1: " + rate);
            }
            survivors[i] = Math.round(rate * drafts);
        }
        double tau = 1 + (double) accepted / drafts;
        if (Math.abs(mean - (tau - 1)) < Math.min(PRINTED, Math.abs(mean - tau))) {
            sink.converted("vLLM before May 2025: mean acceptance length without the bonus token, 1 added");
        } else if (Math.abs(mean - tau) > PRINTED) {
            throw new IllegalArgumentException("mean acceptance length " + mean + " is neither 1 + accepted / drafts = "
                    + tau + " nor that without the bonus token");
        }
        AcceptanceKey key = sink.key(new AcceptanceKey(null, null, "vllm", null));
        long sum = java.util.Arrays.stream(survivors).sum();
        if (Math.abs(sum - accepted) > k * (1 + drafts * 5e-4)) {
            throw new IllegalArgumentException(
                    "rates by position give " + sum + " accepted drafts, the line says " + accepted);
        }
        return AcceptanceObservation.ofSurvivors(key, DraftDesign.chain(k), null, drafts, survivors, drafted);
    }

    private static String group(Pattern p, String line, String what) {
        Matcher m = p.matcher(line);
        if (!m.find()) {
            throw new IllegalArgumentException("no " + what + " in the line (truncated?)");
        }
        return m.group(1);
    }
}
