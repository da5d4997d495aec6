package dev.foretoken.sim.serving;

import java.util.List;
import java.util.Map;

/** Picks the option of the next round: one for the whole batch, or one per request. Implementations hold no run state. */
public interface BudgetPolicy {
    /** Answer of {@link #choose} when requests get different options: see {@link #assign}. */
    int PER_REQUEST = -1;

    /** Index of the option for every request of the next round, or {@link #PER_REQUEST}. */
    int choose(BatchView batch);

    /**
     * Options per request, asked for when {@link #choose} says {@link #PER_REQUEST}.
     *
     * @param options filled for 0..batch.requests()-1
     */
    default void assign(BatchView batch, int[] options) {
        throw new UnsupportedOperationException("this policy picks one option for the whole batch");
    }

    /** Refuses an arm whose options the policy cannot use. */
    default void check(List<RoundOption> options) {}

    /** Always the same option. */
    static BudgetPolicy fixed(int option) {
        return batch -> option;
    }

    /**
     * The option of the largest key not above the number of running requests; below the smallest key, that key's.
     *
     * @param optionByRunning option index by number of running requests
     */
    static BudgetPolicy byConcurrency(Map<Integer, Integer> optionByRunning) {
        return new ConcurrencyPolicy(optionByRunning);
    }

    /** The option with the most tokens per second for the batch as it is, every budget searched. */
    static BudgetPolicy costAware() {
        return new CostAwarePolicy();
    }

    /**
     * A total of drafted nodes shared over the batch, each node given where it is worth most.
     *
     * @param totalNodes nodes of the whole batch, not negative
     */
    static BudgetPolicy topC(int totalNodes) {
        return new TopCPolicy(totalNodes);
    }
}
