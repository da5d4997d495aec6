package dev.foretoken.sim.tree;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;

/**
 * Dynamic tree of EAGLE-2 and EAGLE-3 (arXiv 2406.16858, 2503.01840): the first step keeps top-k candidates, each later step
 * expands the kept nodes by top-k each and keeps the best top-k of them by path score; the pool of all candidates, k +
 * (steps - 1) k^2, is cut to the best {@code draftTokens - 1} nodes by path score.
 */
public final class EagleTree {
    private EagleTree() {}

    /**
     * What an engine runs for the given settings: a top-k of 1 is a chain, whose width SGLang fixes at steps + 1; a tree
     * never has more nodes than its pool.
     *
     * @param steps draft passes, at least 1
     * @param topK candidates kept per step, at least 1
     * @param draftTokens verify width, root included, at least 1
     */
    public record Settings(int steps, int topK, int draftTokens) {
        public Settings {
            if (steps < 1) {
                throw new IllegalArgumentException("steps must be at least 1: " + steps);
            }
            if (topK < 1) {
                throw new IllegalArgumentException("top_k must be at least 1: " + topK);
            }
            if (draftTokens < 1) {
                throw new IllegalArgumentException("draft_tokens must be at least 1: " + draftTokens);
            }
        }

        /** The settings after the engine's clamps. */
        public Settings normalised() {
            if (topK == 1) {
                return new Settings(steps, 1, steps + 1);
            }
            long pool = poolSize();
            return draftTokens - 1 > pool ? new Settings(steps, topK, (int) pool + 1) : this;
        }

        /** Candidates over all steps: k + (steps - 1) k^2. */
        public long poolSize() {
            return topK + (steps - 1L) * topK * topK;
        }
    }

    private record Candidate(Candidate parent, int depth, int rank, double score) {
        int[] path() {
            int[] path = new int[depth];
            for (Candidate c = this; c != null; c = c.parent) {
                path[c.depth - 1] = c.rank;
            }
            return path;
        }
    }

    private static final Comparator<Candidate> ORDER =
            Comparator.<Candidate>comparingDouble(c -> -c.score).thenComparing(Candidate::path, Arrays::compare);

    /** Builds the tree from scores per depth and rank; steps beyond the depth of the scores add nothing. */
    public static DraftTree build(RankScores scores, Settings settings) {
        Settings s = settings.normalised();
        List<Candidate> pool = new ArrayList<>();
        List<Candidate> kept = new ArrayList<>();
        for (int step = 1; step <= Math.min(s.steps(), scores.depth()); step++) {
            List<Candidate> grown = new ArrayList<>();
            int k = Math.min(s.topK(), scores.ranks(step));
            if (step == 1) {
                for (int r = 0; r < k; r++) {
                    grown.add(new Candidate(null, 1, r, scores.extend(scores.rootScore(), 1, r)));
                }
            } else {
                for (Candidate c : kept) {
                    for (int r = 0; r < k; r++) {
                        grown.add(new Candidate(c, step, r, scores.extend(c.score, step, r)));
                    }
                }
            }
            grown.sort(ORDER);
            pool.addAll(grown);
            kept = grown.subList(0, Math.min(s.topK(), grown.size()));
        }
        pool.sort(ORDER);
        return collect(pool.subList(0, Math.min(s.draftTokens() - 1, pool.size())));
    }

    private static DraftTree collect(List<Candidate> chosen) {
        int n = chosen.size();
        int[] parent = new int[n];
        int[] depth = new int[n];
        int[] rank = new int[n];
        Map<Candidate, Integer> index = new IdentityHashMap<>();
        for (int i = 0; i < n; i++) {
            Candidate c = chosen.get(i);
            index.put(c, i);
            parent[i] = c.parent == null ? -1 : index.get(c.parent);
            depth[i] = c.depth;
            rank[i] = c.rank;
        }
        return new DraftTree(parent, depth, rank);
    }
}
