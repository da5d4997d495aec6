package dev.foretoken.formats.acceptance.readers;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Sums observations by (key, design, detail) in constant memory per group. */
public final class SurvivalTally {
    private final Map<Group, Sum> groups = new LinkedHashMap<>();

    private record Group(AcceptanceKey key, DraftDesign design, AcceptanceObservation.Detail detail) {}

    private static final class Sum {
        private long units;
        private long rounds;
        private long accepted;
        private long drafted;
        private boolean everyDrafted = true;
        private long[] histogram = new long[0];
        private long[] survivors = new long[0];
        private double[] rates = new double[0];
        private double lengths;
    }

    /** Adds one observation. */
    public void add(AcceptanceObservation o) {
        Sum s = groups.computeIfAbsent(new Group(o.key(), o.design(), o.detail()), g -> new Sum());
        s.units++;
        s.lengths += o.acceptLength();
        if (o.rounds() != null) {
            s.rounds += o.rounds();
            s.accepted += o.acceptedDrafts();
        }
        if (o.draftedTokens() == null) {
            s.everyDrafted = false;
        } else {
            s.drafted += o.draftedTokens();
        }
        s.histogram = plus(s.histogram, o.histogram());
        s.survivors = plus(s.survivors, o.survivors());
        if (o.survivalRates() != null) {
            double[] r = o.survivalRates();
            double[] sum = Arrays.copyOf(s.rates, Math.max(s.rates.length, r.length));
            for (int i = 0; i < r.length; i++) {
                sum[i] += r[i];
            }
            s.rates = sum;
        }
    }

    private static long[] plus(long[] sum, long[] more) {
        if (more == null) {
            return sum;
        }
        long[] result = Arrays.copyOf(sum, Math.max(sum.length, more.length));
        for (int i = 0; i < more.length; i++) {
            result[i] += more[i];
        }
        return result;
    }

    /** The sums, in the order in which groups first appeared. */
    public List<SurvivalCounts> counts() {
        List<SurvivalCounts> list = new ArrayList<>();
        groups.forEach((g, s) -> list.add(of(g, s)));
        return list;
    }

    private static SurvivalCounts of(Group g, Sum s) {
        boolean counted = s.rounds > 0;
        boolean histogram = g.detail() == AcceptanceObservation.Detail.HISTOGRAM;
        boolean survivors = histogram || g.detail() == AcceptanceObservation.Detail.SURVIVORS;
        double[] rates = null;
        if (survivors) {
            rates = Arrays.stream(s.survivors)
                    .mapToDouble(v -> (double) v / s.rounds)
                    .toArray();
        } else if (g.detail() == AcceptanceObservation.Detail.RATES) {
            rates = Arrays.stream(s.rates).map(v -> v / s.units).toArray();
        }
        return new SurvivalCounts(
                g.key(),
                g.design(),
                g.detail(),
                s.units,
                counted ? s.rounds : null,
                counted ? s.accepted : null,
                counted && s.everyDrafted ? s.drafted : null,
                histogram ? s.histogram : null,
                survivors ? s.survivors : null,
                rates,
                counted ? 1 + (double) s.accepted / s.rounds : s.lengths / s.units,
                s.lengths / s.units);
    }
}
