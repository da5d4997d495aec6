package dev.foretoken.formats.schema;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.List;

/** The JSON Schemas (draft 2020-12) that ship. For JSON Lines they describe one line. */
public final class Schemas {
    /** Names of the formats that have one. */
    public static final List<String> NAMES = List.of(
            "scenario",
            "result",
            "profile",
            "kernel-timings",
            "acceptance",
            "rounds",
            "marginals",
            "gpu",
            "link",
            "model",
            "drafter",
            "engine");

    private Schemas() {}

    /**
     * Text of a schema.
     *
     * @param name one of {@link #NAMES}
     */
    public static String text(String name) {
        if (!NAMES.contains(name)) {
            throw new IllegalArgumentException("there is no schema " + name + ", there are " + NAMES);
        }
        try (InputStream in = Schemas.class.getResourceAsStream("/foretoken/schema/" + name + "-1.json")) {
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
