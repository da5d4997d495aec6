package dev.foretoken.sim.analytical;

import dev.foretoken.sim.acceptance.AcceptanceLaw;
import dev.foretoken.sim.acceptance.Renewal;
import dev.foretoken.sim.scenario.LengthDistribution;

/**
 * Rounds of one answer after its first token, which comes from prefill: exact renewal over L - 1 tokens with the last round
 * truncated, averaged over the integer output-length distribution and over the request classes of the law.
 *
 * @param mean E[R(L - 1)]
 * @param perToken mean over answers of R / (L - 1), answers of one token left out; 0 when every answer has one token
 * @param perTokenVariance variance of R / (L - 1) over answers
 */
public record AnswerRounds(double mean, double perToken, double perTokenVariance) {

    /** Rounds of a law and an output-length distribution. */
    public static AnswerRounds of(AcceptanceLaw law, LengthDistribution osl) {
        return of(law, osl.min(), osl.pmf());
    }

    /**
     * Rounds of a law over output lengths.
     *
     * @param first shortest answer, tokens
     * @param lengths entry i is P(L = first + i)
     */
    public static AnswerRounds of(AcceptanceLaw law, int first, double[] lengths) {
        int longest = first + lengths.length - 2;
        if (longest == 0) {
            return new AnswerRounds(0, 0, 0);
        }
        double mean = 0;
        double ratio = 0;
        double ratioSquare = 0;
        double several = 0;
        for (int i = 0; i < lengths.length; i++) {
            if (first + i > 1) {
                several += lengths[i];
            }
        }
        for (AcceptanceLaw.RequestClass c : law.requestClasses()) {
            Renewal rounds = new Renewal(c.pmf(), longest);
            double[] variances = rounds.variances(longest);
            for (int i = 0; i < lengths.length; i++) {
                int tokens = first + i - 1;
                if (tokens == 0) {
                    continue;
                }
                double m = rounds.mean(tokens);
                double weight = c.weight() * lengths[i];
                mean += weight * m;
                double r = m / tokens;
                ratio += weight * r;
                ratioSquare += weight * (r * r + variances[tokens] / ((double) tokens * tokens));
            }
        }
        if (several == 0) {
            return new AnswerRounds(mean, 0, 0);
        }
        ratio /= several;
        return new AnswerRounds(mean, ratio, Math.max(0, ratioSquare / several - ratio * ratio));
    }
}
