package dev.foretoken.sim.acceptance;

/**
 * A form that says nothing about a design, so that no figure may be given. The message is one sentence with the values that a
 * user needs to mend it; a point of a grid carries it as the reason why it is not feasible.
 */
public final class AcceptanceRefused extends RuntimeException {
    private static final long serialVersionUID = 1L;

    public AcceptanceRefused(String message) {
        super(message);
    }
}
