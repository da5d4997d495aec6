package dev.foretoken.cli;

/** Something the user can mend: printed as one message, no stack trace. */
public final class UserError extends RuntimeException {
    private static final long serialVersionUID = 1L;
    private final int exit;

    public UserError(String message) {
        this(Exit.BAD_INPUT, message);
    }

    public UserError(int exit, String message) {
        super(message);
        this.exit = exit;
    }

    public int exit() {
        return exit;
    }
}
