package dev.foretoken.validation.session;

/** The endpoint cannot be reached, refuses, or cannot do what is asked; the message is for the user, without secrets. */
public final class EndpointException extends RuntimeException {
    private static final long serialVersionUID = 1;

    public EndpointException(String message) {
        super(message);
    }

    public EndpointException(String message, Throwable cause) {
        super(message, cause);
    }
}
