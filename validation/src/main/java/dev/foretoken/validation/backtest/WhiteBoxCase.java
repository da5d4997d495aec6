package dev.foretoken.validation.backtest;

import java.util.List;

/**
 * A row predicted from kernel timings of its card and the architecture of its model: nothing of the source is used but the
 * accept length it states.
 *
 * @param tokS output tokens per second, of the replica or of a request as the row's metric is; null without a prediction
 * @param assumptions what the row does not state and was taken for it, each a sentence
 * @param reason why there is no prediction, null if there is one
 */
public record WhiteBoxCase(Double tokS, List<String> assumptions, String reason) {
    public WhiteBoxCase {
        if ((tokS == null) == (reason == null)) {
            throw new IllegalArgumentException("either a prediction or a reason: " + tokS + ", " + reason);
        }
        assumptions = List.copyOf(assumptions);
    }

    /** No prediction. */
    public static WhiteBoxCase none(String reason) {
        return new WhiteBoxCase(null, List.of(), reason);
    }

    /** Where predictions come from. */
    @FunctionalInterface
    public interface Source {
        /**
         * @param row a row with a decode speed
         * @param perRequest whether the metric is of one request
         */
        WhiteBoxCase predict(CaseRow row, boolean perRequest);

        /** No catalogue at hand. */
        Source NONE = (row, perRequest) -> none("no catalogue of cards and models was given");
    }
}
