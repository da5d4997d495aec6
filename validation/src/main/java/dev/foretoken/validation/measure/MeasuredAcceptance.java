package dev.foretoken.validation.measure;

import com.fasterxml.jackson.annotation.JsonInclude;
import dev.foretoken.formats.acceptance.readers.AcceptanceKey;
import dev.foretoken.formats.acceptance.readers.AcceptanceObservation;
import dev.foretoken.formats.acceptance.readers.AcceptanceReader;
import dev.foretoken.formats.acceptance.readers.AcceptanceReaders;
import dev.foretoken.formats.acceptance.readers.AcceptanceSource;
import dev.foretoken.formats.acceptance.readers.ReadReport;
import dev.foretoken.formats.acceptance.readers.SurvivalCounts;
import dev.foretoken.formats.acceptance.readers.SurvivalTally;
import dev.foretoken.validation.client.RequestRecord;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/**
 * Acceptance of a run from the best source there is: per-request figures of the engine with a shape, else rounds recovered
 * from the events of the streams, else the growth of the server's counters, else per-request totals. Rounds read off arrival times by
 * a client that was late are wrong: where totals of the engine disagree by more than 5 %, those count, without a shape.
 *
 * @param source where it comes from: requests, events, counters
 * @param acceptLength tokens per round, bonus included
 * @param rounds rounds counted
 * @param survival P(at least i + 1 drafts accepted); null when only the mean is known
 * @param perRequest accept length of each request that says it, for bootstrap by prompt
 * @param disagreement largest relative difference between the sources of the mean, null with one source
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
public record MeasuredAcceptance(
        String source,
        double acceptLength,
        long rounds,
        double[] survival,
        List<Double> perRequest,
        Double disagreement) {
    private static final String REQUESTS = "requests";
    private static final String EVENTS = "events";
    private static final double DISTURBED = 0.05;

    /**
     * Picks the best source.
     *
     * @param counters from the server's counters, null if none
     * @param events rounds recovered from events
     * @return null when nothing says it or nothing was drafted
     */
    public static MeasuredAcceptance of(
            List<RequestRecord> requests, SurvivalCounts counters, RoundRecovery.Rounds events) {
        List<Double> perRequest = new ArrayList<>();
        SurvivalCounts own = fromRequests(requests, perRequest);
        boolean recovered =
                (events.mode() == RoundRecovery.Mode.EVENT_PER_ROUND || events.mode() == RoundRecovery.Mode.BURSTS)
                        && events.histogram() != null;
        List<MeasuredAcceptance> sources = new ArrayList<>();
        if (own != null && own.histogram() != null) {
            sources.add(of(REQUESTS, own, perRequest));
        }
        if (recovered) {
            sources.add(new MeasuredAcceptance(
                    EVENTS, events.acceptLength(), events.rounds(), survival(events.histogram()), perRequest, null));
        }
        if (counters != null && counters.rounds() != null) {
            sources.add(of("counters", counters, perRequest));
        }
        if (own != null && own.histogram() == null && own.rounds() != null) {
            sources.add(of(REQUESTS, own, perRequest));
        }
        if (sources.isEmpty()) {
            return null;
        }
        MeasuredAcceptance best = exactOf(sources);
        double worst = 0;
        for (MeasuredAcceptance s : sources) {
            worst = Math.max(worst, Math.abs(s.acceptLength / best.acceptLength - 1));
        }
        return new MeasuredAcceptance(
                best.source,
                best.acceptLength,
                best.rounds,
                best.survival,
                best.perRequest,
                sources.size() > 1 ? worst : null);
    }

    /** The first source, unless it was read off arrival times and the engine's own totals say otherwise: then those. */
    private static MeasuredAcceptance exactOf(List<MeasuredAcceptance> sources) {
        MeasuredAcceptance first = sources.get(0);
        if (!first.source.equals(EVENTS)) {
            return first;
        }
        return sources.stream()
                .filter(s -> !s.source.equals(EVENTS) && Math.abs(s.acceptLength / first.acceptLength - 1) > DISTURBED)
                .reduce((a, b) -> b.source.equals(REQUESTS) ? b : a)
                .orElse(first);
    }

    private static MeasuredAcceptance of(String source, SurvivalCounts c, List<Double> perRequest) {
        return new MeasuredAcceptance(
                source, c.acceptLength(), c.rounds(), c.survivalRates(), List.copyOf(perRequest), null);
    }

    private static double[] survival(long[] tokensHistogram) {
        long[] s = AcceptanceObservation.survivorsOf(tokensHistogram);
        long rounds = java.util.Arrays.stream(tokensHistogram).sum();
        return java.util.Arrays.stream(s).mapToDouble(v -> (double) v / rounds).toArray();
    }

    /** The engines' own figures, through the shared readers. */
    private static SurvivalCounts fromRequests(List<RequestRecord> requests, List<Double> perRequest) {
        StringBuilder lines = new StringBuilder();
        for (RequestRecord r : requests) {
            if (r.engine() != null) {
                lines.append("{\"id\":\"").append(r.index()).append("\",");
                lines.append(r.engine().toString().substring(1)).append('\n');
            }
        }
        if (lines.isEmpty()) {
            return null;
        }
        byte[] bytes = lines.toString().getBytes(StandardCharsets.UTF_8);
        AcceptanceSource source =
                new AcceptanceSource("answers", () -> new ByteArrayInputStream(bytes), AcceptanceKey.UNKNOWN);
        try {
            var reader = AcceptanceReaders.recognise(source);
            if (reader.isEmpty()) {
                return null;
            }
            return tally(reader.get(), source, perRequest);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** All requests of a run share one design, known or not: their counts are one sum, with a shape if all have one. */
    private static SurvivalCounts tally(AcceptanceReader reader, AcceptanceSource source, List<Double> perRequest)
            throws IOException {
        SurvivalTally tally = new SurvivalTally();
        AcceptanceReaders.read(reader, List.of(source), new ReadReport(), o -> {
            perRequest.add(o.acceptLength());
            AcceptanceObservation plain = o.histogram() != null
                    ? AcceptanceObservation.ofHistogram(
                            AcceptanceKey.UNKNOWN,
                            dev.foretoken.formats.acceptance.readers.DraftDesign.UNKNOWN,
                            o.unit(),
                            o.histogram(),
                            o.draftedTokens(),
                            null)
                    : o;
            tally.add(plain);
        });
        List<SurvivalCounts> counts = tally.counts();
        return counts.isEmpty() ? null : counts.get(0);
    }
}
