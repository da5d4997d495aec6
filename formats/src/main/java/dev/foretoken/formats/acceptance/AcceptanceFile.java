package dev.foretoken.formats.acceptance;

import dev.foretoken.sim.acceptance.AcceptanceForm;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Measured acceptance (foretoken/acceptance/1).
 *
 * @param name what was measured
 * @param entries one per workload and method
 * @param notes remarks, each a sentence
 */
public record AcceptanceFile(String name, List<Entry> entries, List<String> notes) {
    public static final String SCHEMA = "foretoken/acceptance/1";

    public AcceptanceFile {
        entries = List.copyOf(entries);
        notes = List.copyOf(notes);
        if (entries.isEmpty()) {
            throw new IllegalArgumentException("an acceptance file needs at least one entry");
        }
        Set<String> seen = new LinkedHashSet<>();
        for (Entry entry : entries) {
            if (!seen.add(entry.workload() + " / " + entry.method())) {
                throw new IllegalArgumentException(
                        "two entries of workload " + entry.workload() + " and method " + entry.method());
            }
        }
    }

    /**
     * Acceptance of one method on one workload.
     *
     * @param workload id of the workload; null when it serves any
     * @param method id or kind of the method; null when it serves any
     * @param form the form and its values
     * @param intervals intervals by the name of a value; empty when none was worked out
     * @param samples how much was observed; null when unknown
     * @param drafter catalogue id or name of the drafter; null when unknown
     * @param target catalogue id or name of the target; null when unknown
     * @param temperature of sampling; null when unknown
     * @param engine engine that counted; null when unknown
     * @param engineVersion its version; null when unknown
     * @param conversions what was converted on the way from the source's definitions, each a sentence
     * @param source where the figures come from
     */
    public record Entry(
            String workload,
            String method,
            AcceptanceForm form,
            Map<String, Interval> intervals,
            Samples samples,
            String drafter,
            String target,
            Double temperature,
            String engine,
            String engineVersion,
            List<String> conversions,
            String source) {
        public Entry {
            if (form == null) {
                throw new IllegalArgumentException("an entry needs a form");
            }
            intervals = Map.copyOf(intervals);
            conversions = List.copyOf(conversions);
        }
    }

    /**
     * Interval of one value.
     *
     * @param lo lower end
     * @param hi upper end
     * @param level confidence level, in (0, 1)
     */
    public record Interval(double lo, double hi, double level) {
        public Interval {
            if (!(lo <= hi) || !Double.isFinite(lo) || !Double.isFinite(hi)) {
                throw new IllegalArgumentException(
                        "an interval must be finite and not empty: [" + lo + ", " + hi + "]");
            }
            if (!(level > 0 && level < 1)) {
                throw new IllegalArgumentException("a level must lie between 0 and 1: " + level);
            }
        }
    }

    /**
     * How much was observed.
     *
     * @param rounds target passes; null when unknown
     * @param requests requests they belong to; null when unknown
     * @param tokens tokens committed; null when unknown
     */
    public record Samples(Long rounds, Long requests, Long tokens) {}

    /** Ids of the workloads that have entries. */
    public Set<String> workloads() {
        Set<String> ids = new LinkedHashSet<>();
        entries.stream().map(Entry::workload).filter(id -> id != null).forEach(ids::add);
        return ids;
    }

    /**
     * Entries that serve a workload: its own, else those of any workload, else all entries when the file knows one workload
     * only.
     *
     * @return empty when the file knows several workloads and not this one
     */
    public List<Entry> of(String workload) {
        List<Entry> own =
                entries.stream().filter(e -> workload.equals(e.workload())).toList();
        if (!own.isEmpty()) {
            return own;
        }
        List<Entry> any = entries.stream().filter(e -> e.workload() == null).toList();
        if (!any.isEmpty()) {
            return any;
        }
        return workloads().size() == 1 ? entries : List.of();
    }
}
