package dev.foretoken.sim.serving;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import org.apache.commons.statistics.distribution.TDistribution;
import org.junit.jupiter.api.Test;

/** Saturated closed loops against results computed by hand from exact renewal and birth-death. */
class ReferenceScenarioTest {
    private static final double LARGEST_Z = 4;

    @Test
    void plainScenarioAgreesAtEveryPoint() {
        ReferenceScenario reference = ReferenceScenario.plain();
        int outside = 0;
        for (JsonNode point : reference.expected()) {
            SimulationPoint got = reference.simulate(point, SimulationOptions.DEFAULT);
            String at = point.get("method") + " " + point.get("budget") + " " + point.get("load");
            double[][] figures = {
                {
                    point.get("output_tok_s").asDouble(),
                    got.outputTokS().value(),
                    got.outputTokS().halfWidth()
                },
                {
                    point.get("tpot_ms").get("mean").asDouble(),
                    got.tpotMs().mean().value(),
                    got.tpotMs().mean().halfWidth()
                },
                {
                    point.get("rounds_per_request").asDouble(),
                    got.roundsPerRequest().value(),
                    got.roundsPerRequest().halfWidth()
                },
                {
                    point.get("accept_length").asDouble(),
                    got.acceptLength().value(),
                    got.acceptLength().halfWidth()
                },
                {
                    point.get("round_ms").asDouble(),
                    got.roundMs().value(),
                    got.roundMs().halfWidth()
                },
                {
                    point.get("rows_per_round").asDouble(),
                    got.rowsPerRound().value(),
                    got.rowsPerRound().halfWidth()
                },
            };
            if (point.get("method").asText().equals("ar")) {
                for (double[] f : figures) {
                    assertEquals(f[0], f[1], 1e-9 * f[0], at);
                }
            }
            double t = TDistribution.of(Math.max(1, got.batches() - 1)).inverseCumulativeProbability(0.975);
            for (double[] f : figures) {
                double error = Math.abs(f[1] - f[0]);
                assertTrue(
                        error <= LARGEST_Z * f[2] / t + 1e-9 * f[0],
                        at + ": expected " + f[0] + ", simulated " + f[1] + " +- " + f[2]);
                assertTrue(f[2] <= 0.005 * f[0], at + ": half-width " + f[2] + " of " + f[1]);
            }
            if (Math.abs(figures[0][1] - figures[0][0]) > figures[0][2] + 1e-9 * figures[0][0]) {
                outside++;
            }
        }
        assertTrue(outside <= 4, outside + " of " + reference.expected().size() + " outside their 95 % interval");
    }

    @Test
    void loadedScenarioAgreesWithinThreePercent() {
        ReferenceScenario reference = ReferenceScenario.loaded();
        for (JsonNode point : reference.expected()) {
            SimulationPoint got = reference.simulate(point, SimulationOptions.DEFAULT);
            double expected = point.get("output_tok_s").asDouble();
            assertEquals(expected, got.outputTokS().value(), 0.03 * expected, point.toString());
        }
    }
}
