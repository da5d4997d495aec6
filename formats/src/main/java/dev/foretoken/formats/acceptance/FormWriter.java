package dev.foretoken.formats.acceptance;

import dev.foretoken.sim.acceptance.AcceptanceForm;
import dev.foretoken.sim.acceptance.AcceptanceForm.CountedAt;
import dev.foretoken.sim.acceptance.Parameter;
import dev.foretoken.sim.tree.TreeOptions;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Writes a form under the keys that {@link FormReader} reads. */
public final class FormWriter {
    private FormWriter() {}

    /** @throws IllegalArgumentException for a form that stands in a file of its own */
    public static Map<String, Object> write(AcceptanceForm form) {
        Map<String, Object> keys = new LinkedHashMap<>();
        if (form instanceof AcceptanceForm.AcceptLength length) {
            keys.put(FormReader.ACCEPT_LENGTH, length.tokens());
        } else if (form instanceof AcceptanceForm.PerPosition positions) {
            keys.put(FormReader.PER_POSITION, positions.survival());
            if (positions.extendGeometric()) {
                keys.put("extend", "geometric");
            }
        } else if (form instanceof AcceptanceForm.Histogram histogram) {
            keys.put(FormReader.HISTOGRAM, histogram.counts());
            keys.put("design", design(histogram.design()));
        } else if (form instanceof AcceptanceForm.AcceptLengthByBudget byBudget) {
            keys.put(FormReader.BY_BUDGET, new LinkedHashMap<>(byBudget.tokens()));
        } else if (form instanceof AcceptanceForm.Srt srt) {
            keys.put(FormReader.SRT, srt(srt));
        } else {
            throw new IllegalArgumentException("a form of its own file cannot be written as values: " + form);
        }
        return keys;
    }

    private static Map<String, Object> design(CountedAt design) {
        if (design instanceof CountedAt.Chain chain) {
            return Map.of("length", chain.length());
        }
        CountedAt.Tree tree = (CountedAt.Tree) design;
        Map<String, Object> keys = new LinkedHashMap<>();
        keys.put("budget", tree.budget());
        if (tree.topK() != TreeOptions.UNLIMITED) {
            keys.put("top_k", tree.topK());
        }
        return keys;
    }

    private static Map<String, Object> srt(AcceptanceForm.Srt srt) {
        Map<String, Object> keys = new LinkedHashMap<>();
        keys.put("a", parameter(srt.a()));
        keys.put("b", parameter(srt.b()));
        keys.put("c1", parameter(srt.c1()));
        keys.put("sigma", parameter(srt.sigma()));
        keys.put("rho", parameter(srt.rho()));
        keys.put("kappa", parameter(srt.kappa()));
        keys.put("depth", srt.depth());
        keys.put("ranks", srt.ranks());
        keys.put("z_autocorrelation", srt.zAutocorrelation());
        keys.put("z_request_share", srt.zRequestShare());
        return keys;
    }

    private static Object parameter(Parameter parameter) {
        if (parameter.isExact()) {
            return parameter.value();
        }
        if (parameter.equals(Parameter.between(parameter.lo(), parameter.hi()))) {
            return List.of(parameter.lo(), parameter.hi());
        }
        Map<String, Object> keys = new LinkedHashMap<>();
        keys.put("value", parameter.value());
        keys.put("lo", parameter.lo());
        keys.put("hi", parameter.hi());
        return keys;
    }
}
