package dev.foretoken.sim.serving;

/** A run that cannot give figures, with the reason in one sentence. */
public final class SimulationRefused extends RuntimeException {
    private static final long serialVersionUID = 1L;

    /** Why. */
    public enum Reason {
        /** A request needs more memory than there is. */
        REQUEST_TOO_LARGE,
        /** Requests arrive faster than they are served: the queue grows without bound. */
        NEVER_DRAINS,
        /** The engine no longer makes progress. */
        NO_PROGRESS,
        /** The load or trace is empty or contradictory. */
        BAD_LOAD
    }

    private final Reason reason;

    public SimulationRefused(Reason reason, String message) {
        super(message);
        this.reason = reason;
    }

    /** Why, for programs. */
    public Reason reason() {
        return reason;
    }
}
