package dev.foretoken.sim.tree;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.PriorityQueue;

/**
 * One node budget shared by the requests of a batch: the best nodes over all of their trees (the idea of TETRIS, arXiv
 * 2502.15197). A child never outranks its parent, so the chosen set of each request is a tree.
 */
public final class BatchAllocation {
    private BatchAllocation() {}

    /**
     * @param requests scores of each request, all in the same form
     * @param budget nodes over all requests, without roots
     * @param topK candidates per depth, {@link TreeOptions#UNLIMITED} for all
     * @return one tree per request; on ties the earlier request is served first
     */
    public static List<DraftTree> allocate(List<RankScores> requests, int budget, int topK) {
        List<BestFirst> grown = new ArrayList<>();
        TreeOptions options = TreeOptions.budget(budget).withTopK(topK);
        for (RankScores r : requests) {
            grown.add(new BestFirst().expand(r, options));
        }
        int[] taken = new int[requests.size()];
        PriorityQueue<Integer> next = new PriorityQueue<>(Comparator.<Integer>comparingDouble(
                        i -> -requests.get(i).probability(grown.get(i).score(taken[i])))
                .thenComparing(Comparator.naturalOrder()));
        for (int i = 0; i < taken.length; i++) {
            if (grown.get(i).size() > 0) {
                next.add(i);
            }
        }
        for (int n = 0; n < budget && !next.isEmpty(); n++) {
            int i = next.remove();
            taken[i]++;
            if (taken[i] < grown.get(i).size()) {
                next.add(i);
            }
        }
        List<DraftTree> trees = new ArrayList<>();
        for (int i = 0; i < taken.length; i++) {
            trees.add(grown.get(i).tree().prefix(taken[i]));
        }
        return trees;
    }
}
