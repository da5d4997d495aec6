package dev.foretoken.sim.tree;

import java.util.Arrays;

/**
 * DDTree: best-first growth of a draft tree (Ringel and Romano, arXiv 2604.12989). The candidate with the largest path score
 * is appended; its next sibling and its first child become candidates. O(B log B) in the budget B, whatever the number of
 * depths and ranks.
 *
 * <p>Without bonuses and width limits the result is the first B of all rank paths in the order (larger score, then
 * lexicographically smaller path), so the nodes of budget B are the first B nodes of any larger budget and one expansion
 * serves all budgets below it.
 *
 * <p>The object is a workspace that may be used again for another expansion; it is not safe for use by several threads.
 * Nodes are numbered from 0 in the order of insertion, the parent of a depth-1 node is -1 (the root).
 */
public final class BestFirst {
    private int size;
    private int[] parent = new int[0];
    private int[] depth = new int[0];
    private int[] rank = new int[0];
    private double[] score = new double[0];

    private int[] entryParent = new int[0];
    private int[] entryDepth = new int[0];
    private int[] entryRank = new int[0];
    private double[] heapKey = new double[0];
    private int[] heapEntry = new int[0];
    private int heapSize;
    private int entries;

    /**
     * Grows a tree and keeps it in this workspace until the next call.
     *
     * @return this
     */
    public BestFirst expand(RankScores scores, TreeOptions options) {
        grow(scores, options, null);
        return this;
    }

    /**
     * Drafted tokens that a target accepts in the tree, growing only as much of it as the answer needs.
     *
     * @param targetRanks rank of the target's token at each depth, negative when it is not among the candidates; at least as
     *     long as the scores are deep
     */
    public int accepted(RankScores scores, TreeOptions options, int[] targetRanks) {
        return grow(scores, options, targetRanks);
    }

    private int grow(RankScores scores, TreeOptions options, int[] target) {
        double[][] values = options.plainScores()
                ? scores.values()
                : scores.withBonus(options.depthBonus(), options.siblingBonus());
        int maxDepth = values.length;
        int budget = options.budget();
        boolean product = scores.multiplicative();
        double rootScore = scores.rootScore();
        size = 0;
        heapSize = 0;
        entries = 0;
        if (budget == 0 || maxDepth == 0) {
            return 0;
        }
        int[] room = room(options, maxDepth);
        if (options.chainSeed()) {
            seedChain(values, product, rootScore, options, room);
        } else {
            push(-1, 1, 0, combine(product, rootScore, values[0][0]));
        }
        int accepted = 0;
        int at = -1;
        if (target != null) {
            while (accepted < size && target[accepted] == 0) {
                at = accepted++;
            }
            if (accepted == maxDepth || !possible(target[accepted], values[accepted], options)) {
                return accepted;
            }
        }
        while (size < budget && heapSize > 0) {
            double key = heapKey[0];
            int entry = heapEntry[0];
            int d = entryDepth[entry];
            int r = entryRank[entry];
            int p = entryParent[entry];
            pop();
            if (room != null && --room[d - 1] < 0) {
                room[d - 1] = 0;
                continue;
            }
            int node = append(p, d, r, key);
            if (target != null && p == at && r == target[d - 1]) {
                at = node;
                accepted = d;
                if (d == maxDepth || !possible(target[d], values[d], options)) {
                    return accepted;
                }
            }
            if (r + 1 < Math.min(options.topK(), values[d - 1].length)) {
                double parentScore = p < 0 ? rootScore : score[p];
                push(p, d, r + 1, combine(product, parentScore, values[d - 1][r + 1]));
            }
            if (d < maxDepth) {
                push(node, d + 1, 0, combine(product, key, values[d][0]));
            }
        }
        return accepted;
    }

    /** True when a candidate of this rank can be in the tree at all. */
    private static boolean possible(int rank, double[] row, TreeOptions options) {
        return rank >= 0 && rank < Math.min(options.topK(), row.length);
    }

    private void seedChain(double[][] values, boolean product, double rootScore, TreeOptions options, int[] room) {
        double s = rootScore;
        int length = Math.min(options.budget(), values.length);
        for (int d = 1; d <= length; d++) {
            if (room != null && --room[d - 1] < 0) {
                room[d - 1] = 0;
                break;
            }
            double before = s;
            s = combine(product, s, values[d - 1][0]);
            append(d - 2, d, 0, s);
            if (Math.min(options.topK(), values[d - 1].length) > 1) {
                push(d - 2, d, 1, combine(product, before, values[d - 1][1]));
            }
        }
    }

    private static int[] room(TreeOptions options, int maxDepth) {
        if (options.widthProfile().isEmpty()) {
            return null;
        }
        int[] room = new int[maxDepth];
        Arrays.fill(room, Integer.MAX_VALUE);
        for (int d = 0; d < Math.min(maxDepth, options.widthProfile().size()); d++) {
            room[d] = options.widthProfile().get(d);
        }
        return room;
    }

    private static double combine(boolean product, double pathScore, double value) {
        return product ? pathScore * value : pathScore + value;
    }

    private int append(int p, int d, int r, double s) {
        if (size == parent.length) {
            int capacity = Math.max(32, 2 * size);
            parent = Arrays.copyOf(parent, capacity);
            depth = Arrays.copyOf(depth, capacity);
            rank = Arrays.copyOf(rank, capacity);
            score = Arrays.copyOf(score, capacity);
        }
        parent[size] = p;
        depth[size] = d;
        rank[size] = r;
        score[size] = s;
        return size++;
    }

    private void push(int p, int d, int r, double key) {
        if (entries == entryParent.length) {
            int capacity = Math.max(64, 2 * entries);
            entryParent = Arrays.copyOf(entryParent, capacity);
            entryDepth = Arrays.copyOf(entryDepth, capacity);
            entryRank = Arrays.copyOf(entryRank, capacity);
            heapKey = Arrays.copyOf(heapKey, capacity);
            heapEntry = Arrays.copyOf(heapEntry, capacity);
        }
        int entry = entries++;
        entryParent[entry] = p;
        entryDepth[entry] = d;
        entryRank[entry] = r;
        int hole = heapSize++;
        while (hole > 0) {
            int up = (hole - 1) >>> 1;
            if (!before(key, entry, heapKey[up], heapEntry[up])) {
                break;
            }
            heapKey[hole] = heapKey[up];
            heapEntry[hole] = heapEntry[up];
            hole = up;
        }
        heapKey[hole] = key;
        heapEntry[hole] = entry;
    }

    private void pop() {
        int last = --heapSize;
        double key = heapKey[last];
        int entry = heapEntry[last];
        int hole = 0;
        int child;
        while ((child = 2 * hole + 1) < last) {
            if (child + 1 < last
                    && before(heapKey[child + 1], heapEntry[child + 1], heapKey[child], heapEntry[child])) {
                child++;
            }
            if (!before(heapKey[child], heapEntry[child], key, entry)) {
                break;
            }
            heapKey[hole] = heapKey[child];
            heapEntry[hole] = heapEntry[child];
            hole = child;
        }
        heapKey[hole] = key;
        heapEntry[hole] = entry;
    }

    private boolean before(double keyA, int a, double keyB, int b) {
        return keyA > keyB || (keyA == keyB && comparePaths(a, b) < 0);
    }

    /** Lexicographic order of the rank paths of two candidates; a prefix comes first. Walks up to the last common node. */
    private int comparePaths(int a, int b) {
        int parentA = entryParent[a];
        int parentB = entryParent[b];
        int rankA = entryRank[a];
        int rankB = entryRank[b];
        int depthA = entryDepth[a];
        int depthB = entryDepth[b];
        int longer = Integer.compare(depthA, depthB);
        for (; depthA > depthB; depthA--) {
            rankA = rank[parentA];
            parentA = parent[parentA];
        }
        for (; depthB > depthA; depthB--) {
            rankB = rank[parentB];
            parentB = parent[parentB];
        }
        while (parentA != parentB) {
            rankA = rank[parentA];
            rankB = rank[parentB];
            parentA = parent[parentA];
            parentB = parent[parentB];
        }
        return rankA != rankB ? Integer.compare(rankA, rankB) : longer;
    }

    /** Nodes without the root. */
    public int size() {
        return size;
    }

    /** Parent of a node, -1 for the root. */
    public int parent(int node) {
        return parent[node];
    }

    /** Depth of a node, from 1. */
    public int depth(int node) {
        return depth[node];
    }

    /** Rank of a node among the candidates of its depth, from 0. */
    public int rank(int node) {
        return rank[node];
    }

    /** Path score by which the node was chosen, bonuses included. */
    public double score(int node) {
        return score[node];
    }

    /** A copy of the tree that does not depend on this workspace. */
    public DraftTree tree() {
        return new DraftTree(Arrays.copyOf(parent, size), Arrays.copyOf(depth, size), Arrays.copyOf(rank, size));
    }

    /** Grows one tree. */
    public static DraftTree build(RankScores scores, TreeOptions options) {
        return new BestFirst().expand(scores, options).tree();
    }
}
