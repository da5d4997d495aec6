package dev.foretoken.sim.model;

import java.util.ArrayList;
import java.util.List;

/**
 * A drafter by its architecture. It reads hidden states of the target at {@code targetFeatures} layers and shares the target's
 * embedding; its lm_head is the target's unless it has a vocabulary of its own.
 *
 * @param id catalogue id
 * @param name the name people know it by
 * @param target id of the model it drafts for
 * @param layers decoder layers
 * @param hidden width
 * @param intermediate width of the MLP
 * @param attention of every layer
 * @param targetFeatures target layers whose hidden states are projected into the drafter: fc of targetFeatures x hidden to
 *     hidden; 0 for none
 * @param featuresBesideEmbedding true when each layer reads embedding and features side by side (EAGLE-3: 2 x hidden into qkv)
 * @param block positions of one block, root included; 0 for a drafter that works step by step
 * @param draftVocab rows of its own lm_head; 0 when it uses the target's
 * @param weights format of the published checkpoint
 * @param notes contradictions between sources, and what is left out
 * @param sources where the figures come from
 */
public record Drafter(
        String id,
        String name,
        DrafterKind kind,
        String target,
        int layers,
        int hidden,
        int intermediate,
        Attention attention,
        int targetFeatures,
        boolean featuresBesideEmbedding,
        int block,
        int draftVocab,
        Dtype weights,
        List<String> notes,
        List<String> sources) {
    public Drafter {
        Sizes.positive("layers", layers);
        Sizes.positive("hidden size", hidden);
        Sizes.positive("intermediate size", intermediate);
        Sizes.notNegative("target features", targetFeatures);
        Sizes.notNegative("draft vocabulary", draftVocab);
        if (block < 0 || block == 1) {
            throw new IllegalArgumentException("a block has at least 2 positions, 0 stands for none: " + block);
        }
        if (kind == DrafterKind.DFLASH && block == 0) {
            throw new IllegalArgumentException("a block drafter needs its block: " + id);
        }
        if (attention.slidingLayers() > layers) {
            throw new IllegalArgumentException(
                    id + " has " + attention.slidingLayers() + " sliding layers among " + layers + " layers");
        }
        notes = List.copyOf(notes);
        sources = List.copyOf(sources);
    }

    /** The matrices of one pass on one rank, without the lm_head when that is the target's. */
    public List<Gemm> gemms(int tp) {
        List<Gemm> gemms = new ArrayList<>();
        if (targetFeatures > 0) {
            gemms.add(new Gemm(Part.DRAFT_INPUT, "fc", Sizes.perRank(hidden, tp), targetFeatures * hidden, 1));
        }
        int width = Sizes.perRank(intermediate, tp);
        int inputs = featuresBesideEmbedding ? 2 * hidden : hidden;
        int outputs = Sizes.perRank(attention.heads(), tp) * attention.headDim();
        gemms.add(new Gemm(Part.ATTENTION, "qkv", attention.qkvFeatures(tp), inputs, layers));
        gemms.add(new Gemm(Part.ATTENTION, "o", hidden, outputs, layers));
        gemms.add(new Gemm(Part.MLP, "gate_up", 2 * width, hidden, layers));
        gemms.add(new Gemm(Part.MLP, "down", hidden, width, layers));
        if (draftVocab > 0) {
            gemms.add(new Gemm(Part.LM_HEAD, "draft_lm_head", Sizes.perRank(draftVocab, tp), hidden, 1));
        }
        return List.copyOf(gemms);
    }

    /** Parameters of its own: without embedding and lm_head when they are the target's. */
    public long params() {
        return gemms(1).stream().mapToLong(Gemm::params).sum();
    }

    /** Bytes of its own weights on one card. */
    public long weightBytesPerCard(Dtype dtype, int tp) {
        return gemms(tp).stream().mapToLong(gemm -> gemm.bytes(dtype)).sum();
    }

    /** Bytes that one token adds to the drafter's own KV cache on one card. */
    public long kvBytesPerTokenPerCard(Dtype kvCache, int tp) {
        return layers * attention.kvBytesPerTokenPerLayer(kvCache, tp);
    }
}
