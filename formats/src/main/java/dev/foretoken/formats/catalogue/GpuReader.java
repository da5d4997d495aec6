package dev.foretoken.formats.catalogue;

import dev.foretoken.formats.document.Field;
import dev.foretoken.formats.document.Fields;
import dev.foretoken.formats.document.Node;
import dev.foretoken.sim.hardware.Gpu;
import dev.foretoken.sim.model.Dtype;
import java.util.List;
import java.util.Map;

/** Reads {@code gpus/ID.yaml}. */
final class GpuReader {
    private static final double GIGA = 1e9;
    private static final double TERA = 1e12;
    private static final List<String> LINK_KINDS = List.of("pcie", "nvlink", "ethernet");

    private GpuReader() {}

    static Gpu read(Node root) {
        Fields fields = root.fields();
        Parts.schema(fields, CatalogueKind.GPU.schema());
        Field<String> id = fields.required("id", Node::id);
        Field<String> name = fields.required("name", Node::name);
        Field<String> arch = fields.required("arch", Node::id);
        Field<Integer> sms = fields.optional("sms", n -> n.integer(1, 10_000));
        Field<Long> l2 = fields.optional("l2_bytes", n -> n.longInteger(1, Long.MAX_VALUE));
        Field<Long> memory = fields.required("memory_bytes", n -> n.longInteger(1, Long.MAX_VALUE));
        Field<Double> spec = fields.optional("dram_spec_gb_per_s", Node::positive);
        Field<Double> observed = fields.optional("dram_observed_gb_per_s", Node::positive);
        Field<Map<Dtype, Double>> dense = fields.optional("dense_tflops", GpuReader::tflops);
        Field<Map<Dtype, Double>> measured = fields.optional("measured_tflops", GpuReader::tflops);
        Field<Double> smClock = fields.optional("sm_clock_max_mhz", Node::positive);
        Field<Double> memoryClock = fields.optional("memory_clock_mhz", Node::positive);
        Field<Double> power = fields.optional("power_limit_w", Node::positive);
        Field<List<Gpu.PowerPoint>> points =
                fields.optional("power_points", n -> n.nonEmptyList(GpuReader::powerPoint));
        Field<Gpu.Link> link = fields.required("link", GpuReader::link);
        Field<Gpu.Launch> launch = fields.optional("launch", GpuReader::launch);
        Field<List<String>> notes = Parts.notes(fields);
        Field<List<String>> sources = Parts.sources(fields);
        return fields.build(() -> new Gpu(
                id.get(),
                name.get(),
                arch.get(),
                sms.get(),
                l2.get(),
                memory.get(),
                scaled(spec.get(), GIGA),
                scaled(observed.get(), GIGA),
                dense.or(Map.of()),
                measured.or(Map.of()),
                smClock.get(),
                memoryClock.get(),
                power.get(),
                points.or(List.of()),
                link.get(),
                launch.get(),
                notes.or(List.of()),
                sources.get()));
    }

    private static Map<Dtype, Double> tflops(Node node) {
        return node.map(Dtype::of, value -> value.positive() * TERA);
    }

    private static Gpu.PowerPoint powerPoint(Node node) {
        Fields fields = node.fields();
        Field<Double> limit = fields.required("limit_w", Node::positive);
        Field<Double> clock = fields.optional("sm_clock_mhz", Node::positive);
        Field<Double> tflops = fields.required("tflops", Node::positive);
        return fields.build(() -> new Gpu.PowerPoint(limit.get(), clock.get(), tflops.get() * TERA));
    }

    private static Gpu.Link link(Node node) {
        Fields fields = node.fields();
        Field<String> kind = fields.required("kind", n -> n.oneOf(LINK_KINDS));
        Field<Integer> generation = fields.optional("generation", n -> n.integer(1, 100));
        Field<Double> bandwidth = fields.optional("gb_per_s_per_direction", Node::positive);
        Field<Boolean> p2p = fields.optional("p2p", Node::bool);
        Field<List<String>> profiles = fields.optional("profiles", n -> n.list(Node::id));
        return fields.build(() -> new Gpu.Link(
                kind.get(), generation.get(), scaled(bandwidth.get(), GIGA), p2p.get(), profiles.or(List.of())));
    }

    private static Gpu.Launch launch(Node node) {
        Fields fields = node.fields();
        Field<Double> kernel = fields.optional("kernel_us", Node::positive);
        Field<Double> graph = fields.optional("graph_us", Node::positive);
        Field<Double> graphNode = fields.optional("graph_node_us", Node::positive);
        Field<String> source = fields.required("source", Node::text);
        return fields.build(() -> new Gpu.Launch(kernel.get(), graph.get(), graphNode.get(), source.get()));
    }

    private static Double scaled(Double value, double unit) {
        return value == null ? null : value * unit;
    }
}
