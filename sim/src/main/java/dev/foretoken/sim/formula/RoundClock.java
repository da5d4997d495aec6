package dev.foretoken.sim.formula;

/** Engines that serve every request in whole rounds of one length, with room for all. */
public final class RoundClock {
    private RoundClock() {}

    /**
     * Mean wait for the next round start under Poisson arrivals, when an idle engine starts at once: lambda t^2 M/2/(1 + lambda
     * t M), where M is the mean number of rounds of a busy period. A busy period ends after as many rounds in a row without
     * arrivals as a request needs: M = (q^-k - 1)/(1 - q) with q = e^(-lambda t) and k rounds per request; e^(lambda t) for
     * one round.
     *
     * @param lambda arrival rate
     * @param t time of a round
     * @param rounds rounds of every request, at least 1
     */
    public static double syncEngineWait(double lambda, double t, int rounds) {
        if (!(lambda >= 0) || rounds < 1) {
            throw new IllegalArgumentException("arrival rate " + lambda + ", " + rounds + " rounds per request");
        }
        Queues.positive(t, "time of a round");
        if (lambda == 0) {
            return 0;
        }
        double x = lambda * t;
        double busyRounds = Math.expm1(rounds * x) / -Math.expm1(-x);
        return x * t * busyRounds / 2 / (1 + x * busyRounds);
    }

    /** Mean latency when rounds start by a clock that never idles: half a round of wait and the request's rounds. */
    public static double freeClockLatency(double t, double meanRounds) {
        return t / 2 + t * meanRounds;
    }

    /**
     * Mean of the largest number of rounds over a static batch: sum over k of 1 - F(k)^B.
     *
     * @param roundsCdf entry m is P(rounds of one request &lt;= m), reaching 1
     * @param batch requests, at least 0
     */
    public static double slowestOf(double[] roundsCdf, int batch) {
        if (batch < 0) {
            throw new IllegalArgumentException("batch must be at least 0: " + batch);
        }
        double sum = 0;
        for (double f : roundsCdf) {
            sum += 1 - Math.pow(f, batch);
        }
        return sum;
    }
}
