package dev.foretoken.report.chart;

import java.math.BigDecimal;
import java.math.MathContext;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeSet;

/** Maps values of an axis to 0..1 and names its ticks. */
public interface Scale {

    /**
     * A tick.
     *
     * @param value on the axis
     * @param label what it says
     */
    record Tick(double value, String label) {}

    /** Position of a value, 0 at the start of the axis and 1 at its end. */
    double unit(double value);

    /** Ticks in ascending order, at most about {@code most}; values that want a tick may be twice as close. */
    List<Tick> ticks(int most);

    /** True where the axis can show the value. */
    default boolean shows(double value) {
        double u = unit(value);
        return u >= -1e-9 && u <= 1 + 1e-9;
    }

    /** A number as a tick label: no trailing zeros, thousands as k from 10,000 on. */
    static String label(double value) {
        double a = Math.abs(value);
        if (a >= 1e6) {
            return trim(value / 1e6) + "M";
        }
        return a >= 1e4 ? trim(value / 1e3) + "k" : trim(value);
    }

    private static String trim(double value) {
        return value == 0
                ? "0"
                : new BigDecimal(value)
                        .round(new MathContext(4))
                        .stripTrailingZeros()
                        .toPlainString();
    }

    /** A linear axis. */
    record Linear(double min, double max) implements Scale {
        public Linear {
            if (!(min < max) || !Double.isFinite(max - min)) {
                throw new IllegalArgumentException("an axis needs min < max, got " + min + " and " + max);
            }
        }

        /** From 0 to a little above the largest value. */
        public static Linear fromZero(double largest) {
            return new Linear(0, largest > 0 ? largest * 1.05 : 1);
        }

        @Override
        public double unit(double value) {
            return (value - min) / (max - min);
        }

        @Override
        public List<Tick> ticks(int most) {
            double raw = (max - min) / Math.max(1, most);
            double decade = Math.pow(10, Math.floor(Math.log10(raw)));
            double step = 10 * decade;
            for (int nice : new int[] {1, 2, 5}) {
                if (nice * decade >= raw) {
                    step = nice * decade;
                    break;
                }
            }
            List<Tick> ticks = new ArrayList<>();
            for (long i = (long) Math.ceil(min / step - 1e-9); i * step <= max + 1e-9 * step; i++) {
                ticks.add(new Tick(i * step, label(i * step)));
            }
            return ticks;
        }
    }

    /**
     * A logarithmic axis; 0 may have its own place before the smallest value.
     *
     * @param min smallest value above 0
     * @param max largest value
     * @param zero whether 0 is shown, one halving to the left of {@code min}
     * @param at values that get a tick when there is room, empty for 1, 2, 5 of each decade
     */
    record Log(double min, double max, boolean zero, List<Double> at) implements Scale {
        public Log {
            if (!(min > 0 && min < max) || !Double.isFinite(max)) {
                throw new IllegalArgumentException(
                        "a logarithmic axis needs 0 < min < max, got " + min + " and " + max);
            }
            at = List.copyOf(at);
        }

        /** Around values above 0, with room at both ends. */
        public static Log around(double smallest, double largest) {
            return new Log(smallest / 1.15, largest * 1.15, false, List.of());
        }

        /** Over the values of a grid axis, each of which wants a tick; 0 is allowed. */
        public static Log over(Iterable<Double> values) {
            TreeSet<Double> sorted = new TreeSet<>();
            values.forEach(sorted::add);
            boolean zero = sorted.remove(0.0);
            double first = sorted.isEmpty() ? 1 : sorted.first();
            double last = sorted.isEmpty() ? 1 : sorted.last();
            double pad = Math.max(1.06, Math.pow(last / first, 0.02));
            return new Log(first / pad, last * pad, zero, List.copyOf(sorted));
        }

        private double low() {
            return Math.log(zero ? min / 2 : min);
        }

        @Override
        public double unit(double value) {
            double v = value == 0 && zero ? min / 2 * Math.pow(max / min, 0.02) : value;
            return (Math.log(v) - low()) / (Math.log(max) - low());
        }

        @Override
        public List<Tick> ticks(int most) {
            List<Double> values = new ArrayList<>(zero ? List.of(0.0) : List.of());
            values.addAll(at.isEmpty() ? decades(most) : at);
            return spread(values, at.isEmpty() ? most : 2 * most);
        }

        /** The finest of 1-2-3-4-5-6-8, 1-2-5 and 1 per decade whose ticks stand far enough apart; round numbers where that is one or none. */
        private List<Double> decades(int most) {
            List<Double> coarser = List.of(max);
            for (int[] mantissas : new int[][] {{1}, {1, 2, 5}, {1, 2, 3, 4, 5, 6, 8}}) {
                List<Double> values = new ArrayList<>();
                for (int e = (int) Math.floor(Math.log10(min)); e <= Math.ceil(Math.log10(max)); e++) {
                    for (int m : mantissas) {
                        double v = Double.parseDouble(m + "e" + e);
                        if (shows(v)) {
                            values.add(v);
                        }
                    }
                }
                if (!apart(values, 1.0 / Math.max(1, most)) && coarser.size() > 1) {
                    return coarser;
                }
                coarser = values;
            }
            return coarser.size() > 1
                    ? coarser
                    : new Linear(min, max).ticks(most).stream().map(Tick::value).toList();
        }

        private boolean apart(List<Double> values, double gap) {
            for (int i = 1; i < values.size(); i++) {
                if (unit(values.get(i)) - unit(values.get(i - 1)) < gap) {
                    return false;
                }
            }
            return true;
        }

        /** Leaves out values too close to the one before them; the last one stays. */
        private List<Tick> spread(List<Double> values, int most) {
            double gap = 1.0 / Math.max(1, most);
            List<Tick> ticks = new ArrayList<>();
            double last = values.isEmpty() ? 0 : unit(values.get(values.size() - 1));
            double before = Double.NEGATIVE_INFINITY;
            for (int i = 0; i < values.size(); i++) {
                double u = unit(values.get(i));
                if (i == values.size() - 1 || (u - before >= gap && last - u >= gap)) {
                    ticks.add(new Tick(values.get(i), label(values.get(i))));
                    before = u;
                }
            }
            return ticks;
        }
    }

    /** Categories in equal steps; category {@code i} stands at value {@code i}. */
    record Categories(List<String> names) implements Scale {
        public Categories {
            names = List.copyOf(names);
            if (names.isEmpty()) {
                throw new IllegalArgumentException("an axis needs at least one category");
            }
        }

        @Override
        public double unit(double value) {
            return (value + 0.5) / names.size();
        }

        @Override
        public List<Tick> ticks(int most) {
            List<Tick> ticks = new ArrayList<>();
            for (int i = 0; i < names.size(); i++) {
                ticks.add(new Tick(i, names.get(i)));
            }
            return ticks;
        }
    }
}
