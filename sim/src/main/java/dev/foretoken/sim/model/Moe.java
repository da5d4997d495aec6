package dev.foretoken.sim.model;

/**
 * Mixture of experts in place of the MLP of every layer.
 *
 * @param experts routed experts per layer
 * @param topK experts that each token visits
 * @param intermediate width of one expert
 * @param sharedIntermediate width of the expert that every token visits; 0 when there is none
 */
public record Moe(int experts, int topK, int intermediate, int sharedIntermediate) {
    public Moe {
        Sizes.positive("experts", experts);
        Sizes.positive("expert intermediate size", intermediate);
        Sizes.notNegative("shared expert intermediate size", sharedIntermediate);
        if (topK < 1 || topK > experts) {
            throw new IllegalArgumentException("experts per token must be between 1 and " + experts + ": " + topK);
        }
    }

    /**
     * Expected number of different experts of a layer that a pass visits, if each row picks top-k experts uniformly and
     * independently of the others: E (1 - (1 - k/E)^rows).
     */
    public double expectedExperts(double rows) {
        if (!(rows >= 0)) {
            throw new IllegalArgumentException("rows must not be negative: " + rows);
        }
        return experts * (1 - Math.pow(1 - (double) topK / experts, rows));
    }
}
