package dev.foretoken.sim.acceptance;

import java.util.List;

/**
 * A law and how far the form leaves it open.
 *
 * @param central law by which figures are given
 * @param corners laws at the ends of what is unknown; empty when the law is exact. Figures under the corners bound the band
 * @param reason why there is a band, null without one
 * @param notes assumptions, each a sentence
 */
public record LawBand(AcceptanceLaw central, List<AcceptanceLaw> corners, String reason, List<String> notes) {
    public LawBand {
        corners = List.copyOf(corners);
        notes = List.copyOf(notes);
        if (corners.isEmpty() != (reason == null)) {
            throw new IllegalArgumentException("a band needs a reason, and a reason a band: " + reason);
        }
    }

    public static LawBand exact(AcceptanceLaw law, String... notes) {
        return new LawBand(law, List.of(), null, List.of(notes));
    }

    public boolean hasBand() {
        return !corners.isEmpty();
    }

    /** Smallest accept length over the central law and the corners. */
    public double lowAcceptLength() {
        return corners.stream().mapToDouble(AcceptanceLaw::acceptLength).reduce(central.acceptLength(), Math::min);
    }

    /** Largest accept length over the central law and the corners. */
    public double highAcceptLength() {
        return corners.stream().mapToDouble(AcceptanceLaw::acceptLength).reduce(central.acceptLength(), Math::max);
    }
}
