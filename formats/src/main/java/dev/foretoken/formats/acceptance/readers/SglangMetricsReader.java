package dev.foretoken.formats.acceptance.readers;

import dev.foretoken.formats.prometheus.CounterDeltas;
import java.io.IOException;
import java.util.OptionalDouble;

/**
 * SGLang /metrics scrapes. Accept length over a drained window = (generated tokens - requests) / verify calls: the first
 * token of each request comes from prefill. Without {@code num_requests_total} the first tokens stay in and the value is up to
 * one token per answer too high, said so. The gauge {@code sglang:spec_accept_length} covers the last log interval only and
 * is used, without a count, where the counters are missing.
 */
final class SglangMetricsReader implements AcceptanceReader {
    private static final String PREFIX = "sglang:";

    @Override
    public String id() {
        return "sglang-metrics";
    }

    @Override
    public String description() {
        return "SGLang /metrics scrapes (growth of generated tokens and verify calls)";
    }

    @Override
    public boolean recognises(String name, String head) {
        return ScrapeSeries.looksLikeMetrics(head, PREFIX);
    }

    @Override
    public boolean scrapes() {
        return true;
    }

    @Override
    public void read(LineReader lines, AcceptanceSink sink) throws IOException {
        double[] gauge = {Double.NaN};
        CounterDeltas deltas = ScrapeSeries.read(
                lines,
                sink,
                n -> n.equals("sglang:generation_tokens_total")
                        || n.equals("sglang:spec_verify_calls_total")
                        || n.equals("sglang:num_requests_total")
                        || n.equals("sglang:spec_accept_length"));
        deltas.latest("sglang:spec_accept_length").ifPresent(v -> gauge[0] = v);
        ScrapeSeries.sayWindow(deltas, "sglang:spec_verify_calls_total", "sglang", sink);
        OptionalDouble calls = deltas.growth("sglang:spec_verify_calls_total");
        OptionalDouble tokens = deltas.growth("sglang:generation_tokens_total");
        AcceptanceKey key = sink.key(new AcceptanceKey(null, null, "sglang", null));
        if (calls.isPresent() && tokens.isPresent() && calls.getAsDouble() > 0) {
            OptionalDouble requests = deltas.growth("sglang:num_requests_total");
            sink.converted(
                    requests.isPresent()
                            ? "SGLang /metrics: accepted drafts = generated tokens - requests - verify calls"
                            : "SGLang /metrics: no num_requests_total, first tokens (prefill's) are counted as accepted drafts");
            long n = Math.round(calls.getAsDouble());
            long accepted = Math.round(tokens.getAsDouble() - requests.orElse(0)) - n;
            sink.observe(
                    lines.number(),
                    () -> AcceptanceObservation.ofTotals(key, DraftDesign.UNKNOWN, null, n, accepted, null));
        } else if (gauge[0] >= 1) {
            sink.converted("SGLang /metrics: gauge of the last log interval, no number of rounds");
            sink.observe(lines.number(), () -> AcceptanceObservation.ofMean(key, DraftDesign.UNKNOWN, null, gauge[0]));
        } else {
            sink.skip(lines.number(), "no verify calls between the scrapes (speculation off?)");
        }
    }
}
