package dev.foretoken.sim.oracle;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.util.List;
import java.util.ServiceLoader;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Every row of a file of expected figures: the system property {@code oracles} names it, the project's own copy is the
 * default. The formula column says what is computed; an unknown formula fails.
 */
class OracleTest {
    private static final double LARGEST_Z = 4;
    private static final double HALF_WIDTH = 0.01;
    private static final double NORMAL_95 = 1.959963984540054;

    static List<OracleRow> rows() throws IOException {
        List<OracleRow> rows = OracleRow.all();
        assertFalse(rows.isEmpty(), "no oracle rows");
        return rows;
    }

    static List<OracleRow> edges() throws IOException {
        return OracleRow.edges();
    }

    static List<OracleRow> stochasticRows() throws IOException {
        return rows().stream().filter(OracleRow::stochastic).toList();
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource({"rows", "edges"})
    void formulaGivesTheExpectedFigures(OracleRow row) {
        double[] actual = OracleFormulas.compute(row.formula(), row.inputs());
        assertEquals(row.expected().length, actual.length, "number of figures of " + row);
        for (int i = 0; i < actual.length; i++) {
            double expected = row.expected()[i];
            double tolerance = Math.max(row.absTol(), row.relTol() * Math.abs(expected));
            assertTrue(
                    Math.abs(actual[i] - expected) <= tolerance,
                    row + " figure " + i + ": expected " + expected + " within " + tolerance + ", got " + actual[i]);
        }
    }

    @ParameterizedTest(name = "{0}, simulated", allowZeroInvocations = true)
    @MethodSource("stochasticRows")
    void simulationAgrees(OracleRow row) {
        StochasticOracle simulation = null;
        for (StochasticOracle candidate : ServiceLoader.load(StochasticOracle.class)) {
            simulation = candidate.handles(row.formula()) ? candidate : simulation;
        }
        Assumptions.assumeTrue(simulation != null, "pending: simulation of " + row.formula());
        StochasticOracle.Estimate[] estimates =
                simulation.simulate(row.formula(), row.inputs().json(), 1);
        assertEquals(row.expected().length, estimates.length, "number of estimates of " + row);
        int given = 0;
        for (int i = 0; i < estimates.length; i++) {
            StochasticOracle.Estimate e = estimates[i];
            if (e == null) {
                continue;
            }
            given++;
            double expected = row.expected()[i];
            double tolerance = Math.max(row.absTol(), row.relTol() * Math.abs(expected));
            assertTrue(
                    Math.abs(e.mean() - expected) <= LARGEST_Z * e.standardError() + tolerance,
                    row + " figure " + i + ": expected " + expected + ", simulated " + e);
            assertTrue(
                    NORMAL_95 * e.standardError() <= HALF_WIDTH * Math.abs(e.mean()),
                    row + " figure " + i + " is not simulated to 1 %: " + e);
        }
        assertNotNull(estimates);
        assertTrue(given > 0, "no estimate of " + row);
    }
}
