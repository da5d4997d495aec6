package dev.foretoken.sim.whitebox;

import dev.foretoken.sim.method.DraftWork;
import dev.foretoken.sim.model.Drafter;
import dev.foretoken.sim.model.Dtype;
import dev.foretoken.sim.model.TargetModel;
import dev.foretoken.sim.round.GraphPadding;

/**
 * What one round of an arm does beside the target pass.
 *
 * @param width query tokens per request that verify; 1 for autoregressive decoding and budget 0
 * @param draft what the drafter does; {@link DraftWork#NONE} for none
 * @param drafter the drafter's architecture; null for MTP heads, lookups, separate models and none
 * @param draftModel the separate model that drafts, null for none
 * @param draftTp cards of the separate model
 * @param draftWeights number format of drafter or separate model; null = as published
 * @param replayStates true where recurrent states are recomputed at commit, false where every verified node keeps its own
 * @param overlap host work hidden behind the GPU
 * @param cudaGraphs decode rounds run from captured graphs
 * @param padding captured sizes; rounds above the largest run uncaptured
 * @param host host times
 */
public record RoundShape(
        int width,
        DraftWork draft,
        Drafter drafter,
        TargetModel draftModel,
        int draftTp,
        Dtype draftWeights,
        boolean replayStates,
        boolean overlap,
        boolean cudaGraphs,
        GraphPadding padding,
        HostTerms host) {
    public RoundShape {
        if (width < 1) {
            throw new IllegalArgumentException("a request has at least one query token: " + width);
        }
        if (draftTp < 1) {
            throw new IllegalArgumentException("draft_tp must be at least 1: " + draftTp);
        }
        if (draft.kind() == DraftWork.Kind.MODEL && draftModel == null) {
            throw new IllegalArgumentException("drafting by a separate model needs the model");
        }
        if ((draft.kind() == DraftWork.Kind.BLOCK || draft.kind() == DraftWork.Kind.HEAD) && drafter == null) {
            throw new IllegalArgumentException("drafting by a " + draft.kind() + " drafter needs its architecture");
        }
    }

    /** Autoregressive decoding with published host times. */
    public static RoundShape autoregressive(boolean overlap, boolean cudaGraphs, GraphPadding padding) {
        return new RoundShape(
                1, DraftWork.NONE, null, null, 1, null, false, overlap, cudaGraphs, padding, HostTerms.PUBLISHED);
    }
}
