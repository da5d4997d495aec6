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

    /** Names of what commands write about a run, for people and reports; unknown fields may come at any time. */
    public static final List<String> REPORT_NAMES = List.of(
            "effective",
            "series",
            "chapter",
            "demo",
            "acceptance-report",
            "fit-report",
            "import-report",
            "endpoint-report",
            "run",
            "measurement",
            "validation",
            "backtest");

    private Schemas() {}

    /**
     * Text of a schema.
     *
     * @param name one of {@link #NAMES} or {@link #REPORT_NAMES}
     */
    public static String text(String name) {
        if (!NAMES.contains(name) && !REPORT_NAMES.contains(name)) {
            throw new IllegalArgumentException(
                    "there is no schema " + name + ", there are " + NAMES + " and " + REPORT_NAMES);
        }
        try (InputStream in = Schemas.class.getResourceAsStream("/foretoken/schema/" + name + "-1.json")) {
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
