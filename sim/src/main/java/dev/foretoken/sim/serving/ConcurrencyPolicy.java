package dev.foretoken.sim.serving;

import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;

/** Budget by number of running requests: a step function. */
final class ConcurrencyPolicy implements BudgetPolicy {
    private final int[] running;
    private final int[] option;

    ConcurrencyPolicy(Map<Integer, Integer> optionByRunning) {
        if (optionByRunning.isEmpty()) {
            throw new IllegalArgumentException("budget_by_concurrency needs at least one entry");
        }
        NavigableMap<Integer, Integer> sorted = new TreeMap<>(optionByRunning);
        running = sorted.keySet().stream().mapToInt(Integer::intValue).toArray();
        option = sorted.values().stream().mapToInt(Integer::intValue).toArray();
    }

    @Override
    public int choose(BatchView batch) {
        int i = running.length - 1;
        while (i > 0 && running[i] > batch.requests()) {
            i--;
        }
        return option[i];
    }

    @Override
    public void check(List<RoundOption> options) {
        for (int o : option) {
            if (o < 0 || o >= options.size()) {
                throw new IllegalArgumentException("budget_by_concurrency names option " + o + " of " + options.size());
            }
        }
    }
}
