package dev.foretoken.formats.rounds;

/**
 * One decode round of one request.
 *
 * @param request id of the request
 * @param round number of the round within the request, from 0
 * @param drafted tokens drafted (nodes of a tree)
 * @param accepted drafts accepted, without the bonus or corrected token
 * @param design what was drafted; null when the header says it
 * @param firstMissRank rank (0 is the first choice) of the target's token at the first position off the spine, null when
 *     unknown or when everything was accepted
 * @param afterSibling true when an accepted path left the spine and went on; null when unknown
 * @param entropy entropy of the drafter at the first position, nats; null when unknown
 */
public record RoundRecord(
        String request,
        int round,
        int drafted,
        int accepted,
        RoundDesign design,
        Integer firstMissRank,
        Boolean afterSibling,
        Double entropy) {
    /**
     * What was drafted in a round.
     *
     * @param length drafts of a chain; null when unknown
     * @param budget tree nodes without the root; null for a chain
     * @param topK candidates per depth; null when there was no cap
     * @param depth positions of a tree (block - 1, or steps); null when unknown
     */
    public record RoundDesign(Integer length, Integer budget, Integer topK, Integer depth) {
        public RoundDesign {
            atLeast(1, "length", length);
            atLeast(0, "budget", budget);
            atLeast(1, "top_k", topK);
            atLeast(1, "depth", depth);
            if (length != null && depth != null && !length.equals(depth)) {
                throw new IllegalArgumentException(
                        "a design has a length or a depth, not two of them: " + length + " and " + depth);
            }
        }

        /** Drafted positions: the length of a chain, the depth of a tree; null when neither is said. */
        public Integer positions() {
            return length != null ? length : depth;
        }
    }

    public RoundRecord {
        if (request == null || request.isBlank()) {
            throw new IllegalArgumentException("a round needs the id of its request");
        }
        atLeast(0, "round", round);
        atLeast(0, "drafted", drafted);
        atLeast(0, "first_miss_rank", firstMissRank);
        if (accepted < 0 || accepted > drafted) {
            throw new IllegalArgumentException("accepted must lie in 0.." + drafted + " (drafted): " + accepted);
        }
        if (entropy != null && !(entropy >= 0 && Double.isFinite(entropy))) {
            throw new IllegalArgumentException("entropy must be finite and not negative: " + entropy);
        }
    }

    private static void atLeast(int min, String name, Integer value) {
        if (value != null && value < min) {
            throw new IllegalArgumentException(name + " must be at least " + min + ": " + value);
        }
    }
}
