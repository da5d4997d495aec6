package dev.foretoken.formats.acceptance.readers;

import java.io.IOException;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * SGLang log lines ({@code Decode batch ... accept len: 3.21, accept rate: 0.64 ...}): one mean per log interval. The length
 * includes the bonus token. The rate has had several definitions, one of them above 1 (sglang#11572), and is never used. When
 * the log also prints {@code decode_log_interval} and the running requests, rounds are their product (approximate, said so);
 * else the mean comes without a count.
 */
final class SglangLogReader implements AcceptanceReader {
    private static final Pattern LENGTH = Pattern.compile("accept len(?:gth)?: *(-?[0-9.]+|nan|NaN|inf)");
    private static final Pattern RATE = Pattern.compile("accept rate: *(-?[0-9.]+)");
    private static final Pattern RUNNING = Pattern.compile("#running-req: *([0-9]+)");
    private static final Pattern INTERVAL = Pattern.compile("decode_log_interval=([0-9]+)");
    private static final Pattern DRAFTS = Pattern.compile("speculative_num_draft_tokens=([0-9]+)");
    private static final Pattern STEPS = Pattern.compile("speculative_num_steps=([0-9]+)");
    private static final Pattern TOP_K = Pattern.compile("speculative_eagle_topk=([0-9]+)");

    @Override
    public String id() {
        return "sglang-log";
    }

    @Override
    public String description() {
        return "SGLang server log (Decode batch lines)";
    }

    @Override
    public boolean recognises(String name, String head) {
        return head.contains("Decode batch") && LENGTH.matcher(head).find();
    }

    @Override
    public void read(LineReader lines, AcceptanceSink sink) throws IOException {
        Integer interval = null;
        DraftDesign design = DraftDesign.UNKNOWN;
        for (String line = lines.next(); line != null; line = lines.next()) {
            if (line.contains("speculative_num_draft_tokens=")) {
                Integer said = integer(INTERVAL, line);
                interval = said != null ? said : interval;
                design = new DraftDesign(integer(STEPS, line), minusOne(integer(DRAFTS, line)), integer(TOP_K, line));
                continue;
            }
            if (!line.contains("Decode batch")) {
                continue;
            }
            Matcher m = LENGTH.matcher(line);
            if (!m.find()) {
                sink.skip(lines.number(), "Decode batch line without accept len (speculation off, or cut)");
                continue;
            }
            Matcher rate = RATE.matcher(line);
            if (rate.find() && parse(rate.group(1)) > 1) {
                sink.converted("SGLang accept rate above 1 ignored; the accept length is used");
            }
            observe(parse(m.group(1)), integer(RUNNING, line), interval, design, lines.number(), sink);
        }
    }

    private static void observe(
            double length, Integer running, Integer interval, DraftDesign design, long line, AcceptanceSink sink) {
        AcceptanceKey key = sink.key(new AcceptanceKey(null, null, "sglang", null));
        if (running == null || running == 0 || interval == null) {
            sink.converted("SGLang log without decode_log_interval: means without a number of rounds");
            sink.observe(line, () -> AcceptanceObservation.ofMean(key, design, null, length));
            return;
        }
        sink.converted("SGLang log: rounds = decode_log_interval x running requests, approximate");
        sink.observe(line, () -> {
            if (!(length >= 1) || Double.isInfinite(length)) {
                throw new IllegalArgumentException("accept length must be at least 1: " + length);
            }
            long rounds = (long) interval * running;
            return AcceptanceObservation.ofTotals(key, design, null, rounds, Math.round((length - 1) * rounds), null);
        });
    }

    private static double parse(String text) {
        try {
            return Double.parseDouble(text.equals("nan") ? "NaN" : text.equals("inf") ? "Infinity" : text);
        } catch (NumberFormatException e) {
            return Double.NaN;
        }
    }

    private static Integer integer(Pattern p, String line) {
        Matcher m = p.matcher(line);
        return m.find() && m.group(1).length() < 9 ? Integer.valueOf(m.group(1)) : null;
    }

    private static Integer minusOne(Integer value) {
        return value == null || value == 0 ? null : value - 1;
    }
}
