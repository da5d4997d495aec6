package dev.foretoken.calibration.host;

import dev.foretoken.calibration.host.ForcedSpeculation.Kind;
import dev.foretoken.sim.profile.Curve;
import java.util.EnumMap;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;

/**
 * CPU costs of a server's rounds.
 *
 * @param roundUs one target pass along rows (tokens of all requests in it) at {@code context}, with what the server does per
 *     round
 * @param context tokens before a row at which roundUs was timed, mean
 * @param perCellUs microseconds per row and further token before it
 * @param perDraftUs one pass of the drafter by sequences in it, microseconds per drafted position
 * @param perRoundUs what drafting adds to a round whatever its length, by sequences in it
 * @param requestUs prompt and first token of one request of the usual prompt by who drafts
 */
public record RoundCosts(
        Curve roundUs,
        double context,
        double perCellUs,
        NavigableMap<Integer, Double> perDraftUs,
        NavigableMap<Integer, Double> perRoundUs,
        Map<Kind, Double> requestUs) {
    public RoundCosts {
        perDraftUs = new TreeMap<>(perDraftUs);
        perRoundUs = new TreeMap<>(perRoundUs);
        requestUs = Map.copyOf(requestUs);
    }

    /** The same costs with another curve of rounds, and the other parts longer by the factors. */
    RoundCosts with(Curve rounds, double requestFactor, double drafterFactor) {
        TreeMap<Integer, Double> perDraft = new TreeMap<>(perDraftUs);
        perDraft.replaceAll((s, us) -> us * drafterFactor);
        TreeMap<Integer, Double> perRound = new TreeMap<>(perRoundUs);
        perRound.replaceAll((s, us) -> us * drafterFactor);
        Map<Kind, Double> request = new EnumMap<>(requestUs);
        request.replaceAll((k, us) -> us * requestFactor);
        return new RoundCosts(rounds, context, perCellUs, perDraft, perRound, request);
    }

    /** Rows that were calibrated. */
    public boolean calibrated(int rows) {
        return !roundUs.outside(rows);
    }

    /** CPU microseconds of one round of requests whose prompts have so many tokens. */
    double us(Kind kind, LoopSimulator.Round round, double promptTokens) {
        double us =
                roundUs.us(round.rows()) + perCellUs * (round.answerCells() + round.rows() * (promptTokens - context));
        if (kind == Kind.DRAFT_MODEL && round.drafts() > 0) {
            us += between(perRoundUs, round.sequences()) + round.drafts() * between(perDraftUs, round.sequences());
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
