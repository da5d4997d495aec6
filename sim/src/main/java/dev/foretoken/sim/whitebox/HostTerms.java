package dev.foretoken.sim.whitebox;

/**
 * Host time of a round. The defaults are published figures of SGLang and of CUDA launches; a host calibration replaces them.
 *
 * @param scheduleMs scheduling, sampling parameters and detokenisation hand-over of a round, ms
 * @param nodesPerLayer nodes of a captured target pass per layer
 * @param graphNodeUs host time of each node when a captured pass is replayed, microseconds
 * @param kernelLaunchUs host time of each kernel of a pass that is not captured, microseconds
 * @param draftGraphMs replay of one captured draft pass or chain of passes, ms
 * @param treeFixedMs building, masking and walking trees, per round, ms
 * @param treeNodeUs the same per tree node of each request, microseconds
 * @param lookupMs n-gram lookup of a round, ms
 */
public record HostTerms(
        double scheduleMs,
        double nodesPerLayer,
        double graphNodeUs,
        double kernelLaunchUs,
        double draftGraphMs,
        double treeFixedMs,
        double treeNodeUs,
        double lookupMs) {
    /**
     * Schedule 0.4 ms and 0.68 ms per draft graph: of 1.7-1.8 ms per cycle outside the verify graph, 1.3-1.4 are two draft
     * graphs (sglang issue 29960). 0.95 us per node: 0.9-1.0 us in the same source, with 2,000-2,900 nodes for some 64
     * layers, hence 40 per layer. 2.7 us per uncaptured kernel: asynchronous enqueue of 2.6-2.8 us (ocannl issue 488).
     * Trees 0.5 ms per round: the tree shape's share in one port's account; 1 us per node is an assumption. Lookup 0.2 ms is
     * an assumption.
     */
    public static final HostTerms PUBLISHED = new HostTerms(0.4, 40, 0.95, 2.7, 0.68, 0.5, 1.0, 0.2);

    /**
     * Published terms of an engine. vLLM compiles its model, which fuses small kernels: 14 nodes per layer are an
     * assumption.
     */
    public static HostTerms published(String engine) {
        return engine.equals("vllm") ? VLLM : PUBLISHED;
    }

    private static final HostTerms VLLM = new HostTerms(0.4, 14, 0.95, 2.7, 0.68, 0.5, 1.0, 0.2);

    public HostTerms {
        check("schedule_ms", scheduleMs);
        check("nodes_per_layer", nodesPerLayer);
        check("graph_node_us", graphNodeUs);
        check("kernel_launch_us", kernelLaunchUs);
        check("draft_graph_ms", draftGraphMs);
        check("tree_fixed_ms", treeFixedMs);
        check("tree_node_us", treeNodeUs);
        check("lookup_ms", lookupMs);
    }

    private static void check(String key, double v) {
        if (!(v >= 0) || Double.isInfinite(v)) {
            throw new IllegalArgumentException(key + " must be finite and not negative: " + v);
        }
    }
}
