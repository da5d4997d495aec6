package dev.foretoken.sim.whitebox;

import dev.foretoken.sim.model.Dtype;
import java.util.Locale;

/**
 * How an attention kernel verifies several query tokens of a request at once.
 *
 * <p>Sources: FlashInfer packs the queries of a KV head's group with the verified tokens and splits KV over the card; so do
 * FlashAttention 3 and TensorRT-LLM's kernels. FlashAttention 2 does both only when every request has one query token.
 * SGLang's Triton kernel for several query tokens neither packs nor splits.
 */
public enum AttentionBackend {
    FLASHINFER(true),
    FA3(true),
    TRTLLM(true),
    FA2(false),
    TRITON(false);

    private final boolean packsAndSplits;

    AttentionBackend(boolean packsAndSplits) {
        this.packsAndSplits = packsAndSplits;
    }

    /** True when several query tokens cost one pass over the KV cache, spread over the whole card. */
    public boolean packsAndSplits() {
        return packsAndSplits;
    }

    /** Name in scenarios and notes. */
    public String id() {
        return name().toLowerCase(Locale.ROOT);
    }

    /**
     * Backend of a kernel by the name its table gives it; null when the name says nothing.
     */
    public static AttentionBackend ofKernel(String kernel) {
        String k = kernel.toLowerCase(Locale.ROOT);
        if (k.contains("trtllm")) {
            return TRTLLM;
        }
        if (k.contains("flashinfer")) {
            return FLASHINFER;
        }
        if (k.contains("triton")) {
            return TRITON;
        }
        if (k.contains("fa3") || k.contains("fa4")) {
            return FA3;
        }
        if (k.contains("fa2") || k.equals("flash_attention") || k.contains("flash_attn")) {
            return FA2;
        }
        return null;
    }

    /**
     * The backend that an engine takes on an architecture when nothing is asked for.
     *
     * @param engine sglang or vllm
     * @param arch such as sm_120
     */
    public static AttentionBackend usual(String engine, String arch, Dtype kvCache) {
        boolean vllm = engine.equals("vllm");
        return switch (arch) {
            case "sm_90" -> FA3;
            case "sm_100", "sm_103" -> TRTLLM;
            default -> vllm && kvCache != Dtype.FP8 ? FA2 : FLASHINFER;
        };
    }

    /**
     * Backend by its name in a scenario.
     *
     * @throws IllegalArgumentException naming the backends when there is none of that name
     */
    public static AttentionBackend of(String id) {
        for (AttentionBackend b : values()) {
            if (b.id().equals(id)) {
                return b;
            }
        }
        throw new IllegalArgumentException(
                "attention_backend must be flashinfer, fa3, trtllm, fa2 or triton, found " + id);
    }
}
