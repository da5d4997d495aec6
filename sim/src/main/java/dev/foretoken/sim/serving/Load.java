package dev.foretoken.sim.serving;

/** Load offered to one replica. Closed loops and arrival rates are steady-state loads; traces end. */
public sealed interface Load {

    /** How long a closed-loop client pauses between a response and its next request. */
    record ThinkTime(Kind kind, double meanMs) {
        /** Distributions of think time. */
        public enum Kind {
            /** Always the mean. */
            FIXED,
            /** Exponential. */
            EXPONENTIAL
        }

        /** No pause. */
        public static final ThinkTime NONE = new ThinkTime(Kind.FIXED, 0);

        public ThinkTime {
            if (!(meanMs >= 0) || Double.isInfinite(meanMs)) {
                throw new IllegalArgumentException("mean think time must be finite and not negative, ms: " + meanMs);
            }
        }

        /** Exponential think time; 0 = none. */
        public static ThinkTime exponential(double meanMs) {
            return new ThinkTime(Kind.EXPONENTIAL, meanMs);
        }

        /** Fixed think time. */
        public static ThinkTime fixed(double meanMs) {
            return new ThinkTime(Kind.FIXED, meanMs);
        }

        /** Think time at probability u in [0, 1), ms. */
        double atMs(double u) {
            return kind == Kind.FIXED ? meanMs : -meanMs * Math.log1p(-u);
        }
    }

    /**
     * N clients with one request each at a time.
     *
     * @param clients number of clients
     * @param thinkTime pause between a response and the next request
     * @param staggered true: clients start in different phases of their first request, as in a loop that has run for long;
     *     false: all start together with whole requests
     */
    record Closed(int clients, ThinkTime thinkTime, boolean staggered) implements Load {
        public Closed {
            if (clients < 1 || clients > 1_000_000) {
                throw new IllegalArgumentException("concurrency must lie in 1..1000000: " + clients);
            }
        }

        /** Clients without think time that start staggered. */
        public static Closed of(int clients) {
            return new Closed(clients, ThinkTime.NONE, true);
        }
    }

    /**
     * Arrivals with independent gamma inter-arrival times of the given rate and shape {@code burstiness}: 1 is Poisson,
     * below 1 comes in bursts, above 1 is smoother (the definition of vLLM's load generator).
     */
    record Arrivals(double ratePerS, double burstiness) implements Load {
        public Arrivals {
            if (!(ratePerS > 0) || Double.isInfinite(ratePerS)) {
                throw new IllegalArgumentException("rate_per_s must be finite and positive: " + ratePerS);
            }
            if (!(burstiness > 0) || Double.isInfinite(burstiness)) {
                throw new IllegalArgumentException("burstiness must be finite and positive: " + burstiness);
            }
        }

        /** Poisson arrivals. */
        public static Arrivals poisson(double ratePerS) {
            return new Arrivals(ratePerS, 1);
        }
    }

    /** Arrivals and lengths from a trace or a fixed schedule; the run ends when the last request is served. */
    record Trace(TraceSource source) implements Load {}
}
