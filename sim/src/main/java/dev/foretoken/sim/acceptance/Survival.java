package dev.foretoken.sim.acceptance;

/**
 * Conversions between the ways of writing acceptance by position. Survival entry i - 1 is P(at least i drafts accepted),
 * i = 1..D; conditional entry i - 1 is P(i-th accepted given the ones before); pmf entry j is P(tokens = j + 1), j = 0..D.
 */
public final class Survival {
    private Survival() {}

    /** Prefix products. */
    public static double[] fromConditional(double[] conditional) {
        double[] survival = new double[conditional.length];
        double s = 1;
        for (int i = 0; i < conditional.length; i++) {
            s *= probability(conditional[i], "conditional acceptance at position " + (i + 1));
            survival[i] = s;
        }
        return survival;
    }

    /** Ratios of neighbours; 0 after a position that is never reached. */
    public static double[] toConditional(double[] survival) {
        check(survival);
        double[] conditional = new double[survival.length];
        double before = 1;
        for (int i = 0; i < survival.length; i++) {
            conditional[i] = before > 0 ? survival[i] / before : 0;
            before = survival[i];
        }
        return conditional;
    }

    /** Differences of neighbours. */
    public static double[] toPmf(double[] survival) {
        check(survival);
        double[] pmf = new double[survival.length + 1];
        double before = 1;
        for (int i = 0; i < survival.length; i++) {
            pmf[i] = before - survival[i];
            before = survival[i];
        }
        pmf[survival.length] = before;
        return pmf;
    }

    /** Upper tail sums of a pmf of tokens per round. */
    public static double[] fromPmf(double[] pmf) {
        double[] survival = new double[Math.max(0, pmf.length - 1)];
        double s = 0;
        for (int j = pmf.length - 1; j > 0; j--) {
            s += pmf[j];
            survival[j - 1] = s;
        }
        return survival;
    }

    /** Relative frequencies of counts of tokens per round 1, 2, ... */
    public static double[] pmfFromCounts(double[] counts) {
        double total = 0;
        for (double c : counts) {
            if (!(c >= 0) || Double.isInfinite(c)) {
                throw new IllegalArgumentException("a count must be finite and at least 0: " + c);
            }
            total += c;
        }
        if (!(total > 0)) {
            throw new IllegalArgumentException("a histogram needs at least one round; all " + counts.length + " are 0");
        }
        double[] pmf = new double[counts.length];
        for (int j = 0; j < counts.length; j++) {
            pmf[j] = counts[j] / total;
        }
        return pmf;
    }

    /** Accept length 1 + sum of the survival. */
    public static double acceptLength(double[] survival) {
        double tau = 0;
        for (double s : survival) {
            tau += s;
        }
        return 1 + tau;
    }

    /** Draft acceptance rate: accepted over proposed drafts, sum of the survival over its length. */
    public static double draftRate(double[] survival) {
        if (survival.length == 0) {
            throw new IllegalArgumentException("a draft acceptance rate needs at least one drafted position");
        }
        return (acceptLength(survival) - 1) / survival.length;
    }

    /** Refuses a survival vector with values outside [0, 1] or that rises. */
    public static void check(double[] survival) {
        double before = 1;
        for (int i = 0; i < survival.length; i++) {
            double s = probability(survival[i], "survival at position " + (i + 1));
            if (s > before) {
                throw new IllegalArgumentException(
                        "survival may not rise: " + s + " at position " + (i + 1) + " after " + before);
            }
            before = s;
        }
    }

    static double probability(double p, String what) {
        if (!(p >= 0 && p <= 1)) {
            throw new IllegalArgumentException(what + " must be in [0, 1]: " + p);
        }
        return p;
    }
}
