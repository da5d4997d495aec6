package dev.foretoken.sim.model;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * A target model by its architecture.
 *
 * @param id catalogue id
 * @param name the name people know it by
 * @param fullAttentionLayers layers with a KV cache
 * @param linearAttentionLayers layers with a recurrent state; full and linear layers together are all layers
 * @param hidden width of the residual stream
 * @param intermediate width of the MLP; 0 when every layer has experts
 * @param attention of the full layers
 * @param linear of the linear layers; null when there are none
 * @param moe null for a dense model
 * @param vocab tokens of the vocabulary, rows of the lm_head
 * @param tiedEmbeddings true when the lm_head is the embedding
 * @param mtpLayers layers of the model's own multi-token-prediction head; 0 when it has none
 * @param nativeWeights format of the published checkpoint
 * @param maxContext tokens; null when unknown
 * @param notes contradictions between sources, and what is left out
 * @param sources where the figures come from
 */
public record TargetModel(
        String id,
        String name,
        int fullAttentionLayers,
        int linearAttentionLayers,
        int hidden,
        int intermediate,
        Attention attention,
        LinearAttention linear,
        Moe moe,
        int vocab,
        boolean tiedEmbeddings,
        int mtpLayers,
        Dtype nativeWeights,
        Integer maxContext,
        List<String> notes,
        List<String> sources) {
    /** Convolution state is kept in the format of activations. */
    private static final Dtype CONV_STATE = Dtype.BF16;

    public TargetModel {
        Sizes.notNegative("full attention layers", fullAttentionLayers);
        Sizes.notNegative("linear attention layers", linearAttentionLayers);
        Sizes.positive("layers", fullAttentionLayers + linearAttentionLayers);
        Sizes.positive("hidden size", hidden);
        Sizes.positive("vocabulary", vocab);
        Sizes.notNegative("intermediate size", intermediate);
        Sizes.notNegative("MTP layers", mtpLayers);
        if ((intermediate > 0) == (moe != null)) {
            throw new IllegalArgumentException(
                    id + " needs either an MLP (intermediate size " + intermediate + ") or experts (" + moe + ")");
        }
        if ((linear != null) != (linearAttentionLayers > 0)) {
            throw new IllegalArgumentException(id + " has " + linearAttentionLayers
                    + " linear attention layers, which does not fit their shape: " + linear);
        }
        if (attention.slidingLayers() > fullAttentionLayers) {
            throw new IllegalArgumentException(id + " has " + attention.slidingLayers() + " sliding layers among "
                    + fullAttentionLayers + " attention layers");
        }
        if (maxContext != null) {
            Sizes.positive("longest context", maxContext);
        }
        notes = List.copyOf(notes);
        sources = List.copyOf(sources);
    }

    public int layers() {
        return fullAttentionLayers + linearAttentionLayers;
    }

    /** Why the model cannot be split over tp cards; empty when it can: tp must divide query heads and GDN heads. */
    public Optional<String> whyNotTp(int tp) {
        if (attention.heads() % tp != 0) {
            return Optional.of("TP " + tp + " does not divide the " + attention.heads() + " query heads of " + id);
        }
        if (linear != null && (linear.keyHeads() % tp != 0 || linear.valueHeads() % tp != 0)) {
            return Optional.of("TP " + tp + " does not divide the " + linear.keyHeads() + " key and "
                    + linear.valueHeads() + " value GDN heads of " + id);
        }
        return Optional.empty();
    }

    /** The matrices of one pass on one rank: every layer, experts counted whole, and the lm_head; without the MTP head. */
    public List<Gemm> gemms(int tp) {
        List<Gemm> gemms = new ArrayList<>();
        if (fullAttentionLayers > 0) {
            addAttention(gemms, tp, fullAttentionLayers);
        }
        if (linear != null) {
            int valueFeatures = Sizes.perRank(linear.valueHeads(), tp) * linear.valueHeadDim();
            int gates = 2 * Sizes.perRank(linear.valueHeads(), tp);
            gemms.add(new Gemm(
                    Part.LINEAR_ATTENTION, "in_proj_qkvz", linear.inputFeatures(tp), hidden, linearAttentionLayers));
            gemms.add(new Gemm(Part.LINEAR_ATTENTION, "in_proj_ba", gates, hidden, linearAttentionLayers));
            gemms.add(new Gemm(Part.LINEAR_ATTENTION, "out_proj", hidden, valueFeatures, linearAttentionLayers));
        }
        addMlp(gemms, tp, layers());
        gemms.add(lmHead(tp));
        return List.copyOf(gemms);
    }

    /** The lm_head of one rank. */
    public Gemm lmHead(int tp) {
        return new Gemm(Part.LM_HEAD, "lm_head", Sizes.perRank(vocab, tp), hidden, 1);
    }

    /**
     * The matrices of one pass of the MTP head on one rank: the projection of hidden state and embedding, and its layers with
     * full attention. Embedding and lm_head are the model's own. An estimate: heads differ in what they share.
     */
    public List<Gemm> mtpGemms(int tp) {
        if (mtpLayers == 0) {
            return List.of();
        }
        List<Gemm> gemms = new ArrayList<>();
        gemms.add(new Gemm(Part.DRAFT_INPUT, "fc", Sizes.perRank(hidden, tp), 2 * hidden, 1));
        addAttention(gemms, tp, mtpLayers);
        addMlp(gemms, tp, mtpLayers);
        return List.copyOf(gemms);
    }

    private void addAttention(List<Gemm> gemms, int tp, int count) {
        int outputs = Sizes.perRank(attention.heads(), tp) * attention.headDim();
        gemms.add(new Gemm(Part.ATTENTION, "qkv", attention.qkvFeatures(tp), hidden, count));
        gemms.add(new Gemm(Part.ATTENTION, "o", hidden, outputs, count));
    }

    private void addMlp(List<Gemm> gemms, int tp, int count) {
        if (moe == null) {
            int width = Sizes.perRank(intermediate, tp);
            gemms.add(new Gemm(Part.MLP, "gate_up", 2 * width, hidden, count));
            gemms.add(new Gemm(Part.MLP, "down", hidden, width, count));
            return;
        }
        int width = Sizes.perRank(moe.intermediate(), tp);
        gemms.add(new Gemm(Part.ROUTER, "router", moe.experts(), hidden, count));
        gemms.add(new Gemm(Part.EXPERT, "expert_gate_up", 2 * width, hidden, count * moe.experts()));
        gemms.add(new Gemm(Part.EXPERT, "expert_down", hidden, width, count * moe.experts()));
        if (moe.sharedIntermediate() > 0) {
            int shared = Sizes.perRank(moe.sharedIntermediate(), tp);
            gemms.add(new Gemm(Part.SHARED_EXPERT, "shared_gate_up", 2 * shared, hidden, count));
            gemms.add(new Gemm(Part.SHARED_EXPERT, "shared_down", hidden, shared, count));
        }
    }

    /** Parameters that a pass of so many rows reads, over all ranks, without the embedding: experts as many as expected. */
    public double paramsReadPerPass(double rows) {
        double params = 0;
        for (Gemm gemm : gemms(1)) {
            boolean expert = gemm.part() == Part.EXPERT;
            params += gemm.params() * (expert ? moe.expectedExperts(rows) / moe.experts() : 1);
        }
        return params;
    }

    /** All parameters counted here: every matrix, the embedding when it is not the lm_head, and the MTP head. */
    public long params() {
        long params = tiedEmbeddings ? 0 : (long) vocab * hidden;
        for (Gemm gemm : gemms(1)) {
            params += gemm.params();
        }
        return params;
    }

    /** Bytes of weights that one card holds: every matrix and the embedding, without the MTP head. */
    public long weightBytesPerCard(Dtype weights, int tp) {
        long bytes = 0;
        for (Gemm gemm : gemms(tp)) {
            bytes += gemm.bytes(weights);
        }
        if (!tiedEmbeddings) {
            bytes += Part.EMBEDDING.storedAs(weights).bytes((long) Sizes.perRank(vocab, tp) * hidden);
        }
        return bytes;
    }

    /** Bytes of the MTP head on one card; it stays at 16 bits in quantised checkpoints. */
    public long mtpBytesPerCard(int tp) {
        return mtpGemms(tp).stream().mapToLong(gemm -> gemm.bytes(Dtype.BF16)).sum();
    }

    /** Bytes that one token adds to the KV cache of one card, all full-attention layers. */
    public long kvBytesPerTokenPerCard(Dtype kvCache, int tp) {
        return fullAttentionLayers * attention.kvBytesPerTokenPerLayer(kvCache, tp);
    }

    /** Bytes that one token adds to the MTP head's own KV cache on one card. */
    public long mtpKvBytesPerTokenPerCard(Dtype kvCache, int tp) {
        return mtpLayers * attention.kvBytesPerTokenPerLayer(kvCache, tp);
    }

    /** Bytes of one recurrent state of one sequence on one card, all linear layers; 0 without them. */
    public long recurrentStateBytesPerCard(Dtype state, int tp) {
        return linear == null ? 0 : linearAttentionLayers * state.bytes(linear.stateValues(tp));
    }

    /** Bytes of the convolution state of one sequence on one card, all linear layers; 0 without them. */
    public long convStateBytesPerCard(int tp) {
        return linear == null ? 0 : linearAttentionLayers * CONV_STATE.bytes(linear.convValues(tp));
    }
}
