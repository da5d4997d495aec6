package dev.foretoken.validation.client;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;

/**
 * API key of an endpoint. It comes from the environment variable {@value #VARIABLE} or from a file, is sent in the
 * Authorization header only, and prints as a mask; {@link #redact} removes it from texts that a server may have echoed.
 */
public final class ApiKey {
    public static final String VARIABLE = "FORETOKEN_API_KEY";
    private static final String MASK = "[api key]";
    private static final int SHORTEST_REDACTED = 4;

    /** No key: nothing is sent. */
    public static final ApiKey NONE = new ApiKey(null);

    private final String value;

    private ApiKey(String value) {
        this.value = value;
    }

    /**
     * The key from the file if one is given, else from the environment, else {@link #NONE}.
     *
     * @throws IllegalArgumentException when the file cannot be read or holds no single line of printable characters
     */
    public static ApiKey find(Map<String, String> environment, Path file) {
        if (file != null) {
            try {
                return of(Files.readString(file), "the key file " + file);
            } catch (IOException e) {
                throw new IllegalArgumentException("the key file " + file + " cannot be read", e);
            }
        }
        String fromEnvironment = environment.get(VARIABLE);
        return fromEnvironment == null || fromEnvironment.isBlank() ? NONE : of(fromEnvironment, VARIABLE);
    }

    private static ApiKey of(String text, String from) {
        String key = text.strip();
        if (key.isEmpty() || !key.chars().allMatch(c -> c > 0x20 && c < 0x7f)) {
            throw new IllegalArgumentException(from + " must hold one key of printable characters without spaces");
        }
        return new ApiKey(key);
    }

    /** Whether there is a key. */
    public boolean present() {
        return value != null;
    }

    /** Value of the Authorization header; only for requests to the endpoint. */
    String authorization() {
        return "Bearer " + value;
    }

    /** The text without the key. */
    public String redact(String text) {
        return text == null || value == null || value.length() < SHORTEST_REDACTED ? text : text.replace(value, MASK);
    }

    @Override
    public String toString() {
        return value == null ? "no api key" : MASK;
    }
}
