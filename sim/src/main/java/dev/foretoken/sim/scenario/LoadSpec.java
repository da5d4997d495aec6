package dev.foretoken.sim.scenario;

import java.util.List;

/** Load offered to one replica; lists are axes of the grid. */
public sealed interface LoadSpec {

    /** Contract name of the kind. */
    String kind();

    /** Think time of a closed-loop client, ms. */
    record ThinkTime(String dist, double meanMs) {
        public static final String EXPONENTIAL = "exponential";
        public static final String FIXED = "fixed";
        public static final ThinkTime NONE = new ThinkTime(FIXED, 0);

        public ThinkTime {
            if (!dist.equals(EXPONENTIAL) && !dist.equals(FIXED)) {
                throw new IllegalArgumentException("think time must be exponential or fixed: " + dist);
            }
            if (!(meanMs >= 0) || Double.isInfinite(meanMs)) {
                throw new IllegalArgumentException("mean think time must be finite and not negative, ms: " + meanMs);
            }
        }
    }

    /** N clients, each with one request at a time. */
    record Closed(List<Integer> concurrency, ThinkTime thinkTime, boolean staggered) implements LoadSpec {
        public Closed {
            concurrency = List.copyOf(concurrency);
            for (int n : concurrency) {
                if (n < 1) {
                    throw new IllegalArgumentException("concurrency must be at least 1: " + n);
                }
            }
        }

        @Override
        public String kind() {
            return "closed";
        }
    }

    /** Poisson arrivals. */
    record Poisson(List<Double> ratePerS) implements LoadSpec {
        public Poisson {
            ratePerS = rates(ratePerS);
        }

        @Override
        public String kind() {
            return "poisson";
        }
    }

    /** Gamma inter-arrival times with shape = burstiness (1 is Poisson, below 1 burstier), as vLLM's client defines it. */
    record Gamma(List<Double> ratePerS, List<Double> burstiness) implements LoadSpec {
        public Gamma {
            ratePerS = rates(ratePerS);
            burstiness = List.copyOf(burstiness);
            for (double b : burstiness) {
                if (!(b > 0) || Double.isInfinite(b)) {
                    throw new IllegalArgumentException("burstiness must be finite and positive: " + b);
                }
            }
        }

        @Override
        public String kind() {
            return "gamma";
        }
    }

    /** Arrivals and lengths from a file, already resolved against the scenario's folder. */
    record Trace(String file) implements LoadSpec {
        @Override
        public String kind() {
            return "trace";
        }
    }

    private static List<Double> rates(List<Double> ratePerS) {
        List<Double> copy = List.copyOf(ratePerS);
        for (double r : copy) {
            if (!(r > 0) || Double.isInfinite(r)) {
                throw new IllegalArgumentException("rate_per_s must be finite and positive: " + r);
            }
        }
        return copy;
    }
}
