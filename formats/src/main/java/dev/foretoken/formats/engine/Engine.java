package dev.foretoken.formats.engine;

import dev.foretoken.sim.scenario.EngineSettings;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * A serving engine of the catalogue.
 *
 * @param id catalogue id
 * @param name the name people know it by
 * @param defaults values of engine keys that a scenario does not give; its name is the id
 * @param graphUnit what captured CUDA-graph sizes count
 * @param treeWidth verify width of a block tree of B nodes
 * @param statePool how recurrent states are provided for
 * @param launch the command line that starts a server
 * @param forcedAcceptance how the engine is told to make acceptance up, with {@code {accept_length}} and {@code {rates}};
 *     null when it cannot
 * @param notes what to know
 * @param sources where the facts come from
 */
public record Engine(
        String id,
        String name,
        EngineSettings defaults,
        GraphUnit graphUnit,
        TreeWidth treeWidth,
        StatePool statePool,
        Launch launch,
        String forcedAcceptance,
        List<String> notes,
        List<String> sources) {
    /** What captured sizes count. */
    public enum GraphUnit {
        REQUESTS,
        TOKENS
    }

    /** Verify width of a block tree with B nodes: max(block, B + 1), or B + 1. */
    public enum TreeWidth {
        STATIC_BLOCK,
        NODES
    }

    /** A pool reserved for running requests (SGLang), or pages shared with the KV cache (vLLM). */
    public enum StatePool {
        RESERVED,
        PAGES
    }

    /**
     * The command line that starts a server. Text in braces is replaced by a value; a flag whose value is not known is left
     * out.
     *
     * @param command the program and its first words
     * @param flags flags of every server
     * @param whenFalse flag by engine key, used where the setting is false
     * @param whenTrue flag by engine key, used where the setting is true
     * @param methods flags by kind of method; kinds that are missing cannot run on this engine
     * @param kvCacheNames the engine's word for a KV cache format
     */
    public record Launch(
            String command,
            List<String> flags,
            Map<String, String> whenFalse,
            Map<String, String> whenTrue,
            Map<String, List<String>> methods,
            Map<String, String> kvCacheNames) {
        public Launch {
            flags = List.copyOf(flags);
            whenFalse = Map.copyOf(new LinkedHashMap<>(whenFalse));
            whenTrue = Map.copyOf(new LinkedHashMap<>(whenTrue));
            methods = Map.copyOf(methods);
            kvCacheNames = Map.copyOf(kvCacheNames);
        }
    }

    public Engine {
        notes = List.copyOf(notes);
        sources = List.copyOf(sources);
    }
}
