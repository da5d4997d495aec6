package dev.foretoken.sim.serving;

/**
 * Most tokens per second for the batch as it is: the option with the largest expected tokens of the round over its time.
 * Real verify costs have stairs, so every option is compared instead of stopping at the first that does not pay (the
 * stopping rule of CaDDTree, arXiv 2606.01813, is optimal for convex costs only). The smaller budget wins ties.
 */
final class CostAwarePolicy implements BudgetPolicy {
    @Override
    public int choose(BatchView batch) {
        int best = 0;
        double bestRate = -1;
        for (int o = 0; o < batch.options().size(); o++) {
            double tokens = 0;
            for (int w = 0; w < batch.workloads(); w++) {
                tokens += batch.requestsOf(w) * batch.acceptLength(w, o);
            }
            double context = batch.meanContext();
            double ms =
                    batch.options().get(o).rounds().roundMs(batch.requests(), batch.paddedRows(o), context, context);
            if (tokens / ms > bestRate) {
                bestRate = tokens / ms;
                best = o;
            }
        }
        return best;
    }
}
