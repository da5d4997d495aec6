package dev.foretoken.validation.testserver;

import java.util.Map;

/**
 * What goes wrong, by number of the completion request (from 0).
 *
 * @param loadingRequests the first so many requests of any route are answered with 503 "Loading model"
 * @param byRequest fault of a request
 */
public record Faults(int loadingRequests, Map<Long, Fault> byRequest) {
    public static final Faults NONE = new Faults(0, Map.of());

    public Faults {
        byRequest = Map.copyOf(byRequest);
    }

    /** A fault in the middle of an answer. */
    public enum Fault {
        /** An error object inside the stream, then the end marker; HTTP status 200. */
        ERROR_CHUNK,
        /** Nothing more is sent and the connection stays open. */
        HANG,
        /** The connection is reset. */
        RESET,
        /** The connection is closed inside an event. */
        TRUNCATE,
        /** The response ends properly inside the answer, without finish reason or usage. */
        SILENT_END,
        /** One event is sent twice. */
        DUPLICATE,
        /** Usage says ten times the tokens. */
        WRONG_USAGE,
        /** No usage is sent. */
        NO_USAGE,
        /** The end marker is left out. */
        NO_DONE,
        /** HTTP status 500 with the Authorization header echoed in the message. */
        HTTP_500_ECHOING_KEY
    }
}
