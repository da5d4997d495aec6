package dev.foretoken.sim.acceptance;

/**
 * A chain whose acceptance switches between two levels from round to round.
 *
 * @param toSecond probability of going from the first level to the second, per round
 * @param toFirst probability of going back, per round; the two are not both 0
 * @param firstAlpha acceptance per position at the first level
 * @param secondAlpha acceptance per position at the second level
 * @param length drafted positions
 */
public record MarkovModulatedChain(double toSecond, double toFirst, double firstAlpha, double secondAlpha, int length) {
    public MarkovModulatedChain {
        Survival.probability(toSecond, "probability of leaving the first level");
        Survival.probability(toFirst, "probability of leaving the second level");
        Survival.probability(firstAlpha, "acceptance at the first level");
        Survival.probability(secondAlpha, "acceptance at the second level");
        if (toSecond + toFirst == 0) {
            throw new IllegalArgumentException("a chain that never changes its level has no stationary law");
        }
        if (length < 0) {
            throw new IllegalArgumentException("chain length must be at least 0: " + length);
        }
    }

    /**
     * Stationary moments of the tokens per round.
     *
     * @param acceptLength mean
     * @param variance variance of one round
     * @param lag1 autocorrelation of neighbouring rounds; lag k has lag1 * lambda^(k-1), lambda = 1 - toSecond - toFirst
     * @param inflation variance of a long sum of rounds over that of independent ones: 1 + 2 lag1/(1 - lambda)
     */
    public record Moments(double acceptLength, double variance, double lag1, double inflation) {}

    public Moments moments() {
        double first = toFirst / (toSecond + toFirst);
        double second = 1 - first;
        double lambda = 1 - toSecond - toFirst;
        PmfMoments p = new PmfMoments(PmfLaw.iid(firstAlpha, length).pmf());
        PmfMoments q = new PmfMoments(PmfLaw.iid(secondAlpha, length).pmf());
        double mean = first * p.mean() + second * q.mean();
        double variance = first * p.second() + second * q.second() - mean * mean;
        double gap = p.mean() - q.mean();
        double between = first * second * gap * gap;
        double lag1 = variance > 0 ? lambda * between / variance : 0;
        return new Moments(mean, variance, lag1, 1 + 2 * lag1 / (1 - lambda));
    }
}
