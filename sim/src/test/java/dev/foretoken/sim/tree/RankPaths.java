package dev.foretoken.sim.tree;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;

/** The closed form of a best-first tree, by listing and sorting every rank path; and paths of a tree for comparisons. */
public final class RankPaths {
    private RankPaths() {}

    private record Scored(int[] path, double score) {}

    /** The first B of all rank paths sorted by (larger score, lexicographically smaller path). */
    public static int[][] firstBySorting(RankScores scores, TreeOptions options) {
        List<Scored> all = new ArrayList<>();
        list(scores, options.topK(), new int[0], scores.rootScore(), all);
        all.sort(Comparator.<Scored>comparingDouble(s -> -s.score).thenComparing(Scored::path, Arrays::compare));
        return all.stream().limit(options.budget()).map(Scored::path).toArray(int[][]::new);
    }

    /** Every rank path. */
    public static int[][] all(RankScores scores, int topK) {
        List<Scored> all = new ArrayList<>();
        list(scores, topK, new int[0], scores.rootScore(), all);
        return all.stream().map(Scored::path).toArray(int[][]::new);
    }

    private static void list(RankScores scores, int topK, int[] prefix, double score, List<Scored> out) {
        int depth = prefix.length + 1;
        if (depth > scores.depth()) {
            return;
        }
        for (int r = 0; r < Math.min(topK, scores.ranks(depth)); r++) {
            int[] path = Arrays.copyOf(prefix, depth);
            path[depth - 1] = r;
            double s = scores.extend(score, depth, r);
            out.add(new Scored(path, s));
            list(scores, topK, path, s, out);
        }
    }

    /** Rank paths of a tree in order of insertion. */
    public static int[][] of(DraftTree tree) {
        int[][] paths = new int[tree.size()][];
        for (int n = 0; n < paths.length; n++) {
            paths[n] = tree.rankPath(n);
        }
        return paths;
    }
}
