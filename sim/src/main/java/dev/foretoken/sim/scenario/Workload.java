package dev.foretoken.sim.scenario;

import dev.foretoken.sim.acceptance.AcceptanceForm;
import java.util.Map;

/**
 * Requests of one kind.
 *
 * @param id name, unique in the scenario
 * @param isl prompt lengths, tokens
 * @param osl output lengths, tokens
 * @param share weight in a mix of workloads; null = takes no part in the mix
 * @param acceptance acceptance by method id or kind; key "" is the workload's bare form
 */
public record Workload(
        String id,
        LengthDistribution isl,
        LengthDistribution osl,
        Double share,
        Map<String, AcceptanceForm> acceptance) {
    /** Key of the bare form, which serves every method without one of its own. */
    public static final String BARE = "";

    public Workload {
        acceptance = Map.copyOf(acceptance);
        if (id.isBlank()) {
            throw new IllegalArgumentException("a workload needs an id");
        }
        if (share != null && !(share > 0 && Double.isFinite(share))) {
            throw new IllegalArgumentException("share must be finite and positive: " + share);
        }
    }

    /** Acceptance by method id, else by kind, else the bare form; null if there is none. */
    public AcceptanceForm acceptanceOf(String methodId, String kind) {
        AcceptanceForm form = acceptance.get(methodId);
        if (form == null) {
            form = acceptance.get(kind);
        }
        return form != null ? form : acceptance.get(BARE);
    }

    /** Mean KV length of a resident request over its decode rounds: ISL + E[L^2] / (2 E[L]), tokens. */
    public double meanContextTokens() {
        return isl.mean() + osl.secondMoment() / (2 * osl.mean());
    }
}
