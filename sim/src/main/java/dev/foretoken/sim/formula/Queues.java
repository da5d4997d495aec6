package dev.foretoken.sim.formula;

/** Open queues with one server (Kleinrock 1975; Law and Kelton). */
public final class Queues {
    private Queues() {}

    /**
     * Steady state of an open queue.
     *
     * @param utilisation share of time that the server is busy
     * @param serviceTime mean service time
     * @param waitTime mean wait before service
     */
    public record Open(double utilisation, double serviceTime, double waitTime) {
        public double timeInSystem() {
            return waitTime + serviceTime;
        }

        /** Mean number in the system, by Little's law. */
        public double numberInSystem() {
            return serviceTime == 0 ? 0 : utilisation / serviceTime * timeInSystem();
        }
    }

    /** M/M/1 with arrival rate lambda below the service rate mu. */
    public static Open mm1(double lambda, double mu) {
        positive(mu, "service rate");
        return mg1(lambda, 1 / mu, 2 / (mu * mu));
    }

    /** M/D/1 with service time s. */
    public static Open md1(double lambda, double s) {
        return mg1(lambda, s, s * s);
    }

    /** M/G/1 by Pollaczek and Khinchine: wait = lambda E[S^2]/(2 (1 - rho)). */
    public static Open mg1(double lambda, double meanService, double secondMoment) {
        if (!(lambda >= 0)) {
            throw new IllegalArgumentException("arrival rate must be at least 0: " + lambda);
        }
        positive(meanService, "mean service time");
        double rho = lambda * meanService;
        if (!(rho < 1)) {
            throw new IllegalArgumentException("a queue has a steady state only below utilisation 1: " + rho);
        }
        return new Open(rho, meanService, lambda * secondMoment / (2 * (1 - rho)));
    }

    /** D/D/1: wait of request n (from 0), n (s - T) when overloaded, else 0. */
    public static double dd1Wait(double interarrival, double service, int n) {
        return n * Math.max(0, service - interarrival);
    }

    /** D/D/1: completion time of request n (from 0), the first arriving at time 0. */
    public static double dd1Completion(double interarrival, double service, int n) {
        return n * interarrival + dd1Wait(interarrival, service, n) + service;
    }

    static double positive(double x, String what) {
        if (!(x > 0) || Double.isInfinite(x)) {
            throw new IllegalArgumentException(what + " must be finite and positive: " + x);
        }
        return x;
    }
}
