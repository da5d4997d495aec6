package dev.foretoken.validation.backtest;

/**
 * Prediction of a row, or why there is none.
 *
 * @param cost predicted time per token and request; NaN never occurs, null = none
 * @param extrapolated rows outside the autoregressive sweep
 * @param reason why there is none, null if there is one
 */
record Estimate(Double cost, boolean extrapolated, String reason) {
    static Estimate none(String reason) {
        return new Estimate(null, false, reason);
    }
}
