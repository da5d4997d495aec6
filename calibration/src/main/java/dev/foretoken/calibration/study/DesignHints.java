package dev.foretoken.calibration.study;

import dev.foretoken.formats.acceptance.readers.DraftDesign;
import dev.foretoken.sim.acceptance.Design;
import dev.foretoken.sim.tree.TreeOptions;

/**
 * What a user says about the drafts where a source is silent. A figure of the source wins over the user's.
 *
 * @param length chain length, or depth of a tree (block - 1); null when not said
 * @param budget tree nodes without the root; null when not said
 * @param topK candidates per depth; null when not said
 * @param chainSeed trees hold the chain of first choices
 * @param eagle trees are EAGLE's dynamic ones, not best-first ones
 */
public record DesignHints(Integer length, Integer budget, Integer topK, boolean chainSeed, boolean eagle) {
    /** Nothing is said. */
    public static final DesignHints NONE = new DesignHints(null, null, null, false, false);

    public DesignHints {
        atLeastOne("length", length);
        atLeastOne("budget", budget);
        atLeastOne("top_k", topK);
    }

    private static void atLeastOne(String name, Integer value) {
        if (value != null && value < 1) {
            throw new IllegalArgumentException(name + " must be at least 1: " + value);
        }
    }

    /** The design of a source, with the user's figures where it is silent. */
    public DraftDesign fill(DraftDesign d) {
        return new DraftDesign(
                d.length() != null ? d.length() : length,
                d.budget() != null ? d.budget() : budget,
                d.topK() != null ? d.topK() : topK);
    }

    /**
     * The design that a fit can use.
     *
     * @throws IllegalArgumentException saying what is missing
     */
    public Design resolve(DraftDesign source) {
        DraftDesign d = fill(source);
        if (d.length() == null) {
            throw new IllegalArgumentException(
                    d.budget() == null
                            ? "the draft length is unknown: give --length"
                            : "the depth of the tree is unknown: give --length (block - 1, or steps), or depth in the"
                                    + " design of a log of rounds");
        }
        if (d.length() == 0 || Integer.valueOf(0).equals(d.budget())) {
            throw new IllegalArgumentException("nothing was drafted");
        }
        if (d.budget() == null) {
            return new Design.Chain(d.length());
        }
        if (Integer.valueOf(1).equals(d.topK())) {
            return new Design.Chain(Math.min(d.budget(), d.length()));
        }
        if (eagle) {
            if (d.topK() == null) {
                throw new IllegalArgumentException("an EAGLE tree needs its top_k: give --top-k");
            }
            return new Design.Eagle(d.length(), d.topK(), d.budget() + 1);
        }
        return new Design.Tree(d.length(), d.topK() == null ? TreeOptions.UNLIMITED : d.topK(), d.budget(), chainSeed);
    }
}
