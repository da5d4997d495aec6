package dev.foretoken.sim.analytical;

/**
 * Closed and open loops as birth-death chains over the number n of requests in the system. With r = min(n, max resident)
 * resident, answers complete at rate r / (E[R] t(r w) + r p).
 *
 * <p>Closed loop with mean think time Z: births (N - n) / Z. Without think time all N clients are always in the system and X
 * = N L / (E[R] t(N w) + N p). Open loop: births at the arrival rate.
 *
 * <p>Source: birth-death form of load-dependent mean value analysis (Reiser and Lavenberg 1980; Lazowska et al. 1984).
 *
 * <p>Time to first token is not fixed by the chain. It is taken as the wait for a place in the batch (Little), half a round
 * for an arrival that finds the engine busy (requests join at round boundaries; a closed client without think time returns
 * at one and waits none), the wait for prompts that came earlier (x E[p^2] / (2 (1 - x p)), M/G/1 with the rounds as
 * vacations, not in saturated closed loops), and the prefill of those who join at the same boundary ({@link Joining}). Without think time the
 * prompts that join together also share their chunks' fixed costs: p is then the time per prompt of as many as join.
 */
public final class BirthDeath {
    /** Largest batch that is considered; an open loop that needs more counts as unstable. */
    private static final int MAX_STATES = 1 << 14;

    private static final double NEGLIGIBLE = 1e-15;
    /** Share of time for prompts beyond which a finite number of clients keeps the queue from growing as the formula says. */
    private static final double MOST_PROMPT_LOAD = 0.95;

    private static final int MOST_SHARED = 64;

    private BirthDeath() {}

    /**
     * Closed loop.
     *
     * @param clients N, at least 1
     * @param thinkMs mean think time Z, ms
     */
    public static Steady closed(Station station, int clients, double thinkMs) {
        if (clients < 1) {
            throw new IllegalArgumentException("clients must be at least 1: " + clients);
        }
        if (thinkMs == 0) {
            return saturated(station, clients);
        }
        Chain chain = new Chain(station, station.maxResident(), clients);
        double p = 1;
        chain.add(0, p);
        for (int n = 1; n <= clients; n++) {
            p *= (clients - n + 1) / thinkMs / chain.completionRate(n);
            p = chain.add(n, p);
        }
        return chain.solve();
    }

    private static Steady saturated(Station station, int clients) {
        int r = Math.min(clients, station.maxResident());
        MixedCycle mixed = station.mixed(r, true);
        if (mixed != null) {
            return saturated(station, clients, r, mixed);
        }
        StationState s = station.at(r);
        Joining joining = station.fixedRounds()
                ? Joining.staggered(station, r, s.rounds())
                : Joining.independent(station, r, s.rounds());
        double prefillMs = joining.perPromptMs();
        double cycle = s.rounds() * s.roundMs() + r * prefillMs;
        double x = r / cycle;
        double waiting = clients - r;
        return new Steady(
                x,
                clients,
                waiting,
                waiting > 0 ? 1 : 0,
                r,
                s.roundMs(),
                s.rows(),
                s.rounds(),
                1.0,
                r * prefillMs / cycle,
                clients / x,
                waiting / x,
                0,
                0,
                0,
                joining.firstTokenMs());
    }

    private static Steady saturated(Station station, int clients, int r, MixedCycle mixed) {
        double x = r / mixed.cycleMs();
        double waiting = clients - r;
        return new Steady(
                x,
                clients,
                waiting,
                waiting > 0 ? 1 : 0,
                r,
                mixed.roundMs(),
                mixed.rows(),
                station.at(r).rounds(),
                1.0,
                mixed.prefillShare(),
                clients / x,
                waiting / x,
                0,
                0,
                0,
                mixed.firstTokenMs());
    }

    /**
     * Open loop with Poisson arrivals.
     *
     * @param ratePerMs arrival rate, per ms
     * @return null when the queue grows without bound
     */
    public static Steady open(Station station, double ratePerMs) {
        if (!(ratePerMs > 0)) {
            throw new IllegalArgumentException("arrival rate must be positive, per ms: " + ratePerMs);
        }
        int max = Math.min(station.maxResident(), MAX_STATES);
        if (ratePerMs >= capacityPerMs(station)) {
            return null;
        }
        Chain chain = new Chain(station, max, Integer.MAX_VALUE);
        double p = 1;
        chain.add(0, p);
        for (int n = 1; ; n++) {
            double ratio = ratePerMs / chain.completionRate(n);
            p = chain.add(n, p * ratio);
            if (ratio < 1) {
                if (n >= max) {
                    chain.addGeometricTail(n, p, ratio);
                    break;
                }
                if (p / (1 - ratio) * n < NEGLIGIBLE * chain.sum()) {
                    break;
                }
            }
        }
        return chain.solve();
    }

    /** Highest completion rate of the station, per ms: at the largest batch, or in the limit of many requests. */
    public static double capacityPerMs(Station station) {
        int n = Math.min(station.maxResident(), MAX_STATES);
        StationState s = station.at(n);
        return n / s.cycleMs(n);
    }

    /** Sums over the states of a chain, rescaled as they grow. */
    private static final class Chain {
        private final Station station;
        private final int max;
        private final int clients;
        private double sum;
        private double births;
        private double completions;
        private double inSystem;
        private double waiting;
        private double full;
        private double busy;
        private double prefill;
        private double roundWeight;
        private double roundMs;
        private double rows;
        private double resident;
        private double roundsDone;
        private double joinDelay;
        private double firstToken;
        private StationState last;
        private int lastResident = -1;

        /** @param clients of a closed loop, {@link Integer#MAX_VALUE} for an open one */
        Chain(Station station, int max, int clients) {
            this.station = station;
            this.max = max;
            this.clients = clients;
        }

        /** Share of arrivals that find n in the system, up to a factor: those who are there do not arrive. */
        private double birth(int n) {
            return clients == Integer.MAX_VALUE ? 1 : (double) (clients - n) / clients;
        }

        private StationState state(int r) {
            if (r != lastResident) {
                last = station.at(r);
                lastResident = r;
            }
            return last;
        }

        double completionRate(int n) {
            int r = Math.min(n, max);
            return r / state(r).cycleMs(r);
        }

        double sum() {
            return sum;
        }

        /** Adds state n with weight p; returns p in the scale of the sums from now on. */
        double add(int n, double p) {
            accumulate(n, p, 0);
            if (sum > 1e200) {
                scale(1e-200);
                return p * 1e-200;
            }
            return p;
        }

        /** Adds states n+1, n+2, ... with weights p ratio, p ratio^2, ... while the batch is full. */
        void addGeometricTail(int n, double p, double ratio) {
            double mass = p * ratio / (1 - ratio);
            double meanExtra = 1 / (1 - ratio);
            accumulate(n, mass, meanExtra);
        }

        private void accumulate(int n, double p, double extra) {
            sum += p;
            double arriving = p * birth(n);
            births += arriving;
            MixedCycle mixed = station.mixed((int) Math.min(max, n + 1L), false);
            if (mixed != null) {
                firstToken += arriving * mixed.firstTokenMs();
            }
            if (n == 0) {
                return;
            }
            int r = Math.min(n, max);
            StationState s = state(r);
            double cycle = s.cycleMs(r);
            busy += p;
            if (n >= max) {
                full += p;
            }
            completions += p * r / cycle;
            inSystem += p * (n + extra);
            waiting += p * (n + extra - r);
            prefill += p * r * s.prefillMs() / cycle;
            double w = p * Math.max(s.rounds(), NEGLIGIBLE) / cycle;
            roundWeight += w;
            roundMs += w * s.roundMs();
            rows += w * s.rows();
            resident += w * r;
            roundsDone += p * r / cycle * s.rounds();
            joinDelay += arriving * s.roundMs() / 2 * (1 - r * s.prefillMs() / cycle);
        }

        private void scale(double f) {
            sum *= f;
            births *= f;
            completions *= f;
            inSystem *= f;
            waiting *= f;
            full *= f;
            busy *= f;
            prefill *= f;
            roundWeight *= f;
            roundMs *= f;
            rows *= f;
            resident *= f;
            roundsDone *= f;
            joinDelay *= f;
            firstToken *= f;
        }

        Steady solve() {
            double x = completions / sum;
            double meanRound = roundMs / roundWeight;
            // Prompts that run by themselves are a queue with the rounds as vacations (M/G/1, exhaustive): who arrives
            // while
            // others' prompts are computed waits for them, which the chain does not know. A chunk's prompts share its
            // fixed cost.
            double alone = firstToken > 0 ? 0 : station.prefillMs(1);
            int shared = Math.min(station.promptsPerChunk(), MOST_SHARED);
            double further = firstToken > 0 ? 0 : station.prefillMs(shared) / shared;
            boolean open = clients == Integer.MAX_VALUE;
            double others = open ? x : x * (clients - 1) / clients;
            double load = Math.min(others * further, MOST_PROMPT_LOAD);
            double promptWait = others * alone * further / 2 / (1 - load);
            // A closed loop's time in the system follows from its throughput (Little), an open one's grows by the wait.
            double late = open ? promptWait : 0;
            double e2e = inSystem / sum / x + late;
            return new Steady(
                    x,
                    inSystem / sum + x * late,
                    waiting / sum,
                    full / sum,
                    resident / roundWeight,
                    meanRound,
                    rows / roundWeight,
                    roundsDone / completions,
                    busy / sum,
                    prefill / busy,
                    e2e,
                    waiting / sum / x,
                    joinDelay / births,
                    promptWait,
                    promptWait > 0 ? load : 0,
                    firstToken > 0
                            ? firstToken / births
                            : Joining.poisson(station, x * meanRound).firstTokenMs());
        }
    }
}
