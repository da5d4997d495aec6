package dev.foretoken.sim.serving;

import java.util.Arrays;
import java.util.List;

/**
 * A total of drafted nodes shared over the batch. Starting from the smallest budget, the request whose next larger budget
 * gains most expected tokens per added node gets it, until no step fits in the total. Requests are told apart by workload:
 * what a drafter knows of a single request's next tokens is not part of the acceptance law. Ties go to the request that
 * came first.
 */
final class TopCPolicy implements BudgetPolicy {
    private final int totalNodes;

    TopCPolicy(int totalNodes) {
        if (totalNodes < 0) {
            throw new IllegalArgumentException("the total of nodes must not be negative: " + totalNodes);
        }
        this.totalNodes = totalNodes;
    }

    @Override
    public void check(List<RoundOption> options) {
        for (int o = 1; o < options.size(); o++) {
            if (options.get(o).budget() <= options.get(o - 1).budget()) {
                throw new IllegalArgumentException(
                        "budgets must rise: " + options.get(o).budget() + " after "
                                + options.get(o - 1).budget());
            }
        }
    }

    @Override
    public int choose(BatchView batch) {
        return PER_REQUEST;
    }

    @Override
    public void assign(BatchView batch, int[] options) {
        int n = batch.requests();
        List<RoundOption> ladder = batch.options();
        long left = totalNodes - (long) n * ladder.get(0).budget();
        Arrays.fill(options, 0, n, 0);
        while (true) {
            int best = -1;
            int bestTo = 0;
            double bestGain = 0;
            for (int i = 0; i < n; i++) {
                int from = options[i];
                int w = batch.workload(i);
                for (int to = from + 1; to < ladder.size(); to++) {
                    int nodes = ladder.get(to).budget() - ladder.get(from).budget();
                    if (nodes > left) {
                        break;
                    }
                    double gain = (batch.acceptLength(w, to) - batch.acceptLength(w, from)) / nodes;
                    if (gain > bestGain) {
                        bestGain = gain;
                        best = i;
                        bestTo = to;
                    }
                }
            }
            if (best < 0) {
                return;
            }
            left -= ladder.get(bestTo).budget() - ladder.get(options[best]).budget();
            options[best] = bestTo;
        }
    }
}
