package dev.foretoken.validation.client;

import dev.foretoken.sim.random.Streams;
import java.util.Arrays;
import org.apache.commons.rng.UniformRandomProvider;
import org.apache.commons.rng.sampling.distribution.AhrensDieterMarsagliaTsangGammaSampler;
import org.apache.commons.rng.sampling.distribution.ContinuousSampler;

/** One load offered to a server. */
public sealed interface Load {

    /** Short name for tables, such as {@code closed 8}. */
    String label();

    /**
     * N clients, each with one request at a time.
     *
     * @param concurrency clients
     * @param meanThinkMs mean think time between an answer and the next request, ms
     * @param exponentialThink exponential think time, else fixed
     * @param staggered the first requests of the clients are cut to different lengths, so that clients do not run in lockstep
     */
    record Closed(int concurrency, double meanThinkMs, boolean exponentialThink, boolean staggered) implements Load {
        public Closed {
            if (concurrency < 1) {
                throw new IllegalArgumentException("concurrency must be at least 1: " + concurrency);
            }
            if (!(meanThinkMs >= 0) || Double.isInfinite(meanThinkMs)) {
                throw new IllegalArgumentException("think time must be finite and not negative, ms: " + meanThinkMs);
            }
        }

        /** Without think time, staggered. */
        public static Closed of(int concurrency) {
            return new Closed(concurrency, 0, false, true);
        }

        @Override
        public String label() {
            return "closed " + concurrency;
        }

        long thinkNs(long seed, long index) {
            if (meanThinkMs == 0) {
                return 0;
            }
            double unit = exponentialThink
                    ? -Math.log1p(-Streams.of(seed, "think", 0, index).nextDouble())
                    : 1;
            return Math.round(unit * meanThinkMs * 1e6);
        }
    }

    /**
     * Arrivals whether or not the server keeps up: gamma gaps with shape = burstiness (1 = Poisson), as vLLM's client.
     *
     * @param ratePerS mean arrivals per second
     * @param burstiness shape of the gaps: below 1 burstier, above 1 more regular
     */
    record Open(double ratePerS, double burstiness) implements Load {
        public Open {
            if (!(ratePerS > 0) || Double.isInfinite(ratePerS)) {
                throw new IllegalArgumentException("rate must be finite and positive, 1/s: " + ratePerS);
            }
            if (!(burstiness > 0) || Double.isInfinite(burstiness)) {
                throw new IllegalArgumentException("burstiness must be finite and positive: " + burstiness);
            }
        }

        @Override
        public String label() {
            return burstiness == 1 ? "poisson " + ratePerS + "/s" : "gamma " + ratePerS + "/s, shape " + burstiness;
        }
    }

    /**
     * Arrivals at given times, once.
     *
     * @param arrivalNs ns since the start, not falling
     */
    record Trace(long[] arrivalNs) implements Load {
        public Trace {
            arrivalNs = arrivalNs.clone();
            for (int i = 1; i < arrivalNs.length; i++) {
                if (arrivalNs[i] < arrivalNs[i - 1]) {
                    throw new IllegalArgumentException("arrival " + i + " is before arrival " + (i - 1));
                }
            }
        }

        @Override
        public String label() {
            return "trace of " + arrivalNs.length;
        }

        @Override
        public boolean equals(Object o) {
            return o instanceof Trace t && Arrays.equals(t.arrivalNs, arrivalNs);
        }

        @Override
        public int hashCode() {
            return Arrays.hashCode(arrivalNs);
        }
    }

    /** Arrival times of an open load, one after another. */
    static Arrivals arrivals(Load load, long seed) {
        if (load instanceof Trace t) {
            return new Arrivals() {
                private int next;

                @Override
                public long nextNs() {
                    return next < t.arrivalNs.length ? t.arrivalNs[next++] : -1;
                }
            };
        }
        Open open = (Open) load;
        UniformRandomProvider rng = Streams.of(seed, "client-arrivals", 0, 0);
        ContinuousSampler gap = AhrensDieterMarsagliaTsangGammaSampler.of(
                rng, open.burstiness, 1e9 / (open.ratePerS * open.burstiness));
        return new Arrivals() {
            private double at;

            @Override
            public long nextNs() {
                at += gap.sample();
                return Math.round(at);
            }
        };
    }

    /** Times of arrivals. */
    interface Arrivals {
        /** Next arrival, ns since the start; -1 when there are no more. */
        long nextNs();
    }
}
