package dev.foretoken.formats.timings;

import dev.foretoken.formats.document.Documents;
import dev.foretoken.formats.document.Field;
import dev.foretoken.formats.document.Fields;
import dev.foretoken.formats.document.Limits;
import dev.foretoken.formats.document.Node;
import dev.foretoken.formats.io.AtomicFiles;
import dev.foretoken.formats.json.Json;
import dev.foretoken.formats.schema.SchemaVersion;
import dev.foretoken.formats.timings.KernelTimings.Device;
import dev.foretoken.formats.timings.KernelTimings.Pair;
import dev.foretoken.formats.timings.KernelTimings.Sanity;
import dev.foretoken.formats.timings.KernelTimings.Topology;
import dev.foretoken.formats.timings.TimingPoint.Check;
import java.io.IOException;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Reads and writes kernel timings. Unknown fields are ignored, null counts as absent. */
public final class TimingsFile {
    private TimingsFile() {}

    /** Reads a file; every problem is reported with its line. */
    public static KernelTimings read(Path path) {
        return Documents.read(path, Limits.MACHINE, TimingsFile::timings);
    }

    /** Writes a file. */
    public static void write(Path path, KernelTimings timings) throws IOException {
        AtomicFiles.write(path, Json.pretty(timings));
    }

    private static KernelTimings timings(Node root) {
        Fields fields = root.fields().ignoreUnknown();
        Field<String> schema = fields.required("schema", n -> SchemaVersion.require(n, KernelTimings.SCHEMA));
        Field<String> runId = fields.nullable("run_id", Node::text);
        Field<String> started = fields.nullable("started_at", Node::text);
        Field<String> finished = fields.nullable("finished_at", Node::text);
        Field<String> status = fields.required("status", n -> n.oneOf(KernelTimings.STATUSES));
        Field<String> backend = fields.nullable("backend", Node::text);
        Field<String> model = fields.nullable("model", Node::text);
        Field<Boolean> synthetic = fields.nullable("synthetic", Node::bool);
        Field<Map<String, String>> tool = fields.nullable("tool", TimingsFile::words);
        Field<List<String>> argv = fields.nullable("argv", n -> n.list(Node::text));
        Field<List<String>> warnings = fields.nullable("warnings", n -> n.list(Node::text));
        Field<Map<String, String>> host = fields.nullable("host", TimingsFile::words);
        Field<Map<String, String>> software = fields.nullable("software", TimingsFile::words);
        Field<Map<String, String>> env = fields.nullable("env", TimingsFile::words);
        Field<List<Device>> devices = fields.nullable("devices", n -> n.list(TimingsFile::device));
        Field<Topology> topology = fields.nullable("topology", TimingsFile::topology);
        Field<List<TimingPoint>> points = fields.nullable("points", TimingsFile::points);
        Field<List<Sanity>> sanity = fields.nullable("sanity", n -> n.list(TimingsFile::sanity));
        return fields.build(() -> new KernelTimings(
                schema.get(),
                runId.get(),
                started.get(),
                finished.get(),
                status.get(),
                backend.get(),
                model.get(),
                synthetic.get(),
                tool.get(),
                argv.get(),
                warnings.get(),
                host.get(),
                software.get(),
                env.get(),
                devices.get(),
                topology.get(),
                points.get(),
                sanity.get()));
    }

    /** The scalars of a map as text; what is no scalar is left out. */
    private static Map<String, String> words(Node node) {
        Map<String, String> words = new LinkedHashMap<>();
        node.entries().forEach((key, value) -> {
            if (value.isScalar() && !value.isNull()) {
                words.put(key, value.raw());
            }
        });
        return words;
    }

    private static Integer count(Node node) {
        return node.integer(0, Integer.MAX_VALUE);
    }

    private static Long size(Node node) {
        return node.longInteger(0, Long.MAX_VALUE);
    }

    private static Device device(Node node) {
        Fields fields = node.fields().ignoreUnknown();
        Field<Integer> index = fields.nullable("index", TimingsFile::count);
        Field<String> name = fields.nullable("name", Node::text);
        Field<String> uuid = fields.nullable("uuid_hash", Node::text);
        Field<String> sm = fields.nullable("sm", Node::text);
        Field<Integer> sms = fields.nullable("sm_count", TimingsFile::count);
        Field<Double> smClock = fields.nullable("sm_clock_max_mhz", Node::positive);
        Field<Double> memClock = fields.nullable("mem_clock_max_mhz", Node::positive);
        Field<Integer> bus = fields.nullable("bus_width_bits", TimingsFile::count);
        Field<Double> peak = fields.nullable("dram_peak_bytes_per_s", Node::positive);
        Field<Long> l2 = fields.nullable("l2_bytes", TimingsFile::size);
        Field<Long> smem = fields.nullable("smem_optin_bytes", TimingsFile::size);
        Field<Long> memory = fields.nullable("total_mem_bytes", TimingsFile::size);
        Field<Boolean> ecc = fields.nullable("ecc", Node::bool);
        Field<Boolean> mig = fields.nullable("mig", Node::bool);
        Field<String> vbios = fields.nullable("vbios", Node::text);
        Field<Double> power = fields.nullable("power_limit_w", Node::positive);
        Field<Double> powerDefault = fields.nullable("power_limit_default_w", Node::positive);
        Field<Map<String, Integer>> pcie = fields.nullable("pcie", n -> n.map(key -> key, TimingsFile::count));
        Field<Long> bar1 = fields.nullable("bar1_bytes", TimingsFile::size);
        Field<Integer> numa = fields.nullable("numa_node", n -> n.integer(-1, 4096));
        return fields.build(() -> new Device(
                index.get(),
                name.get(),
                uuid.get(),
                sm.get(),
                sms.get(),
                smClock.get(),
                memClock.get(),
                bus.get(),
                peak.get(),
                l2.get(),
                smem.get(),
                memory.get(),
                ecc.get(),
                mig.get(),
                vbios.get(),
                power.get(),
                powerDefault.get(),
                pcie.get(),
                bar1.get(),
                numa.get()));
    }

    private static Topology topology(Node node) {
        Fields fields = node.fields().ignoreUnknown();
        Field<List<Pair>> pairs = fields.nullable("pairs", n -> n.list(TimingsFile::pair));
        return fields.build(() -> new Topology(pairs.or(List.of())));
    }

    private static Pair pair(Node node) {
        Fields fields = node.fields().ignoreUnknown();
        Field<Integer> a = fields.required("a", TimingsFile::count);
        Field<Integer> b = fields.required("b", TimingsFile::count);
        Field<String> path = fields.nullable("path", Node::text);
        Field<Boolean> access = fields.nullable("can_access_peer", Node::bool);
        Field<Boolean> store = fields.nullable("verified_sm_store", Node::bool);
        Field<Boolean> memcpy = fields.nullable("verified_memcpy", Node::bool);
        Field<Double> bandwidth = fields.nullable("p2p_gb_per_s", Node::nonNegative);
        Field<Double> latency = fields.nullable("p2p_latency_us", Node::nonNegative);
        return fields.build(() -> new Pair(
                a.get(), b.get(), path.get(), access.get(), store.get(), memcpy.get(), bandwidth.get(), latency.get()));
    }

    private static Sanity sanity(Node node) {
        Fields fields = node.fields().ignoreUnknown();
        Field<String> rule = fields.required("rule", Node::text);
        Field<String> point = fields.nullable("point", Node::text);
        Field<String> expected = fields.nullable("expected", TimingsFile::raw);
        Field<String> got = fields.nullable("got", TimingsFile::raw);
        Field<String> verdict = fields.required("verdict", Node::text);
        return fields.build(() -> new Sanity(rule.get(), point.get(), expected.get(), got.get(), verdict.get()));
    }

    private static String raw(Node node) {
        return node.isScalar() ? node.raw() : node.describe();
    }

    private static List<TimingPoint> points(Node node) {
        Set<String> ids = new HashSet<>();
        return node.list(n -> {
            TimingPoint point = point(n);
            if (!ids.add(point.id())) {
                n.report("the id " + point.id() + " occurs twice");
            }
            return point;
        });
    }

    private static TimingPoint point(Node node) {
        Fields fields = node.fields().ignoreUnknown();
        Field<String> id = fields.required("id", Node::text);
        Field<String> op = fields.required("op", Node::text);
        Field<String> impl = fields.required("impl", Node::text);
        Field<String> variant = fields.nullable("variant", Node::text);
        Field<List<Integer>> devices = fields.nullable("devices", n -> n.axis(TimingsFile::count));
        Field<Map<String, Long>> params = fields.required(
                "params", n -> n.map(key -> key, value -> value.longInteger(Long.MIN_VALUE, Long.MAX_VALUE)));
        Field<Map<String, String>> dtype = fields.nullable("dtype", TimingsFile::words);
        Field<String> mode = fields.nullable("mode", Node::text);
        Field<String> cache = fields.nullable("cache", Node::text);
        Field<String> thermal = fields.nullable("thermal", Node::text);
        Field<String> unit = fields.nullable("unit", n -> n.oneOf(List.of(TimingPoint.UNIT)));
        Field<Integer> n = fields.nullable("n", TimingsFile::count);
        Field<Integer> passes = fields.nullable("passes", TimingsFile::count);
        Field<Double> median = fields.nullable("median", Node::positive);
        Field<Double> mad = fields.nullable("mad", Node::nonNegative);
        Field<Double> p05 = fields.nullable("p05", Node::positive);
        Field<Double> p95 = fields.nullable("p95", Node::positive);
        Field<Double> min = fields.nullable("min", Node::positive);
        Field<Double> lo = fields.nullable("ci95_lo", Node::positive);
        Field<Double> hi = fields.nullable("ci95_hi", Node::positive);
        Field<Double> spread = fields.nullable("pass_rel_spread", Node::nonNegative);
        Field<Boolean> converged = fields.nullable("converged", Node::bool);
        Field<Long> bytes = fields.nullable("bytes_min", TimingsFile::size);
        Field<Long> flops = fields.nullable("flops", TimingsFile::size);
        Field<Double> bytesPerS = fields.nullable("achieved_bytes_per_s", Node::nonNegative);
        Field<Double> flopsPerS = fields.nullable("achieved_flops_per_s", Node::nonNegative);
        Field<Double> roofline = fields.nullable("roofline_frac", Node::nonNegative);
        Field<Double> smClock = fields.nullable("sm_clock_mhz_median", Node::nonNegative);
        Field<Double> memClock = fields.nullable("mem_clock_mhz", Node::nonNegative);
        Field<Double> power = fields.nullable("power_w_mean", Node::nonNegative);
        Field<Double> temperature = fields.nullable("temp_c_max", Node::number);
        Field<List<String>> reasons = fields.nullable("event_reasons", list -> list.list(Node::text));
        Field<Boolean> throttled = fields.nullable("throttled", Node::bool);
        Field<Check> check = fields.nullable("check", TimingsFile::check);
        Field<String> status = fields.required("status", s -> s.oneOf(TimingPoint.STATUSES));
        Field<String> note = fields.nullable("note", Node::text);
        Field<List<Double>> samples = fields.nullable("samples_us", list -> list.list(Node::positive));
        return fields.build(() -> new TimingPoint(
                id.get(),
                op.get(),
                impl.get(),
                variant.get(),
                devices.get(),
                params.get(),
                dtype.get(),
                mode.get(),
                cache.get(),
                thermal.get(),
                unit.get(),
                n.get(),
                passes.get(),
                median.get(),
                mad.get(),
                p05.get(),
                p95.get(),
                min.get(),
                lo.get(),
                hi.get(),
                spread.get(),
                converged.get(),
                bytes.get(),
                flops.get(),
                bytesPerS.get(),
                flopsPerS.get(),
                roofline.get(),
                smClock.get(),
                memClock.get(),
                power.get(),
                temperature.get(),
                reasons.get(),
                throttled.get(),
                check.get(),
                status.get(),
                note.get(),
                samples.get()));
    }

    private static Check check(Node node) {
        Fields fields = node.fields().ignoreUnknown();
        Field<Double> error = fields.nullable("rel_err", Node::nonNegative);
        Field<Boolean> ok = fields.required("ok", Node::bool);
        return fields.build(() -> new Check(error.get(), ok.get()));
    }
}
