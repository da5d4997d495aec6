package dev.foretoken.formats.acceptance.readers;

/**
 * Survival counts of one (workload, method, engine, version) and design: the sum of all observations of one kind.
 *
 * @param key what the counts belong to
 * @param design what was drafted
 * @param detail what is known about the shape
 * @param units observations (requests, rounds or windows) summed
 * @param rounds verify steps; null for RATES and MEAN
 * @param acceptedDrafts accepted drafts; null together with rounds
 * @param draftedTokens drafts proposed; null unless every observation gave them
 * @param histogram rounds by accepted drafts; null unless detail is HISTOGRAM
 * @param survivors rounds that accepted at least i + 1 drafts; null unless HISTOGRAM or SURVIVORS
 * @param survivalRates P(at least i + 1 accepted): from counts, or the plain mean of published rates; null if unknown
 * @param acceptLength micro average: tokens per round, bonus included (plain mean where there are no counts)
 * @param macroAcceptLength plain mean over the observations: what papers print
 */
public record SurvivalCounts(
        AcceptanceKey key,
        DraftDesign design,
        AcceptanceObservation.Detail detail,
        long units,
        Long rounds,
        Long acceptedDrafts,
        Long draftedTokens,
        long[] histogram,
        long[] survivors,
        double[] survivalRates,
        double acceptLength,
        double macroAcceptLength) {}
