package dev.foretoken.sim.acceptance;

/** Accept length over requests that differ. */
public final class ServedAcceptLength {
    private ServedAcceptLength() {}

    /**
     * What is served (tokens over rounds) when classes of requests keep their accept length: the token-weighted harmonic mean,
     * not the mean of the accept lengths.
     *
     * @param tokenShares share of the tokens of each class, not negative, not all 0; need not sum to 1
     * @param acceptLengths accept length of each class, at least 1
     */
    public static double tokenWeighted(double[] tokenShares, double[] acceptLengths) {
        if (tokenShares.length != acceptLengths.length) {
            throw new IllegalArgumentException(
                    tokenShares.length + " token shares for " + acceptLengths.length + " accept lengths");
        }
        double tokens = 0;
        double rounds = 0;
        for (int i = 0; i < tokenShares.length; i++) {
            if (!(tokenShares[i] >= 0) || !(acceptLengths[i] >= 1)) {
                throw new IllegalArgumentException(
                        "class " + i + " has token share " + tokenShares[i] + " and accept length " + acceptLengths[i]);
            }
            tokens += tokenShares[i];
            rounds += tokenShares[i] / acceptLengths[i];
        }
        if (!(tokens > 0) || Double.isInfinite(tokens)) {
            throw new IllegalArgumentException("token shares must have a positive, finite sum: " + tokens);
        }
        return tokens / rounds;
    }
}
