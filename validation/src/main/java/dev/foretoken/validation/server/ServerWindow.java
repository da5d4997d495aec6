package dev.foretoken.validation.server;

import com.fasterxml.jackson.annotation.JsonInclude;
import dev.foretoken.formats.acceptance.readers.AcceptanceKey;
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
import java.util.Locale;
import java.util.Optional;

/**
 * What the server did between two snapshots, beside what the client asked for.
 *
 * @param acceptance acceptance from the server's counters; null when it has none
 * @param serverTokens tokens generated between the snapshots; null when not counted
 * @param clientTokensLow tokens the client received
 * @param clientTokensHigh the same plus what cancelled requests may have generated unseen
 * @param meanRunning mean of the running requests sampled during the run, null if not sampled
 * @param findings what is wrong or worth knowing, each a sentence
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
public record ServerWindow(
        SurvivalCounts acceptance,
        Double serverTokens,
        long clientTokensLow,
        long clientTokensHigh,
        Double meanRunning,
        List<String> findings) {

    private static final double FOREIGN_SHARE = 0.02;
    private static final double FOREIGN_SLACK = 16;

    /**
     * What is expected of the server.
     *
     * @param concurrency requests the load keeps in flight, null for open loads
     * @param speculative whether the method under test speculates
     */
    public record Expected(Integer concurrency, boolean speculative) {}

    /** Compares two snapshots with all records of the client between them (warm-up and cool-down too). */
    public static ServerWindow between(
            ServerSnapshot before,
            ServerSnapshot after,
            List<RequestRecord> records,
            List<Double> runningSamples,
            Expected expected) {
        List<String> findings = new ArrayList<>();
        long low = 0;
        long high = 0;
        for (RequestRecord r : records) {
            long got = r.completionTokens() == null ? 0 : r.completionTokens();
            low += got;
            high += r.ok() ? got : Math.max(got, r.maxTokens());
        }
        Double server = grown(before.generatedTokens(), after.generatedTokens());
        if (server != null) {
            if (server > high * (1 + FOREIGN_SHARE) + FOREIGN_SLACK) {
                findings.add(String.format(
                        Locale.ROOT,
                        "foreign traffic: the server generated %.0f tokens, this client at most %d: others use it",
                        server,
                        high));
            } else if (server < low * (1 - FOREIGN_SHARE) - FOREIGN_SLACK) {
                findings.add(String.format(
                        Locale.ROOT,
                        "the server counted %.0f tokens, this client received %d: a counter was reset, a rank is missing from"
                                + " /metrics, or a proxy spreads requests over servers",
                        server,
                        low));
            }
        }
        speculation(before, after, expected, findings);
        Double running = runningSamples.isEmpty()
                ? null
                : runningSamples.stream()
                        .mapToDouble(Double::doubleValue)
                        .average()
                        .getAsDouble();
        batch(after, expected, runningSamples, findings);
        Double preempted = grown(before.preemptions(), after.preemptions());
        if (preempted != null && preempted > 0) {
            findings.add(String.format(
                    Locale.ROOT, "%.0f requests were retracted or preempted: KV memory is short", preempted));
        }
        Double cached = grown(before.cachedTokens(), after.cachedTokens());
        Double prompt = grown(before.promptTokens(), after.promptTokens());
        if (cached != null && prompt != null && cached > 0.02 * Math.max(1, cached + prompt)) {
            findings.add(String.format(
                    Locale.ROOT,
                    "prefix cache hits: %.0f of %.0f prompt tokens; prompts were not new to the server",
                    cached,
                    Math.max(prompt, cached)));
        }
        return new ServerWindow(acceptance(before, after), server, low, high, running, List.copyOf(findings));
    }

    private static Double grown(Double before, Double after) {
        return before == null || after == null || after < before ? null : after - before;
    }

    private static void speculation(
            ServerSnapshot before, ServerSnapshot after, Expected expected, List<String> findings) {
        Double steps = grown(before.verifySteps(), after.verifySteps());
        // Counters know; the settings page shows the defaults of a request where drafting is the server's.
        boolean off = steps == null
                ? after.speculative() != null && after.speculative().isEmpty()
                : steps == 0;
        if (expected.speculative() && off) {
            findings.add("speculation is off: the server verified no drafts, though the method speculates");
        }
        if (!expected.speculative()
                && ((steps != null && steps > 0)
                        || (steps == null
                                && after.speculative() != null
                                && !after.speculative().isEmpty()))) {
            findings.add("speculation is on (" + after.speculative()
                    + "), though autoregressive decoding is expected: the baseline is not one");
        }
    }

    private static void batch(
            ServerSnapshot after, Expected expected, List<Double> runningSamples, List<String> findings) {
        Integer wanted = expected.concurrency();
        if (wanted != null && after.slots() != null && after.slots() < wanted) {
            findings.add("the server runs at most " + after.slots() + " requests at once, the load keeps " + wanted
                    + " in flight: the rest waits");
        }
        double peak =
                runningSamples.stream().mapToDouble(Double::doubleValue).max().orElse(wanted == null ? 0 : wanted);
        if (after.graphBatch() != null && peak > after.graphBatch()) {
            findings.add(
                    after.graphBatch() == 0
                            ? "CUDA graphs are off: rounds run eagerly, with more host time"
                            : String.format(
                                    Locale.ROOT,
                                    "batches of %.0f exceed the largest captured CUDA graph (%d): those rounds run eagerly",
                                    peak,
                                    after.graphBatch()));
        }
    }

    /** Acceptance from the two metrics pages, through the shared readers; empty when they have none. */
    private static SurvivalCounts acceptance(ServerSnapshot before, ServerSnapshot after) {
        if (after.metricsPage() == null || before.metricsPage() == null) {
            return null;
        }
        List<AcceptanceSource> pages = List.of(page("before", before), page("after", after));
        try {
            Optional<AcceptanceReader> reader = AcceptanceReaders.recognise(pages.get(1));
            if (reader.isEmpty()) {
                return null;
            }
            SurvivalTally tally = new SurvivalTally();
            AcceptanceReaders.read(reader.get(), pages, new ReadReport(), tally::add);
            return tally.counts().isEmpty() ? null : tally.counts().get(0);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static AcceptanceSource page(String name, ServerSnapshot s) {
        byte[] bytes = s.metricsPage().getBytes(StandardCharsets.UTF_8);
        return new AcceptanceSource(name, () -> new ByteArrayInputStream(bytes), AcceptanceKey.UNKNOWN);
    }
}
