package dev.foretoken.calibration.host;

import dev.foretoken.calibration.host.ForcedSpeculation.Kind;
import dev.foretoken.sim.profile.Curve;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;

/**
 * CPU costs of a server's rounds.
 *
 * @param roundUs one target pass along rows (tokens of all requests in it), with what the server does per round
 * @param perDraftUs one pass of the drafter by sequences in it, microseconds per drafted position
 * @param perRoundUs what drafting adds to a round whatever its length, by sequences in it
 * @param requestUs prompt and first token of one request by who drafts
 */
public record RoundCosts(
        Curve roundUs,
        NavigableMap<Integer, Double> perDraftUs,
        NavigableMap<Integer, Double> perRoundUs,
        Map<Kind, Double> requestUs) {
    public RoundCosts {
        perDraftUs = new TreeMap<>(perDraftUs);
        perRoundUs = new TreeMap<>(perRoundUs);
        requestUs = Map.copyOf(requestUs);
    }

    /** The same costs with another curve of rounds. */
    public RoundCosts with(Curve rounds) {
        return new RoundCosts(rounds, perDraftUs, perRoundUs, requestUs);
    }

    /** Rows that were calibrated. */
    public boolean calibrated(int rows) {
        return !roundUs.outside(rows);
    }

    /**
     * CPU microseconds of one round.
     *
     * @param kind who drafts
     * @param sequences requests that draft in it
     * @param drafts longest draft in it
     * @param rows tokens of all requests
     */
    public double us(Kind kind, int sequences, int drafts, int rows) {
        double us = roundUs.us(rows);
        if (kind == Kind.DRAFT_MODEL && drafts > 0) {
            us += between(perRoundUs, sequences) + drafts * between(perDraftUs, sequences);
        }
        return us;
    }

    /** Linear between calibrated numbers of sequences, their ends outside. */
    private static double between(NavigableMap<Integer, Double> map, int sequences) {
        Map.Entry<Integer, Double> low = map.floorEntry(sequences);
        Map.Entry<Integer, Double> high = map.ceilingEntry(sequences);
        if (low == null || high == null) {
            return (low == null ? high : low).getValue();
        }
        if (low.getKey().equals(high.getKey())) {
            return low.getValue();
        }
        double share = (sequences - low.getKey()) / (double) (high.getKey() - low.getKey());
        return low.getValue() + share * (high.getValue() - low.getValue());
    }
}
