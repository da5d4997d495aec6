package dev.foretoken.formats.acceptance.readers;

import dev.foretoken.formats.prometheus.CounterDeltas;
import dev.foretoken.formats.prometheus.PrometheusText;
import dev.foretoken.formats.prometheus.Scrape;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;

/** Scrapes one after another in one text: a series that comes again begins the next scrape. */
final class ScrapeSeries {
    private ScrapeSeries() {}

    static boolean looksLikeMetrics(String head, String prefix) {
        return head.startsWith(prefix)
                || head.contains("\n" + prefix)
                || head.contains("# TYPE " + prefix)
                || head.contains("# HELP " + prefix);
    }

    /** Growth of all series whose name satisfies the test. */
    static CounterDeltas read(LineReader lines, AcceptanceSink sink, Predicate<String> wanted) throws IOException {
        CounterDeltas deltas = new CounterDeltas();
        List<PrometheusText.Sample> current = new ArrayList<>();
        Set<String> seen = new HashSet<>();
        for (String line = lines.next(); line != null; line = lines.next()) {
            Optional<PrometheusText.Sample> sample;
            try {
                sample = PrometheusText.parseLine(line);
            } catch (IllegalArgumentException e) {
                sink.skip(lines.number(), "damaged metrics line: " + e.getMessage());
                continue;
            }
            if (sample.isEmpty() || !wanted.test(sample.get().name())) {
                continue;
            }
            if (!Double.isFinite(sample.get().value()) || sample.get().value() < 0) {
                sink.skip(
                        lines.number(),
                        "counter is not a finite count: " + sample.get().name());
                continue;
            }
            if (!seen.add(sample.get().series())) {
                deltas.add(new Scrape(current));
                current = new ArrayList<>();
                seen.clear();
                seen.add(sample.get().series());
            }
            current.add(sample.get());
        }
        if (!current.isEmpty()) {
            deltas.add(new Scrape(current));
        }
        return deltas;
    }

    /** Says what window the counts cover. */
    static void sayWindow(CounterDeltas deltas, String counter, String engine, AcceptanceSink sink) {
        if (deltas.scrapes() == 1) {
            sink.converted(engine + " /metrics: one scrape only, counts since the server started");
        }
        int resets = deltas.resets(counter).size();
        if (resets > 0) {
            sink.converted(engine + " /metrics: " + counter + " fell " + resets
                    + " time(s); counted as a restart, growth before the next scrape is lost");
        }
    }
}
