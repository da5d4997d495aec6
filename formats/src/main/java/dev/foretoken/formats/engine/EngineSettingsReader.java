package dev.foretoken.formats.engine;

import dev.foretoken.formats.document.Field;
import dev.foretoken.formats.document.Fields;
import dev.foretoken.formats.document.Node;
import dev.foretoken.sim.scenario.EngineSettings;
import java.util.List;
import java.util.Set;

/** Reads engine keys: those of a scenario, of one method, and the defaults of a catalogue entry. */
public final class EngineSettingsReader {
    private static final int MANY = 100_000_000;
    private static final List<String> POLICIES = List.of(EngineSettings.PREFILL_FIRST, EngineSettings.MIXED);

    private EngineSettingsReader() {}

    /** Keys whose value is one scalar: a list of values is an axis. */
    public static final Set<String> SCALARS = Set.of(
            "version",
            "cuda_graphs",
            "overlap",
            "page_size",
            "max_running_requests",
            "max_batched_tokens",
            "memory_fraction",
            "prefix_hit_rate",
            "state_buffers",
            "state_share",
            "radix_cache",
            "extra_buffer",
            "attention_backend");

    /** Engine keys, none required. */
    public static EngineSettings read(Node node) {
        return read(node, false);
    }

    /** Engine keys with a name. */
    public static EngineSettings readNamed(Node node) {
        return read(node, true);
    }

    private static EngineSettings read(Node node, boolean named) {
        Fields fields = node.fields()
                .synonym("tp", "hardware.tp")
                .synonym("tensor_parallel_size", "hardware.tp")
                .synonym("max_num_seqs", "max_running_requests")
                .synonym("max_num_batched_tokens", "max_batched_tokens")
                .synonym("gpu_memory_utilization", "memory_fraction")
                .synonym("mem_fraction_static", "memory_fraction")
                .synonym("block_size", "page_size")
                .synonym("chunked_prefill_size", "prefill.chunk_tokens")
                .synonym("kv_cache_dtype", "target.kv_cache")
                .synonym("cuda_graph_bs", "graph_batch_sizes");
        Field<String> name = named ? fields.required("name", Node::id) : Field.none();
        Field<String> version = fields.optional("version", Node::name);
        Field<Boolean> graphs = fields.optional("cuda_graphs", Node::bool);
        Field<List<Integer>> sizes =
                fields.optional("graph_batch_sizes", n -> n.nonEmptyList(size -> size.integer(1, MANY)));
        Field<Boolean> overlap = fields.optional("overlap", Node::bool);
        Field<Integer> page = fields.optional("page_size", n -> n.integer(1, 1_000_000));
        Field<Integer> running = fields.optional("max_running_requests", n -> n.integer(1, MANY));
        Field<Integer> batched = fields.optional("max_batched_tokens", n -> n.integer(1, MANY));
        Field<Double> memory = fields.optional("memory_fraction", EngineSettingsReader::fraction);
        Field<Double> hits = fields.optional("prefix_hit_rate", Node::probability);
        Field<Prefill> prefill = fields.optional("prefill", EngineSettingsReader::prefill);
        Field<Integer> buffers = fields.optional("state_buffers", n -> n.integer(0, 1_000));
        Field<Double> share = fields.optional("state_share", Node::positive);
        Field<Boolean> radix = fields.optional("radix_cache", Node::bool);
        Field<Boolean> extra = fields.optional("extra_buffer", Node::bool);
        Field<String> backend = fields.optional("attention_backend", Node::id);
        return fields.build(() -> new EngineSettings(
                name.get(),
                version.get(),
                graphs.get(),
                sizes.get(),
                overlap.get(),
                page.get(),
                running.get(),
                batched.get(),
                memory.get(),
                hits.get(),
                prefill.or(Prefill.NONE).policy(),
                prefill.or(Prefill.NONE).chunkTokens(),
                buffers.get(),
                share.get(),
                radix.get(),
                extra.get(),
                backend.get()));
    }

    private static double fraction(Node node) {
        double value = node.number();
        if (!(value > 0 && value <= 1)) {
            throw node.mustBe("a number above 0 and at most 1");
        }
        return value;
    }

    private static Prefill prefill(Node node) {
        Fields fields = node.fields();
        Field<String> policy = fields.optional("policy", n -> n.oneOf(POLICIES));
        Field<Integer> chunk = fields.optional("chunk_tokens", n -> n.integer(1, MANY));
        return fields.build(() -> new Prefill(policy.get(), chunk.get()));
    }

    private record Prefill(String policy, Integer chunkTokens) {
        static final Prefill NONE = new Prefill(null, null);
    }
}
