package dev.foretoken.calibration.acceptance;

/**
 * One round of a drafter-marginal trace: what the drafter believed and what the target then said.
 *
 * @param logProbs natural log-probabilities by depth - 1 and rank, rows falling
 * @param targetRanks rank of the target's token at depth 1, 2, ... among the candidates, negative when it is beyond them;
 *     shorter than the depth when the target's later tokens were not logged
 */
public record MarginalRound(double[][] logProbs, int[] targetRanks) {
    public MarginalRound {
        if (logProbs.length == 0) {
            throw new IllegalArgumentException("a round of marginals needs at least one depth");
        }
        if (targetRanks.length > logProbs.length) {
            throw new IllegalArgumentException(
                    targetRanks.length + " target tokens for " + logProbs.length + " drafted positions");
        }
    }

    public int depth() {
        return logProbs.length;
    }
}
