package dev.foretoken.validation.testserver;

import dev.foretoken.sim.acceptance.AcceptanceLaw;
import java.util.function.IntToDoubleFunction;

/**
 * What the played engine does: the truth that a client must recover.
 *
 * @param roundMs time of a decode round by rows (requests x width), ms
 * @param width query tokens per request and round
 * @param law tokens committed per request and round; null = autoregressive
 * @param prefillMsPerToken prefill time per prompt token, ms; prompts are served one after another before the next round
 * @param maxRunning requests in the batch; others wait
 * @param seed of the acceptance draws
 */
public record EngineTruth(
        IntToDoubleFunction roundMs,
        int width,
        AcceptanceLaw law,
        double prefillMsPerToken,
        int maxRunning,
        long seed) {
    public EngineTruth {
        if (width < 1 || maxRunning < 1 || !(prefillMsPerToken >= 0)) {
            throw new IllegalArgumentException(
                    "width " + width + ", maxRunning " + maxRunning + ", prefillMsPerToken " + prefillMsPerToken);
        }
    }

    /** Drafts per round. */
    public int draftLength() {
        return law == null ? 0 : law.maxAccepted();
    }
}
