package dev.foretoken.formats.scenario;

import dev.foretoken.sim.acceptance.AcceptanceForm;
import dev.foretoken.sim.acceptance.Parameter;
import dev.foretoken.sim.scenario.LengthDistribution;
import dev.foretoken.sim.scenario.LoadSpec;
import dev.foretoken.sim.tree.TreeOptions;
import java.util.List;
import java.util.Locale;
import java.util.StringJoiner;
import java.util.stream.Collectors;

/** Effective values in the words of a scenario. */
public final class ValueText {
    /** Longest list shown whole. */
    private static final int MOST_SHOWN = 16;

    private ValueText() {}

    /** A length distribution, an acceptance form or a load in words; other values as they are. */
    public static String of(Object value) {
        if (value instanceof LengthDistribution d) {
            return length(d);
        }
        if (value instanceof AcceptanceForm f) {
            return form(f);
        }
        return value instanceof LoadSpec l ? load(l) : value instanceof Double d ? number(d) : String.valueOf(value);
    }

    private static String length(LengthDistribution d) {
        if (d instanceof LengthDistribution.Fixed f) {
            return f.tokens() + " tokens";
        }
        if (d instanceof LengthDistribution.Uniform u) {
            return "uniform from " + u.min() + " to " + u.max() + " tokens";
        }
        if (d instanceof LengthDistribution.Lognormal l) {
            return "lognormal, mean " + number(l.meanTokens()) + " tokens, cv " + number(l.cv());
        }
        return d instanceof LengthDistribution.Empirical e
                ? "empirical, " + e.lengths().size() + " lengths, mean " + number(e.mean()) + " tokens"
                : d.toString();
    }

    private static String form(AcceptanceForm form) {
        if (form instanceof AcceptanceForm.AcceptLength a) {
            return "accept_length " + number(a.tokens());
        }
        if (form instanceof AcceptanceForm.PerPosition p) {
            return "per_position " + list(p.survival()) + (p.extendGeometric() ? ", extended geometrically" : "");
        }
        if (form instanceof AcceptanceForm.Histogram h) {
            double rounds = h.counts().stream().mapToDouble(Double::doubleValue).sum();
            return "histogram of " + String.format(Locale.ROOT, "%,.0f", rounds) + " rounds at " + design(h.design());
        }
        if (form instanceof AcceptanceForm.AcceptLengthByBudget b) {
            return "accept_length_by_budget "
                    + b.tokens().entrySet().stream()
                            .map(e -> e.getKey() + ": " + number(e.getValue()))
                            .collect(Collectors.joining(", ", "{", "}"));
        }
        return form instanceof AcceptanceForm.Srt s ? srt(s) : "exact replay of a trace of drafter marginals";
    }

    /** Every count of a histogram and where it was counted: {@code 30, 12 rounds of 1, 2, ... tokens at length 3}. */
    public static String rounds(AcceptanceForm.Histogram h) {
        return h.counts().stream().map(ValueText::number).collect(Collectors.joining(", "))
                + " rounds of 1, 2, ... tokens at " + design(h.design());
    }

    private static String design(AcceptanceForm.CountedAt design) {
        if (design instanceof AcceptanceForm.CountedAt.Tree t) {
            return "budget " + t.budget() + (t.topK() == TreeOptions.UNLIMITED ? "" : ", top-k " + t.topK());
        }
        return "length " + ((AcceptanceForm.CountedAt.Chain) design).length();
    }

    private static String srt(AcceptanceForm.Srt s) {
        StringJoiner text = new StringJoiner(", ", "srt ", "");
        text.add("a " + parameter(s.a()))
                .add("b " + parameter(s.b()))
                .add("c1 " + parameter(s.c1()))
                .add("sigma " + parameter(s.sigma()))
                .add("rho " + parameter(s.rho()))
                .add("kappa " + parameter(s.kappa()))
                .add("depth " + s.depth())
                .add("ranks " + s.ranks());
        if (s.zAutocorrelation() > 0) {
            text.add("z_autocorrelation " + number(s.zAutocorrelation()));
        }
        if (s.zRequestShare() > 0) {
            text.add("z_request_share " + number(s.zRequestShare()));
        }
        return text.toString();
    }

    private static String parameter(Parameter p) {
        return p.lo() == p.hi()
                ? number(p.value())
                : number(p.value()) + " [" + number(p.lo()) + ", " + number(p.hi()) + "]";
    }

    private static String load(LoadSpec load) {
        if (load instanceof LoadSpec.Closed c) {
            LoadSpec.ThinkTime think = c.thinkTime();
            return "closed, concurrency " + list(c.concurrency()) + ", "
                    + (think.meanMs() == 0
                            ? "no think time"
                            : think.dist() + " think time of " + number(think.meanMs()) + " ms")
                    + (c.staggered() ? ", staggered start" : ", all start together");
        }
        if (load instanceof LoadSpec.Poisson p) {
            return "poisson, " + list(p.ratePerS()) + " requests/s";
        }
        if (load instanceof LoadSpec.Gamma g) {
            return "gamma, " + list(g.ratePerS()) + " requests/s, burstiness " + list(g.burstiness());
        }
        return "trace " + ((LoadSpec.Trace) load).file();
    }

    private static String list(List<? extends Number> values) {
        String shown = values.stream()
                .limit(MOST_SHOWN)
                .map(v -> number(v.doubleValue()))
                .collect(Collectors.joining(", "));
        return "[" + shown + (values.size() > MOST_SHOWN ? ", ... " + values.size() + " in all" : "") + "]";
    }

    /** At most six significant digits, no trailing zeros. */
    private static String number(double value) {
        if (value == Math.rint(value) && Math.abs(value) < 1e15) {
            return Long.toString((long) value);
        }
        String text = String.format(Locale.ROOT, "%.6g", value);
        if (text.contains("e")) {
            return Double.toString(value);
        }
        return text.contains(".") ? text.replaceAll("0+$", "").replaceAll("\\.$", "") : text;
    }
}
