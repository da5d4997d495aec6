package dev.foretoken.validation.client;

/** Which completion route is used. */
public enum Api {
    /** {@code /v1/completions}: the prompt is sent as it is. */
    COMPLETIONS("/v1/completions"),
    /** {@code /v1/chat/completions}: the server applies its chat template. */
    CHAT("/v1/chat/completions");

    private final String path;

    Api(String path) {
        this.path = path;
    }

    public String path() {
        return path;
    }
}
