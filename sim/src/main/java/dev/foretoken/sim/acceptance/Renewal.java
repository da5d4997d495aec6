package dev.foretoken.sim.acceptance;

import java.util.Arrays;

/**
 * Rounds that a request needs for its tokens when rounds are independent: S(n) = 1 + sum over k of p_k S(n - k), S(n) = 0 for
 * n &lt;= 0; the last round is truncated. Exact, where tokens over accept length is too small (3.9 % at 128 tokens of one
 * measured law). One table serves all lengths up to its end. With the first token from prefill, an answer of L tokens needs
 * S(L - 1) rounds.
 */
public final class Renewal {
    /** Probabilities below this add nothing to a sum of doubles and would only bring subnormal numbers into it. */
    private static final double NEGLIGIBLE = 1e-200;
    /** Relative spread, of the order of rounding errors, below which the table is a line. */
    private static final double AGREEMENT = 1e-14;

    private static final int LEAST_BLOCK = 16;

    private final double[] pmf;
    private final double[] means;

    /**
     * @param pmf entry j is P(tokens = j + 1); sums to 1
     * @param maxTokens largest number of tokens in the table
     */
    public Renewal(double[] pmf, int maxTokens) {
        if (maxTokens < 0) {
            throw new IllegalArgumentException("number of tokens must be at least 0: " + maxTokens);
        }
        this.pmf = support(pmf);
        this.means = means(this.pmf, maxTokens);
    }

    public Renewal(AcceptanceLaw law, int maxTokens) {
        this(law.pmf(), maxTokens);
    }

    private static double[] support(double[] pmf) {
        int n = pmf.length;
        while (n > 1 && pmf[n - 1] < NEGLIGIBLE) {
            n--;
        }
        double[] support = Arrays.copyOf(pmf, n);
        for (int j = 0; j < n; j++) {
            if (support[j] < NEGLIGIBLE) {
                support[j] = 0;
            }
        }
        return support;
    }

    /**
     * The recursion, until what is left is known: e(n) = S(n) - n/tau obeys e(n) = sum p_k e(n - k), so it stays between the
     * least and the largest of its last values. Once those agree to {@link #AGREEMENT} the table goes on as a line.
     */
    private static double[] means(double[] pmf, int maxTokens) {
        int width = pmf.length;
        double rate = 1 / new PmfMoments(pmf).mean();
        // padded in front by S(<= 0) = 0; p reversed, so that the newest term, on which the next sum waits, comes last
        double[] s = new double[width + maxTokens];
        double[] reversed = new double[width];
        for (int j = 0; j < width; j++) {
            reversed[j] = pmf[width - 1 - j];
        }
        int n = 0;
        while (n < maxTokens) {
            int stop = Math.min(maxTokens, n + Math.max(width, LEAST_BLOCK));
            for (; n < stop; n++) {
                double sum = 1;
                for (int j = 0; j < width; j++) {
                    sum += reversed[j] * s[n + j];
                }
                s[n + width] = sum;
            }
            if (n >= width && settled(s, n, width, rate)) {
                double offset = s[n + width - 1] - n * rate;
                for (; n < maxTokens; n++) {
                    s[n + width] = offset + (n + 1) * rate;
                }
            }
        }
        return Arrays.copyOfRange(s, width - 1, width + maxTokens);
    }

    /** True when S(m) - m * rate is the same for the last {@code width} values m up to n. */
    private static boolean settled(double[] s, int n, int width, double rate) {
        double least = Double.POSITIVE_INFINITY;
        double most = Double.NEGATIVE_INFINITY;
        for (int m = n - width + 1; m <= n; m++) {
            double e = s[m + width - 1] - m * rate;
            least = Math.min(least, e);
            most = Math.max(most, e);
        }
        return most - least <= AGREEMENT * (1 + n * rate);
    }

    /** Largest number of tokens in the table. */
    public int maxTokens() {
        return means.length - 1;
    }

    /** Mean rounds for a number of tokens, 0 for none. */
    public double mean(int tokens) {
        return means[check(tokens)];
    }

    /**
     * Mean rounds per answer over a law of output lengths; an answer of L tokens needs rounds for L - 1.
     *
     * @param lengthPmf entry i is P(L = i + 1)
     */
    public double meanPerAnswer(double[] lengthPmf) {
        check(lengthPmf.length - 1);
        double sum = 0;
        for (int i = 0; i < lengthPmf.length; i++) {
            sum += lengthPmf[i] * means[i];
        }
        return sum;
    }

    /** Variance of the rounds for a number of tokens. */
    public double variance(int tokens) {
        check(tokens);
        return variances(tokens)[tokens];
    }

    /**
     * Variances of the rounds for 0..tokens tokens, from E[R(n)^2] = 1 + sum over k of p_k (2 S(n - k) + E[R(n - k)^2]).
     *
     * @return entry n is the variance for n tokens
     */
    public double[] variances(int tokens) {
        check(tokens);
        double[] second = new double[tokens + 1];
        double[] variances = new double[tokens + 1];
        for (int n = 1; n <= tokens; n++) {
            double sum = 1;
            for (int k = Math.min(pmf.length, n - 1); k >= 1; k--) {
                sum += pmf[k - 1] * (2 * means[n - k] + second[n - k]);
            }
            second[n] = sum;
            variances[n] = Math.max(0, sum - means[n] * means[n]);
        }
        return variances;
    }

    /**
     * Distribution of the rounds for a number of tokens.
     *
     * @return entry m is P(rounds &lt;= m), m = 0..tokens
     */
    public static double[] roundsCdf(double[] pmf, int tokens) {
        double[] support = support(pmf);
        double[] short0 = new double[tokens];
        double[] cdf = new double[tokens + 1];
        if (tokens == 0) {
            cdf[0] = 1;
            return cdf;
        }
        // short0[t] = P(t tokens after m rounds) for t < tokens
        short0[0] = 1;
        for (int m = 1; m <= tokens; m++) {
            double[] next = new double[tokens];
            double left = 0;
            for (int t = m - 1; t < tokens; t++) {
                double p = short0[t];
                if (p < NEGLIGIBLE) {
                    continue;
                }
                for (int k = 1; k <= support.length && t + k < tokens; k++) {
                    next[t + k] += p * support[k - 1];
                }
            }
            for (double p : next) {
                left += p;
            }
            cdf[m] = 1 - left;
            short0 = next;
        }
        return cdf;
    }

    /**
     * Mean rounds for many tokens by renewal theory: (N + (E[K^2] - E[K])/(2 E[K]))/E[K] with K the tokens of one round.
     */
    public static double asymptoticMean(double[] pmf, double tokens) {
        PmfMoments m = new PmfMoments(pmf);
        return asymptoticMean(m.mean(), m.second(), tokens);
    }

    /** As {@link #asymptoticMean(double[], double)}, from the first two moments of the tokens of one round. */
    public static double asymptoticMean(double mean, double secondMoment, double tokens) {
        return (tokens + (secondMoment - mean) / (2 * mean)) / mean;
    }

    private int check(int tokens) {
        if (tokens < 0 || tokens >= means.length) {
            throw new IllegalArgumentException("tokens must be within 0.." + (means.length - 1) + ": " + tokens);
        }
        return tokens;
    }
}
