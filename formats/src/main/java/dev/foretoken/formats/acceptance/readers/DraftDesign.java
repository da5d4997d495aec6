package dev.foretoken.formats.acceptance.readers;

/**
 * What was drafted per round. Parts are null where unknown or not applicable.
 *
 * @param length largest number of drafts that can be accepted in a round (chain length, or depth of the tree)
 * @param budget tree nodes excluding the root
 * @param topK cap of candidates per depth
 */
public record DraftDesign(Integer length, Integer budget, Integer topK) {
    public static final DraftDesign UNKNOWN = new DraftDesign(null, null, null);

    public DraftDesign {
        check("length", length);
        check("budget", budget);
        check("topK", topK);
    }

    /** A chain of k drafts. */
    public static DraftDesign chain(int k) {
        return new DraftDesign(k, null, null);
    }

    private static void check(String name, Integer value) {
        if (value != null && value < 0) {
            throw new IllegalArgumentException(name + " must be at least 0: " + value);
        }
    }
}
