package dev.foretoken.formats.prometheus;

import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalDouble;
import java.util.function.BiConsumer;

/** One scrape of a /metrics page: series to value, in the order printed. NaN and infinite samples are left out. */
public final class Scrape {
    private final Map<String, PrometheusText.Sample> samples;

    /** @param samples of one scrape; of a repeated series the last counts */
    public Scrape(Collection<PrometheusText.Sample> samples) {
        Map<String, PrometheusText.Sample> map = new LinkedHashMap<>();
        for (PrometheusText.Sample s : samples) {
            if (Double.isFinite(s.value())) {
                map.put(s.series(), s);
            }
        }
        this.samples = Collections.unmodifiableMap(map);
    }

    /**
     * Parses a page.
     *
     * @param damaged called with line number (from 1) and reason for every line that cannot be read
     */
    public static Scrape parse(String page, BiConsumer<Long, String> damaged) {
        List<PrometheusText.Sample> list = new ArrayList<>();
        long line = 0;
        for (String text : page.split("\n", -1)) {
            line++;
            try {
                PrometheusText.parseLine(text).ifPresent(list::add);
            } catch (IllegalArgumentException e) {
                damaged.accept(line, e.getMessage());
            }
        }
        return new Scrape(list);
    }

    public Collection<PrometheusText.Sample> samples() {
        return samples.values();
    }

    public boolean isEmpty() {
        return samples.isEmpty();
    }

    /** Sum over all series of this name; a counter is found with and without its {@code _total} suffix. Empty if absent. */
    public OptionalDouble sum(String name) {
        return sum(name, Map.of());
    }

    /** Sum over the series of this name that carry all the given labels. */
    public OptionalDouble sum(String name, Map<String, String> labels) {
        double sum = 0;
        boolean found = false;
        for (PrometheusText.Sample s : samples.values()) {
            if (sameCounter(s.name(), name) && s.labels().entrySet().containsAll(labels.entrySet())) {
                sum += s.value();
                found = true;
            }
        }
        return found ? OptionalDouble.of(sum) : OptionalDouble.empty();
    }

    /** Series of this name (with or without {@code _total}). */
    public List<PrometheusText.Sample> series(String name) {
        List<PrometheusText.Sample> list = new ArrayList<>();
        for (PrometheusText.Sample s : samples.values()) {
            if (sameCounter(s.name(), name)) {
                list.add(s);
            }
        }
        return list;
    }

    static boolean sameCounter(String printed, String wanted) {
        return printed.equals(wanted) || stripTotal(printed).equals(stripTotal(wanted));
    }

    static String stripTotal(String name) {
        return name.endsWith("_total") ? name.substring(0, name.length() - "_total".length()) : name;
    }
}
