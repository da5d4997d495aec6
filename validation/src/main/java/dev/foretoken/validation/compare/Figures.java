package dev.foretoken.validation.compare;

import dev.foretoken.sim.result.Point;
import dev.foretoken.validation.measure.RunMeasures;
import dev.foretoken.validation.measure.Summary;
import java.util.EnumMap;
import java.util.Map;

/** Values by figure; what is unknown is absent. Latencies are means. */
public final class Figures {
    private final Map<Figure, Double> values;

    public Figures(Map<Figure, Double> values) {
        this.values = new EnumMap<>(Figure.class);
        values.forEach((f, v) -> {
            if (v != null) {
                if (!(v > 0) || Double.isInfinite(v)) {
                    throw new IllegalArgumentException(f.key() + " must be finite and positive: " + v);
                }
                this.values.put(f, v);
            }
        });
    }

    /** Value, null if unknown. */
    public Double get(Figure f) {
        return values.get(f);
    }

    public Map<Figure, Double> values() {
        return java.util.Collections.unmodifiableMap(values);
    }

    /** A point of the model. */
    public static Figures of(Point p) {
        Map<Figure, Double> v = new EnumMap<>(Figure.class);
        v.put(Figure.OUTPUT_TOK_S, p.outputTokS());
        v.put(Figure.TTFT_MS, positive(mean(p.ttftMs())));
        v.put(Figure.TPOT_MS, mean(p.tpotMs()));
        v.put(Figure.E2E_MS, mean(p.e2eMs()));
        v.put(Figure.ROUND_GAP_MS, mean(p.roundGapMs()));
        v.put(Figure.ROUND_MS, p.roundMs());
        v.put(Figure.ACCEPT_LENGTH, p.acceptLength());
        return new Figures(v);
    }

    private static Double mean(Point.Stat s) {
        return s == null ? null : s.mean();
    }

    private static Double positive(Double v) {
        return v == null || v <= 0 ? null : v;
    }

    /**
     * A measured run.
     *
     * @param acceptLength measured tokens per round, null if unknown
     */
    public static Figures of(RunMeasures m, Double acceptLength) {
        Map<Figure, Double> v = new EnumMap<>(Figure.class);
        v.put(Figure.OUTPUT_TOK_S, m.outputTokS());
        v.put(Figure.TTFT_MS, mean(m.ttftMs()));
        v.put(Figure.TPOT_MS, mean(m.tpotMs()));
        v.put(Figure.E2E_MS, mean(m.e2eMs()));
        v.put(Figure.ROUND_GAP_MS, mean(m.rounds().roundGapMs()));
        v.put(
                Figure.ROUND_MS,
                positive(
                        m.rounds().roundGapMs() == null
                                ? null
                                : m.rounds().roundGapMs().p50()));
        v.put(Figure.ACCEPT_LENGTH, acceptLength);
        return new Figures(v);
    }

    private static Double mean(Summary s) {
        return s == null ? null : s.mean();
    }
}
