package dev.foretoken.sim.scenario;

/**
 * The served model and how it is stored.
 *
 * @param model catalogue id
 * @param weights dtype of the weights: bf16, fp8, nvfp4, int4
 * @param kvCache dtype of the KV cache
 * @param recurrentStateDtype dtype of recurrent (GDN) states
 * @param perNode "saved": every verified node keeps its own state until commit; "replay": one extra pass at commit
 */
public record Target(String model, String weights, String kvCache, String recurrentStateDtype, String perNode) {
    public static final String SAVED = "saved";
    public static final String REPLAY = "replay";

    public Target {
        if (!SAVED.equals(perNode) && !REPLAY.equals(perNode)) {
            throw new IllegalArgumentException("per_node must be saved or replay: " + perNode);
        }
    }
}
