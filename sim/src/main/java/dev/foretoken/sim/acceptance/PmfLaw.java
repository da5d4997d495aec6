package dev.foretoken.sim.acceptance;

/** A law given by its probabilities: rounds are independent and all requests alike. */
public final class PmfLaw implements AcceptanceLaw {
    private static final double SUM_TOLERANCE = 1e-9;

    /** One token per round: autoregressive decoding. */
    public static final PmfLaw ONE_TOKEN = new PmfLaw(new double[] {1});

    private final double[] pmf;
    private final double acceptLength;

    private PmfLaw(double[] pmf) {
        this.pmf = pmf;
        this.acceptLength = new PmfMoments(pmf).mean();
    }

    /** @param pmf entry j is P(tokens = j + 1); sums to 1 within 1e-9 */
    public static PmfLaw of(double... pmf) {
        double sum = 0;
        for (double p : pmf) {
            sum += Survival.probability(p, "probability of a number of tokens");
        }
        if (!(Math.abs(sum - 1) <= SUM_TOLERANCE)) {
            throw new IllegalArgumentException("probabilities of tokens per round must sum to 1: " + sum);
        }
        return new PmfLaw(pmf.clone());
    }

    /** @param survival entry i - 1 is P(at least i drafts accepted); may not rise */
    public static PmfLaw ofSurvival(double... survival) {
        return new PmfLaw(Survival.toPmf(survival));
    }

    /** @param counts rounds that committed 1, 2, ... tokens */
    public static PmfLaw ofCounts(double... counts) {
        return new PmfLaw(Survival.pmfFromCounts(counts));
    }

    /** Independent acceptance with one probability over a chain. */
    public static PmfLaw iid(double alpha, int length) {
        return ofSurvival(TruncatedGeometric.survival(alpha, length));
    }

    /**
     * Acceptance probability drawn from Beta(a, b) afresh each round: survival at k is the k-th raw moment, the product over
     * j = 0..k-1 of (a + j)/(a + b + j).
     */
    public static PmfLaw betaMixed(double a, double b, int length) {
        if (!(a > 0) || !(b > 0) || Double.isInfinite(a) || Double.isInfinite(b)) {
            throw new IllegalArgumentException("parameters of a beta law must be finite and positive: " + a + ", " + b);
        }
        double[] conditional = new double[length];
        for (int j = 0; j < length; j++) {
            conditional[j] = (a + j) / (a + b + j);
        }
        return ofSurvival(Survival.fromConditional(conditional));
    }

    @Override
    public double[] pmf() {
        return pmf;
    }

    @Override
    public double acceptLength() {
        return acceptLength;
    }
}
