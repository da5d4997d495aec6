package dev.foretoken.formats.scenario;

import dev.foretoken.formats.document.Field;
import dev.foretoken.formats.document.Fields;
import dev.foretoken.formats.document.Node;
import dev.foretoken.sim.scenario.EngineSettings;
import java.util.List;

/** Reads engine flags: of a scenario, of one method, or the defaults of a catalogue entry. */
public final class EngineReader {
    private static final int MANY = 10_000_000;

    private EngineReader() {}

    /**
     * Engine flags.
     *
     * @param engines ids that {@code name} may be
     * @param named true when the map must name its engine (a method's own flags do not)
     */
    public static EngineSettings read(Node node, List<String> engines, boolean named) {
        Fields fields = node.fields();
        Field<String> name = named
                ? fields.required("name", n -> n.oneOf(engines))
                : fields.optional("name", n -> {
                    throw n.refuse("a method runs on the scenario's engine: leave the name out");
                });
        fields.synonym("max_running", "max_running_requests")
                .synonym("max_num_seqs", "max_running_requests")
                .synonym("max_num_batched_tokens", "max_batched_tokens")
                .synonym("mem_fraction_static", "memory_fraction")
                .synonym("gpu_memory_utilization", "memory_fraction")
                .synonym("block_size", "page_size")
                .synonym("cuda_graph_bs", "graph_batch_sizes")
                .synonym("chunked_prefill_size", "prefill.chunk_tokens");
        Field<String> version = fields.optional("version", EngineReader::versionText);
        Field<Boolean> graphs = fields.optional("cuda_graphs", Node::bool);
        Field<List<Integer>> sizes = fields.optional("graph_batch_sizes", n -> n.nonEmptyList(e -> e.integer(1, MANY)));
        Field<Boolean> overlap = fields.optional("overlap", Node::bool);
        Field<Integer> page = fields.optional("page_size", n -> n.integer(1, MANY));
        Field<Integer> running = fields.optional("max_running_requests", n -> n.integer(1, MANY));
        Field<Integer> batched = fields.optional("max_batched_tokens", n -> n.integer(1, MANY));
        Field<Double> memory = fields.optional("memory_fraction", Node::probability);
        Field<Double> hits = fields.optional("prefix_hit_rate", Node::probability);
        Field<EngineSettings> prefill = fields.optional("prefill", EngineReader::prefill);
        Field<Integer> buffers = fields.optional("state_buffers", n -> n.integer(0, 1000));
        Field<Double> share = fields.optional("state_share", Node::positive);
        Field<Boolean> radix = fields.optional("radix_cache", Node::bool);
        Field<Boolean> extra = fields.optional("extra_buffer", Node::bool);
        Field<String> backend =
                fields.optional("attention_backend", n -> n.oneOf(List.of("flashinfer", "triton", "fa2")));
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
                        null,
                        null,
                        buffers.get(),
                        share.get(),
                        radix.get(),
                        extra.get(),
                        backend.get())
                .overriddenBy(prefill.get()));
    }

    /** Versions such as 0.5.14 are text, 0.6 is a number to YAML: both are versions here. */
    private static String versionText(Node node) {
        return node.isNumber() ? node.raw() : node.name();
    }

    private static EngineSettings prefill(Node node) {
        Fields fields = node.fields();
        Field<String> policy =
                fields.optional("policy", n -> n.oneOf(List.of(EngineSettings.PREFILL_FIRST, EngineSettings.MIXED)));
        Field<Integer> chunk = fields.optional("chunk_tokens", n -> n.integer(1, MANY));
        return fields.build(() -> new EngineSettings(
                null,
                null,
                null,
                null,
                null,
                null,
                null,
                null,
                null,
                null,
                policy.get(),
                chunk.get(),
                null,
                null,
                null,
                null,
                null));
    }
}
