package dev.foretoken.validation.validate;

import com.fasterxml.jackson.annotation.JsonInclude;
import dev.foretoken.validation.compare.Cell;
import dev.foretoken.validation.compare.Conditions;
import dev.foretoken.validation.compare.Figure;
import dev.foretoken.validation.compare.Figures;
import dev.foretoken.validation.measure.MeasuredAcceptance;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * One measured cell of one run: a line of {@code measurements.jsonl}.
 *
 * @param schema {@value #SCHEMA}
 * @param scenarioHash scenario it belongs to
 * @param cell what it belongs to
 * @param run number of the run, from 1
 * @param boot distinguishes starts of the server: runs of one boot are not independent
 * @param source live, or the name of a result file and its client
 * @param speculative whether the arm drafts
 * @param forced whether acceptance was forced by the engine
 * @param conditions under which it was measured
 * @param figures values by contract name
 * @param acceptance measured acceptance, null if none
 * @param promptTokens mean prompt length, null if unknown
 * @param outputTokens mean answer length, null if unknown
 * @param notes what to know, each a sentence
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
public record Measurement(
        String schema,
        String scenarioHash,
        Cell cell,
        int run,
        String boot,
        String source,
        boolean speculative,
        boolean forced,
        Conditions conditions,
        Map<String, Double> figures,
        MeasuredAcceptance acceptance,
        Double promptTokens,
        Double outputTokens,
        List<String> notes) {
    public static final String SCHEMA = "foretoken/measurement/1";

    public Measurement {
        figures = java.util.Collections.unmodifiableMap(new TreeMap<>(figures));
        notes = List.copyOf(notes);
    }

    /** Values by figure. */
    public Figures values() {
        Map<Figure, Double> v = new EnumMap<>(Figure.class);
        figures.forEach((k, x) -> Figure.byKey(k).ifPresent(f -> v.put(f, x)));
        return new Figures(v);
    }

    static Map<String, Double> map(Figures f) {
        Map<String, Double> m = new TreeMap<>();
        f.values().forEach((k, v) -> m.put(k.key(), v));
        return m;
    }
}
