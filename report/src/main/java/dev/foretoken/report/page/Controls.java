package dev.foretoken.report.page;

import dev.foretoken.formats.json.Json;
import java.util.List;
import java.util.Map;

/**
 * Settings of the page's controls. What they mean is checked by the scenario reader; here only that they are there.
 *
 * @param gpu card
 * @param tp cards per replica
 * @param model target
 * @param weights its dtype
 * @param engine serving engine
 * @param method kind of the method
 * @param parameters its parameters
 * @param isl prompt tokens
 * @param osl output tokens
 * @param concurrency clients
 * @param acceptance what is accepted
 * @param roundTimes autoregressive rounds of the user's own server; empty to use kernel timings
 * @param draftMs drafting time per round with round times, ms; null = not given
 * @param hostMs further host time per round with round times, ms; null = not given
 */
record Controls(
        String gpu,
        int tp,
        String model,
        String weights,
        String engine,
        String method,
        Map<String, Object> parameters,
        int isl,
        int osl,
        int concurrency,
        Acceptance acceptance,
        List<Knot> roundTimes,
        Double draftMs,
        Double hostMs) {
    private static final int MOST_PARAMETERS = 32;
    private static final int MOST_KNOTS = 500;

    Controls {
        parameters = Map.copyOf(parameters);
        roundTimes = roundTimes == null ? List.of() : List.copyOf(roundTimes);
        if (parameters.size() > MOST_PARAMETERS || roundTimes.size() > MOST_KNOTS) {
            throw new IllegalArgumentException("too many parameters or round times");
        }
        for (Object v : List.of(gpu, model, weights, engine, method, acceptance)) {
            if (v == null) {
                throw new IllegalArgumentException("a setting is missing");
            }
        }
    }

    /**
     * An accept length, or the two parameters of the spine, rank, tail family that the page moves.
     *
     * @param acceptLength tokens per round; null to use the family
     * @param spine a, the logit of the first choice's acceptance
     * @param kappa off-spine continuation factor
     * @param band half-width of the interval of kappa, 0 for none
     */
    record Acceptance(Double acceptLength, Double spine, Double kappa, Double band) {
        Acceptance {
            if (acceptLength == null && (spine == null || kappa == null || band == null)) {
                throw new IllegalArgumentException("acceptance needs accept_length, or spine, kappa and band");
            }
        }
    }

    /** One autoregressive round: rows and ms. */
    record Knot(int rows, double ms) {}

    /** Settings from the page's JSON. */
    static Controls read(byte[] json) {
        try {
            Controls read = Json.mapper().readValue(json, Controls.class);
            if (read != null) {
                return read;
            }
        } catch (java.io.IOException | RuntimeException e) {
            Throwable cause = e.getCause() instanceof IllegalArgumentException ? e.getCause() : null;
            throw new IllegalArgumentException(
                    cause == null
                            ? "the settings cannot be read"
                            : "the settings cannot be used: " + cause.getMessage(),
                    e);
        }
        throw new IllegalArgumentException("the settings cannot be read: an object is needed, found null");
    }
}
