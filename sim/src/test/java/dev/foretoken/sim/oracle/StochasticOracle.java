package dev.foretoken.sim.oracle;

import com.fasterxml.jackson.databind.JsonNode;

/**
 * Simulates what some oracle rows compute. Implementations are registered in
 * {@code META-INF/services/dev.foretoken.sim.oracle.StochasticOracle} of the test resources.
 */
public interface StochasticOracle {
    /** True when the formula can be simulated. */
    boolean handles(String formula);

    /**
     * Simulates a row until the 95 % half-width is at most 1 % of every estimate that is given.
     *
     * @param inputs the row's inputs
     * @return one estimate per expected figure; null where the simulation gives none (at least one is given)
     */
    Estimate[] simulate(String formula, JsonNode inputs, long seed);

    /**
     * @param mean estimated figure
     * @param standardError its standard error, 0 when the simulation is exact
     */
    record Estimate(double mean, double standardError) {}
}
