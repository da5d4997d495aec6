package dev.foretoken.sim.scenario;

import java.lang.reflect.RecordComponent;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * Engine flags. A component that is null was not given (here, by the engine's catalogue entry, or by the contract); the
 * effective settings of an arm are the scenario's, overridden by the method's own, over the catalogue's defaults.
 *
 * @param name engine id: sglang, vllm, llama.cpp, trtllm
 * @param version version string, free form
 * @param cudaGraphs decode and verify run from captured graphs
 * @param graphBatchSizes captured sizes, ascending; requests on sglang, tokens on vllm
 * @param overlap host work hidden behind the GPU (overlap scheduling)
 * @param pageSize KV tokens per page
 * @param maxRunningRequests upper bound of resident requests
 * @param maxBatchedTokens prompt plus decode tokens of one mixed round
 * @param memoryFraction share of the card's memory for weights, KV and state pools, (0, 1]
 * @param prefixHitRate share of prompt tokens found in the prefix cache, [0, 1]
 * @param prefillPolicy "prefill-first" or "mixed"
 * @param chunkTokens prompt tokens of one prefill chunk
 * @param stateBuffers recurrent states reserved per running request besides the verified ones (SGLang's S)
 * @param stateShare SGLang: r in the state pool's share r/(1+r) of what weights leave
 * @param radixCache prefix cache on (decides S where stateBuffers is not given)
 * @param extraBuffer SGLang's extra state buffer on (decides S where stateBuffers is not given)
 * @param attentionBackend verify attention kernel family: flashinfer, triton, fa2
 */
public record EngineSettings(
        String name,
        String version,
        Boolean cudaGraphs,
        List<Integer> graphBatchSizes,
        Boolean overlap,
        Integer pageSize,
        Integer maxRunningRequests,
        Integer maxBatchedTokens,
        Double memoryFraction,
        Double prefixHitRate,
        String prefillPolicy,
        Integer chunkTokens,
        Integer stateBuffers,
        Double stateShare,
        Boolean radixCache,
        Boolean extraBuffer,
        String attentionBackend) {

    public static final String PREFILL_FIRST = "prefill-first";
    public static final String MIXED = "mixed";

    /** Nothing given. */
    public static final EngineSettings NONE = new EngineSettings(
            null, null, null, null, null, null, null, null, null, null, null, null, null, null, null, null, null);

    public EngineSettings {
        if (graphBatchSizes != null) {
            graphBatchSizes = List.copyOf(graphBatchSizes);
            int last = 0;
            for (int g : graphBatchSizes) {
                if (g <= last) {
                    throw new IllegalArgumentException(
                            "graph_batch_sizes must be positive and ascending: " + g + " after " + last);
                }
                last = g;
            }
        }
        atLeast("page_size", pageSize, 1);
        atLeast("max_running_requests", maxRunningRequests, 1);
        atLeast("max_batched_tokens", maxBatchedTokens, 1);
        atLeast("chunk_tokens", chunkTokens, 1);
        atLeast("state_buffers", stateBuffers, 0);
        if (memoryFraction != null && !(memoryFraction > 0 && memoryFraction <= 1)) {
            throw new IllegalArgumentException("memory_fraction must lie in (0, 1]: " + memoryFraction);
        }
        if (prefixHitRate != null && !(prefixHitRate >= 0 && prefixHitRate <= 1)) {
            throw new IllegalArgumentException("prefix_hit_rate must lie in [0, 1]: " + prefixHitRate);
        }
        if (stateShare != null && !(stateShare > 0 && Double.isFinite(stateShare))) {
            throw new IllegalArgumentException("state_share must be finite and positive: " + stateShare);
        }
        if (prefillPolicy != null && !prefillPolicy.equals(PREFILL_FIRST) && !prefillPolicy.equals(MIXED)) {
            throw new IllegalArgumentException("prefill policy must be prefill-first or mixed: " + prefillPolicy);
        }
    }

    private static void atLeast(String key, Integer value, int min) {
        if (value != null && value < min) {
            throw new IllegalArgumentException(key + " must be at least " + min + ": " + value);
        }
    }

    /** These settings with every component that {@code over} gives replaced. */
    public EngineSettings overriddenBy(EngineSettings over) {
        if (over == null) {
            return this;
        }
        return new EngineSettings(
                or(over.name, name),
                or(over.version, version),
                or(over.cudaGraphs, cudaGraphs),
                or(over.graphBatchSizes, graphBatchSizes),
                or(over.overlap, overlap),
                or(over.pageSize, pageSize),
                or(over.maxRunningRequests, maxRunningRequests),
                or(over.maxBatchedTokens, maxBatchedTokens),
                or(over.memoryFraction, memoryFraction),
                or(over.prefixHitRate, prefixHitRate),
                or(over.prefillPolicy, prefillPolicy),
                or(over.chunkTokens, chunkTokens),
                or(over.stateBuffers, stateBuffers),
                or(over.stateShare, stateShare),
                or(over.radixCache, radixCache),
                or(over.extraBuffer, extraBuffer),
                or(over.attentionBackend, attentionBackend));
    }

    /** The same with another attention backend. */
    public EngineSettings withAttentionBackend(String backend) {
        return new EngineSettings(
                name,
                version,
                cudaGraphs,
                graphBatchSizes,
                overlap,
                pageSize,
                maxRunningRequests,
                maxBatchedTokens,
                memoryFraction,
                prefixHitRate,
                prefillPolicy,
                chunkTokens,
                stateBuffers,
                stateShare,
                radixCache,
                extraBuffer,
                backend);
    }

    private static <T> T or(T first, T second) {
        return first != null ? first : second;
    }

    /** The flags that are given, under the keys that files use; nested keys with a dot. */
    public Map<String, Object> given() {
        Map<String, Object> given = new LinkedHashMap<>();
        for (RecordComponent c : EngineSettings.class.getRecordComponents()) {
            try {
                Object value = c.getAccessor().invoke(this);
                if (value != null) {
                    given.put(key(c.getName()), value);
                }
            } catch (ReflectiveOperationException e) {
                throw new IllegalStateException("engine flag " + c.getName(), e);
            }
        }
        return given;
    }

    private static String key(String component) {
        return switch (component) {
            case "prefillPolicy" -> "prefill.policy";
            case "chunkTokens" -> "prefill.chunk_tokens";
            default -> component.replaceAll("([A-Z])", "_$1").toLowerCase(Locale.ROOT);
        };
    }
}
