package dev.foretoken.sim.whitebox;

import dev.foretoken.sim.model.Moe;
import dev.foretoken.sim.profile.Curve;

/**
 * Routed experts of one mixture layer on one card. Tables route evenly: m tokens visit min(E, k m) experts. By chance they
 * visit E (1 - (1 - k/E)^m), so up to saturation the time is the table's at as many visited experts, and beyond it what the
 * table adds for more tokens:
 *
 * <p>t(m) = table(min(visited(m), E) / k) + max(0, table(m) - table(E / k)), and at least the visited experts' weights at DRAM
 * speed.
 */
final class MoeExperts {
    private final Moe moe;
    private final Curve balanced;
    private final double expertBytes;
    private final double bytesPerUs;

    /**
     * @param balanced table along tokens, even routing
     * @param expertBytes weights of one expert on one card
     * @param bytesPerUs DRAM bandwidth, bytes per microsecond
     */
    MoeExperts(Moe moe, Curve balanced, double expertBytes, double bytesPerUs) {
        this.moe = moe;
        this.balanced = balanced;
        this.expertBytes = expertBytes;
        this.bytesPerUs = bytesPerUs;
    }

    /** Table time, microseconds. */
    double tableUs(double rows) {
        return balanced.us(rows);
    }

    /** Serving time, microseconds. */
    double us(double rows) {
        double visited = moe.expectedExperts(rows);
        double saturated = (double) moe.experts() / moe.topK();
        double base = balanced.us(Math.min(visited / moe.topK(), saturated));
        double more = Math.max(0, balanced.us(rows) - balanced.us(saturated));
        return Math.max(base + (rows > saturated ? more : 0), visited * expertBytes / bytesPerUs);
    }

    /** Knots of the table, for sums. */
    Curve table() {
        return balanced;
    }
}
