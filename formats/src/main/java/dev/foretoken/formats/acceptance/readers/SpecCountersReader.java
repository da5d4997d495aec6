package dev.foretoken.formats.acceptance.readers;

import dev.foretoken.formats.prometheus.CounterDeltas;
import java.io.IOException;
import java.util.Map;
import java.util.OptionalDouble;

/**
 * Speculative counters of a /metrics page under one prefix: {@code <prefix>spec_decode_num_drafts},
 * {@code ..._num_draft_tokens}, {@code ..._num_accepted_tokens} and {@code ..._num_accepted_tokens_per_pos}, with or without
 * {@code _total}, summed over engines. Several scrapes give their growth; one scrape the counts since the server started.
 * Accepted per position is survival: accept length = 1 + accepted / drafts.
 */
final class SpecCountersReader implements AcceptanceReader {
    private final String id;
    private final String prefix;
    private final String engine;

    SpecCountersReader(String id, String prefix, String engine) {
        this.id = id;
        this.prefix = prefix;
        this.engine = engine;
    }

    @Override
    public String id() {
        return id;
    }

    @Override
    public String description() {
        return engine + " /metrics scrapes (speculative counters, growth over the scrapes)";
    }

    @Override
    public boolean recognises(String name, String head) {
        return ScrapeSeries.looksLikeMetrics(head, prefix);
    }

    @Override
    public boolean scrapes() {
        return true;
    }

    @Override
    public void read(LineReader lines, AcceptanceSink sink) throws IOException {
        CounterDeltas deltas = ScrapeSeries.read(lines, sink, s -> s.startsWith(prefix + "spec_decode_"));
        String drafts = prefix + "spec_decode_num_drafts";
        ScrapeSeries.sayWindow(deltas, drafts, engine, sink);
        OptionalDouble rounds = deltas.growth(drafts);
        OptionalDouble accepted = deltas.growth(prefix + "spec_decode_num_accepted_tokens");
        if (rounds.isEmpty() || accepted.isEmpty()) {
            sink.skip(lines.number(), "no " + drafts + " counter (speculation off?)");
            return;
        }
        if (rounds.getAsDouble() == 0) {
            sink.skip(lines.number(), "no drafts between the scrapes");
            return;
        }
        OptionalDouble drafted = deltas.growth(prefix + "spec_decode_num_draft_tokens");
        Map<String, Double> byPosition =
                deltas.growthBy(prefix + "spec_decode_num_accepted_tokens_per_pos", "position");
        sink.observe(lines.number(), () -> observation(rounds, accepted, drafted, byPosition, sink));
    }

    private AcceptanceObservation observation(
            OptionalDouble rounds,
            OptionalDouble accepted,
            OptionalDouble drafted,
            Map<String, Double> byPosition,
            AcceptanceSink sink) {
        AcceptanceKey key = sink.key(new AcceptanceKey(null, null, engine, null));
        long n = Math.round(rounds.getAsDouble());
        long a = Math.round(accepted.getAsDouble());
        Long d = drafted.isPresent() ? Math.round(drafted.getAsDouble()) : null;
        if (byPosition.isEmpty()) {
            return AcceptanceObservation.ofTotals(key, DraftDesign.UNKNOWN, null, n, a, d);
        }
        long[] survivors = new long[byPosition.size()];
        byPosition.forEach((position, count) -> {
            int i = position.matches("[0-9]{1,4}") ? Integer.parseInt(position) : -1;
            if (i < 0 || i >= survivors.length) {
                throw new IllegalArgumentException("positions are not 0.." + (survivors.length - 1) + ": " + position);
            }
            survivors[i] = Math.round(count);
        });
        long sum = java.util.Arrays.stream(survivors).sum();
        if (sum != a) {
            throw new IllegalArgumentException("accepted by position sum to " + sum + ", the total is " + a
                    + " (a counter was reset or scraped in between)");
        }
        return AcceptanceObservation.ofSurvivors(key, DraftDesign.chain(survivors.length), null, n, survivors, d);
    }
}
