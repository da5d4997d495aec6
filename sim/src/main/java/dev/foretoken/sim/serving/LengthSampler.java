package dev.foretoken.sim.serving;

/** Prompt or output length of a request by inverse distribution function: monotone in u, so common random numbers hold. */
public interface LengthSampler {

    /**
     * A length.
     *
     * @param u uniform in [0, 1)
     * @return tokens, at least 1
     */
    int tokens(double u);

    /** Mean length, tokens. */
    double mean();

    /** Every request has the same length, at least 1 token. */
    static LengthSampler fixed(int tokens) {
        return new Fixed(tokens);
    }

    /**
     * Sampler of an integer distribution in constant expected time (guide table, Chen and Asau 1974).
     *
     * @param min smallest length, at least 1 token
     * @param pmf entry i is P(length = min + i); sums to 1 within 1e-6
     */
    static LengthSampler ofPmf(int min, double[] pmf) {
        if (min < 1) {
            throw new IllegalArgumentException("a length must be at least 1 token: " + min);
        }
        if (pmf.length == 0) {
            throw new IllegalArgumentException("a length distribution needs at least one length");
        }
        return pmf.length == 1 ? fixed(min) : new GuideTable(min, pmf);
    }

    /** One length. */
    record Fixed(int length) implements LengthSampler {
        public Fixed {
            if (length < 1) {
                throw new IllegalArgumentException("a length must be at least 1 token: " + length);
            }
        }

        @Override
        public int tokens(double u) {
            return length;
        }

        @Override
        public double mean() {
            return length;
        }
    }

    /** Inverse distribution function with an index from u to the first candidate. */
    final class GuideTable implements LengthSampler {
        private final int min;
        private final double[] cdf;
        private final int[] first;
        private final double mean;

        private GuideTable(int min, double[] pmf) {
            this.min = min;
            cdf = new double[pmf.length];
            double sum = 0;
            double moment = 0;
            for (int i = 0; i < pmf.length; i++) {
                if (!(pmf[i] >= 0)) {
                    throw new IllegalArgumentException("P(length = " + (min + i) + ") must not be negative: " + pmf[i]);
                }
                sum += pmf[i];
                cdf[i] = sum;
                moment += pmf[i] * ((double) min + i);
            }
            if (!(Math.abs(sum - 1) < 1e-6)) {
                throw new IllegalArgumentException("length probabilities must sum to 1: " + sum);
            }
            mean = moment / sum;
            first = new int[pmf.length];
            int at = 0;
            for (int g = 0; g < first.length; g++) {
                while (at < cdf.length - 1 && cdf[at] <= (double) g / first.length) {
                    at++;
                }
                first[g] = at;
            }
        }

        @Override
        public int tokens(double u) {
            int at = first[(int) (u * first.length)];
            while (at < cdf.length - 1 && cdf[at] <= u) {
                at++;
            }
            return min + at;
        }

        @Override
        public double mean() {
            return mean;
        }
    }
}
