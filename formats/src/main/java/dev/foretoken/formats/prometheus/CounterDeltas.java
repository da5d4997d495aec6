package dev.foretoken.formats.prometheus;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalDouble;

/**
 * Growth of counters over a series of scrapes. A counter that falls was reset (server restart, cache flush): as in
 * Prometheus, its growth since then is its new value, and the reset is counted. A series that appears later starts from 0
 * only if the scrape before did not have it; the first scrape is the base.
 */
public final class CounterDeltas {
    private final Map<String, Double> last = new HashMap<>();
    private final Map<String, Double> growth = new LinkedHashMap<>();
    private final Map<String, PrometheusText.Sample> latest = new LinkedHashMap<>();
    private final List<String> resets = new ArrayList<>();
    private int scrapes;

    /** Adds the next scrape in time order. */
    public void add(Scrape scrape) {
        scrapes++;
        for (PrometheusText.Sample s : scrape.samples()) {
            String id = s.series();
            Double before = last.put(id, s.value());
            latest.put(id, s);
            if (scrapes == 1) {
                growth.put(id, 0.0);
            } else if (before == null) {
                growth.merge(id, s.value(), Double::sum);
            } else if (s.value() < before) {
                growth.merge(id, s.value(), Double::sum);
                resets.add(id);
            } else {
                growth.merge(id, s.value() - before, Double::sum);
            }
        }
    }

    /** Number of scrapes seen. */
    public int scrapes() {
        return scrapes;
    }

    /** Series that fell, once per fall. Gauges fall too: ask only for names known to be counters. */
    public List<String> resets(String name) {
        List<String> list = new ArrayList<>();
        for (String id : resets) {
            if (Scrape.sameCounter(id.substring(0, id.indexOf('{')), name)) {
                list.add(id);
            }
        }
        return list;
    }

    /** Growth of a counter summed over its series; with one scrape the values themselves (since the server started). */
    public OptionalDouble growth(String name) {
        return growth(name, Map.of());
    }

    /** The same over the series that carry all the given labels. */
    public OptionalDouble growth(String name, Map<String, String> labels) {
        double sum = 0;
        boolean found = false;
        for (PrometheusText.Sample s : latest.values()) {
            if (Scrape.sameCounter(s.name(), name) && s.labels().entrySet().containsAll(labels.entrySet())) {
                sum += scrapes == 1 ? s.value() : growth.get(s.series());
                found = true;
            }
        }
        return found ? OptionalDouble.of(sum) : OptionalDouble.empty();
    }

    /** Latest value of a gauge: the largest over its series (ranks may be idle or stale). Empty if absent. */
    public OptionalDouble latest(String name) {
        return latest.values().stream()
                .filter(s -> Scrape.sameCounter(s.name(), name))
                .mapToDouble(PrometheusText.Sample::value)
                .max();
    }

    /** Growth by the value of one label, summed over the other labels. */
    public Map<String, Double> growthBy(String name, String label) {
        Map<String, Double> by = new LinkedHashMap<>();
        for (PrometheusText.Sample s : latest.values()) {
            String value = s.labels().get(label);
            if (value != null && Scrape.sameCounter(s.name(), name)) {
                by.merge(value, scrapes == 1 ? s.value() : growth.get(s.series()), Double::sum);
            }
        }
        return by;
    }
}
