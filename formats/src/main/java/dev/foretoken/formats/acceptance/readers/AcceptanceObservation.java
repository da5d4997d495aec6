package dev.foretoken.formats.acceptance.readers;

import java.util.Arrays;

/**
 * What one record of a source says: the rounds of one request, one round, or a window of a server's counters. All counts
 * follow one definition: a round is one verify step of one request, accepted drafts exclude the bonus or corrected token,
 * accept length = 1 + accepted / rounds. The constructor refuses impossible values and prints them.
 *
 * @param key what the counts belong to
 * @param design what was drafted
 * @param unit request or round identifier for clustering, null for a window over many requests
 * @param rounds verify steps; null when the source gives a mean without a count
 * @param acceptedDrafts drafts accepted in those rounds; null together with rounds
 * @param draftedTokens drafts proposed, null when unknown
 * @param histogram entry j = rounds that accepted exactly j drafts; null when unknown
 * @param survivors entry i = rounds that accepted at least i + 1 drafts; null when unknown
 * @param survivalRates entry i = P(at least i + 1 accepted), where the source gives rates without counts; else null
 * @param acceptLength mean tokens per round, bonus included; always set
 * @param stepAccepted accepted drafts round by round, null when unknown
 */
public record AcceptanceObservation(
        AcceptanceKey key,
        DraftDesign design,
        String unit,
        Long rounds,
        Long acceptedDrafts,
        Long draftedTokens,
        long[] histogram,
        long[] survivors,
        double[] survivalRates,
        double acceptLength,
        int[] stepAccepted) {

    private static final double RATE_SLACK = 1e-9;

    public AcceptanceObservation {
        if (!(acceptLength >= 1 - RATE_SLACK) || Double.isInfinite(acceptLength)) {
            throw new IllegalArgumentException("accept length must be at least 1: " + acceptLength);
        }
        if (design.length() != null && acceptLength > design.length() + 1 + RATE_SLACK) {
            throw new IllegalArgumentException(
                    "accept length " + acceptLength + " exceeds draft length + 1 = " + (design.length() + 1));
        }
        if ((rounds == null) != (acceptedDrafts == null)) {
            throw new IllegalArgumentException("rounds and accepted drafts come together");
        }
        if (rounds != null) {
            if (rounds <= 0 || acceptedDrafts < 0) {
                throw new IllegalArgumentException("rounds " + rounds + ", accepted drafts " + acceptedDrafts);
            }
            if (draftedTokens != null && acceptedDrafts > draftedTokens) {
                throw new IllegalArgumentException(
                        "acceptance rate above 1: " + acceptedDrafts + " accepted of " + draftedTokens + " drafted");
            }
        }
        if (draftedTokens != null && draftedTokens < 0) {
            throw new IllegalArgumentException("drafted tokens below 0: " + draftedTokens);
        }
        checkHistogram(histogram, rounds, acceptedDrafts);
        checkSurvivors(survivors, rounds);
        checkRates(survivalRates);
    }

    private static void checkHistogram(long[] h, Long rounds, Long accepted) {
        if (h == null) {
            return;
        }
        long sum = 0;
        long weighted = 0;
        for (int j = 0; j < h.length; j++) {
            if (h[j] < 0) {
                throw new IllegalArgumentException("negative histogram entry: " + Arrays.toString(h));
            }
            sum += h[j];
            weighted += j * h[j];
        }
        if (rounds == null || sum != rounds || weighted != accepted) {
            throw new IllegalArgumentException("histogram " + Arrays.toString(h) + " has " + sum + " rounds and "
                    + weighted + " accepted drafts, not " + rounds + " and " + accepted);
        }
    }

    private static void checkSurvivors(long[] s, Long rounds) {
        if (s == null) {
            return;
        }
        if (rounds == null) {
            throw new IllegalArgumentException("survivor counts without a number of rounds");
        }
        long before = rounds;
        for (long v : s) {
            if (v < 0 || v > before) {
                throw new IllegalArgumentException(
                        "survivor counts must not rise: " + rounds + " rounds, " + Arrays.toString(s));
            }
            before = v;
        }
    }

    private static void checkRates(double[] rates) {
        if (rates == null) {
            return;
        }
        double before = 1;
        for (double r : rates) {
            if (!(r >= 0) || r > before + RATE_SLACK) {
                throw new IllegalArgumentException(
                        "survival rates must lie in [0, 1] and not rise: " + Arrays.toString(rates));
            }
            before = r;
        }
    }

    /** From a histogram of accepted drafts per round (bonus excluded). */
    public static AcceptanceObservation ofHistogram(
            AcceptanceKey key, DraftDesign design, String unit, long[] histogram, Long drafted, int[] stepAccepted) {
        long rounds = 0;
        long accepted = 0;
        for (int j = 0; j < histogram.length; j++) {
            rounds += histogram[j];
            accepted += j * histogram[j];
        }
        return new AcceptanceObservation(
                key,
                design,
                unit,
                rounds,
                accepted,
                drafted,
                histogram,
                survivorsOf(histogram),
                null,
                1 + (double) accepted / Math.max(1, rounds),
                stepAccepted);
    }

    /** From counts by position: survivors[i] rounds accepted at least i + 1 drafts. */
    public static AcceptanceObservation ofSurvivors(
            AcceptanceKey key, DraftDesign design, String unit, long rounds, long[] survivors, Long drafted) {
        long accepted = Arrays.stream(survivors).sum();
        return new AcceptanceObservation(
                key,
                design,
                unit,
                rounds,
                accepted,
                drafted,
                null,
                survivors,
                null,
                1 + (double) accepted / Math.max(1, rounds),
                null);
    }

    /** From totals only: the mean is known, the shape is not. */
    public static AcceptanceObservation ofTotals(
            AcceptanceKey key, DraftDesign design, String unit, long rounds, long accepted, Long drafted) {
        return new AcceptanceObservation(
                key,
                design,
                unit,
                rounds,
                accepted,
                drafted,
                null,
                null,
                null,
                1 + (double) accepted / Math.max(1, rounds),
                null);
    }

    /** From a published mean without counts. */
    public static AcceptanceObservation ofMean(
            AcceptanceKey key, DraftDesign design, String unit, double acceptLength) {
        return new AcceptanceObservation(key, design, unit, null, null, null, null, null, null, acceptLength, null);
    }

    /** From published survival rates without counts. */
    public static AcceptanceObservation ofRates(AcceptanceKey key, DraftDesign design, String unit, double[] rates) {
        checkRates(rates);
        return new AcceptanceObservation(
                key,
                design,
                unit,
                null,
                null,
                null,
                null,
                null,
                rates,
                1 + Arrays.stream(rates).sum(),
                null);
    }

    /** Survivor counts of a histogram: entry i = rounds with at least i + 1 accepted drafts. */
    public static long[] survivorsOf(long[] histogram) {
        long[] s = new long[Math.max(0, histogram.length - 1)];
        long tail = 0;
        for (int j = histogram.length - 1; j >= 1; j--) {
            tail += histogram[j];
            s[j - 1] = tail;
        }
        return s;
    }

    /** The most that this observation knows about the shape. */
    public Detail detail() {
        if (histogram != null) {
            return Detail.HISTOGRAM;
        }
        if (survivors != null) {
            return Detail.SURVIVORS;
        }
        if (survivalRates != null) {
            return Detail.RATES;
        }
        return rounds != null ? Detail.TOTALS : Detail.MEAN;
    }

    /** How much a source tells. */
    public enum Detail {
        /** Counts of rounds by accepted drafts. */
        HISTOGRAM,
        /** Counts of rounds that reached each position. */
        SURVIVORS,
        /** Survival by position without counts. */
        RATES,
        /** Rounds and accepted drafts only. */
        TOTALS,
        /** A mean without counts. */
        MEAN
    }
}
