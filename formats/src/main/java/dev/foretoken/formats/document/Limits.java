package dev.foretoken.formats.document;

/**
 * What a document may cost before it is refused.
 *
 * @param maxBytes size of the file, bytes; a larger file is refused without being read
 * @param maxDepth nesting of lists and maps
 * @param maxAliases aliases that refer to lists or maps (YAML)
 * @param maxValues lists, maps and scalars after aliases are expanded
 */
public record Limits(long maxBytes, int maxDepth, int maxAliases, int maxValues) {
    /** Files that people write: scenarios, catalogue entries, acceptance files. */
    public static final Limits SCENARIO = new Limits(3_000_000, 40, 200, 300_000);

    /** Files that tools write: profiles, kernel timings, results. */
    public static final Limits MACHINE = new Limits(256_000_000, 40, 200, 50_000_000);

    public Limits {
        if (maxBytes < 1 || maxDepth < 1 || maxAliases < 0 || maxValues < 1) {
            throw new IllegalArgumentException("limits must be positive: " + maxBytes + " bytes, depth " + maxDepth
                    + ", aliases " + maxAliases + ", values " + maxValues);
        }
    }
}
