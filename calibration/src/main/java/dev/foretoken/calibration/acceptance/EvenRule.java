package dev.foretoken.calibration.acceptance;

import dev.foretoken.sim.acceptance.Design;
import java.util.HashMap;
import java.util.Map;

/** Even quadrature over a standard normal z. */
final class EvenRule {
    private static final double EDGE = 3.5;
    /** Nodes times budget: trees of small budgets take larger steps when their shape changes, and cost less. */
    private static final int NODES_TIMES_BUDGET = 12_000;

    private static final int FEWEST = 101;
    private static final int MOST = 301;
    private static final Map<Integer, EvenRule> RULES = new HashMap<>();

    private final double[] z;
    private final double[] weight;

    EvenRule(int nodes) {
        z = new double[nodes];
        weight = new double[nodes];
        double sum = 0;
        for (int i = 0; i < nodes; i++) {
            z[i] = -EDGE + 2 * EDGE * i / (nodes - 1);
            weight[i] = Math.exp(-z[i] * z[i] / 2);
            sum += weight[i];
        }
        for (int i = 0; i < nodes; i++) {
            weight[i] /= sum;
        }
    }

    /** A rule fine enough for the likelihood of a design. */
    static EvenRule of(Design design) {
        int nodes = 31;
        if (EvidenceModel.branches(design)) {
            int budget = design instanceof Design.Tree t ? t.budget() : NODES_TIMES_BUDGET / FEWEST;
            nodes = Math.max(FEWEST, Math.min(MOST, NODES_TIMES_BUDGET / budget));
        }
        synchronized (RULES) {
            return RULES.computeIfAbsent(nodes, EvenRule::new);
        }
    }

    int size() {
        return z.length;
    }

    double z(int i) {
        return z[i];
    }

    double weight(int i) {
        return weight[i];
    }
}
