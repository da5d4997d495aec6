package dev.foretoken.sim.formula;

import java.util.function.IntToDoubleFunction;

/**
 * Closed loop of N clients that think for an exponential time and then need a station whose completion rate depends on how
 * many are there: birth-death over the number n in the station, with birth rate (N - n)/Z and death rate mu(n). Exact for
 * exponential work, and for any law of work when the station is processor sharing.
 *
 * @param throughput completions per unit of time
 * @param inStation mean number in the station
 * @param responseTime mean time in the station, by Little's law
 * @param probabilities P(n in the station), n = 0..N
 */
public record ClosedLoop(double throughput, double inStation, double responseTime, double[] probabilities) {
    private static final double LARGE = 1e200;

    /**
     * @param clients N, at least 0
     * @param thinkTime mean think time Z, at least 0; with 0 all clients are always in the station
     * @param completionRate mu(n) for n = 1..N, positive
     */
    public static ClosedLoop of(int clients, double thinkTime, IntToDoubleFunction completionRate) {
        if (clients < 0) {
            throw new IllegalArgumentException("clients must be at least 0: " + clients);
        }
        if (!(thinkTime >= 0) || Double.isInfinite(thinkTime)) {
            throw new IllegalArgumentException("think time must be finite and at least 0: " + thinkTime);
        }
        double[] p = new double[clients + 1];
        double[] mu = new double[clients + 1];
        for (int n = 1; n <= clients; n++) {
            mu[n] = Queues.positive(completionRate.applyAsDouble(n), "completion rate with " + n + " in the station");
        }
        if (thinkTime == 0) {
            p[clients] = 1;
        } else {
            p[0] = 1;
            double sum = 1;
            for (int n = 1; n <= clients; n++) {
                p[n] = p[n - 1] * (clients - n + 1) / (thinkTime * mu[n]);
                sum += p[n];
                if (p[n] > LARGE) {
                    for (int k = 0; k <= n; k++) {
                        p[k] /= LARGE;
                    }
                    sum /= LARGE;
                }
            }
            for (int n = 0; n <= clients; n++) {
                p[n] /= sum;
            }
        }
        double throughput = 0;
        double inStation = 0;
        for (int n = 1; n <= clients; n++) {
            throughput += p[n] * mu[n];
            inStation += p[n] * n;
        }
        return new ClosedLoop(throughput, inStation, throughput > 0 ? inStation / throughput : 0, p);
    }

    /** P(all clients in the station). */
    public double allInStation() {
        return probabilities[probabilities.length - 1];
    }

    /** Upper bound of the throughput: min(N/(D + Z), 1/D), D the demand of one visit (Lazowska et al.). */
    public static double throughputBound(int clients, double demand, double thinkTime) {
        return Math.min(clients / (Queues.positive(demand, "demand") + thinkTime), 1 / demand);
    }

    /** Number of clients where the two bounds meet: (D + Z)/D. */
    public static double saturationClients(double demand, double thinkTime) {
        return (Queues.positive(demand, "demand") + thinkTime) / demand;
    }

    /** Mean number in a system by Little's law: rate times time. */
    public static double inFlight(double requestsPerTime, double timeInSystem) {
        return requestsPerTime * timeInSystem;
    }

    /**
     * Closed loop without think time, everything deterministic, all clients starting together.
     *
     * @param rounds rounds of every request
     * @param makespan time until all are done
     * @param tokensPerTime tokens of all clients over the makespan
     */
    public record Lockstep(long rounds, double makespan, double tokensPerTime) {
        /**
         * @param clients requests in the batch
         * @param tokens tokens of each
         * @param tokensPerRound tokens committed per round, the last round truncated
         * @param roundTime time of a round
         */
        public static Lockstep of(int clients, int tokens, int tokensPerRound, double roundTime) {
            long rounds = rounds(tokens, tokensPerRound);
            double makespan = rounds * roundTime;
            return new Lockstep(rounds, makespan, makespan > 0 ? clients * (double) tokens / makespan : 0);
        }

        /** Rounds of a request that commits the same number of tokens each round: tokens over that number, rounded up. */
        public static long rounds(int tokens, int tokensPerRound) {
            if (tokens < 0 || tokensPerRound < 1) {
                throw new IllegalArgumentException(tokens + " tokens at " + tokensPerRound + " per round");
            }
            return (tokens + tokensPerRound - 1L) / tokensPerRound;
        }
    }
}
