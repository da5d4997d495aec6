package dev.foretoken.formats.scenario;

import dev.foretoken.formats.catalogue.CatalogueKind;
import dev.foretoken.formats.document.DocumentError;
import dev.foretoken.formats.document.Documents;
import dev.foretoken.formats.document.Field;
import dev.foretoken.formats.document.Fields;
import dev.foretoken.formats.document.Limits;
import dev.foretoken.formats.document.Nearest;
import dev.foretoken.formats.document.Node;
import dev.foretoken.formats.engine.EngineSettingsReader;
import dev.foretoken.formats.schema.SchemaVersion;
import dev.foretoken.sim.acceptance.AcceptanceForm;
import dev.foretoken.sim.acceptance.ForcedAcceptance;
import dev.foretoken.sim.hardware.Gpu;
import dev.foretoken.sim.method.Arm;
import dev.foretoken.sim.method.Autoregressive;
import dev.foretoken.sim.method.Method;
import dev.foretoken.sim.method.Methods;
import dev.foretoken.sim.method.Param;
import dev.foretoken.sim.model.Dtype;
import dev.foretoken.sim.model.TargetModel;
import dev.foretoken.sim.scenario.Calibration;
import dev.foretoken.sim.scenario.EngineSettings;
import dev.foretoken.sim.scenario.Hardware;
import dev.foretoken.sim.scenario.LengthDistribution;
import dev.foretoken.sim.scenario.LoadSpec;
import dev.foretoken.sim.scenario.MethodSpec;
import dev.foretoken.sim.scenario.Scenario;
import dev.foretoken.sim.scenario.SimulateOptions;
import dev.foretoken.sim.scenario.Slo;
import dev.foretoken.sim.scenario.Target;
import dev.foretoken.sim.scenario.Workload;
import dev.foretoken.sim.whitebox.AttentionBackend;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;

/**
 * Reads scenarios. Every problem of a file is reported with file, line, key, value and the nearest valid key. A list where a
 * scalar is allowed is an axis: of TP, methods and loads inside one scenario, elsewhere one scenario per value.
 */
public final class ScenarioReader {
    /** What results call the mix of workloads that carry a share. */
    private static final String MIX = "mix";

    /** Scenarios that one file may expand to. */
    private static final int MOST_VARIANTS = 1000;

    /** Cells of method axes that one file may expand to. */
    private static final long MOST_ARMS = 1_000_000;

    private static final List<String> TOLERANCES = List.of(
            "output_tok_s",
            "output_tok_s_per_request",
            "tpot_ms",
            "ttft_ms",
            "e2e_ms",
            "round_ms",
            "round_gap_ms",
            "accept_length",
            "speedup_vs_ar");

    private final ScenarioResources resources;

    public ScenarioReader(ScenarioResources resources) {
        this.resources = resources;
    }

    /**
     * Reads a file.
     *
     * @throws DocumentError with every problem found
     */
    public ScenarioFile read(Path file) {
        Path folder = file.getParent() == null ? Path.of("") : file.getParent();
        return Documents.read(file, Limits.SCENARIO, root -> scenarios(root, folder));
    }

    /**
     * Reads a document that is no file of its own, such as a bundled example.
     *
     * @param name how errors name it; its ending says what it is
     * @param folder where the files it names are looked up
     */
    public ScenarioFile read(String name, byte[] bytes, Path folder) {
        return Documents.read(name, bytes, Limits.SCENARIO, root -> scenarios(root, folder));
    }

    private ScenarioFile scenarios(Node root, Path folder) {
        List<Variant> variants = expand(root);
        List<Scenario> scenarios = new ArrayList<>();
        Listing listing = new Listing();
        boolean rejected = false;
        for (Variant v : variants) {
            Scenario s =
                    new Binding(v.root(), folder, v.labels(), scenarios.isEmpty() ? listing : new Listing()).bind();
            if (s == null) {
                rejected = true;
                break;
            }
            scenarios.add(s);
        }
        if (rejected) {
            throw root.refuse("the scenario cannot be used");
        }
        return new ScenarioFile(scenarios, listing.values(), listing.warnings);
    }

    // ---- axes that are neither TP, method, workload nor load ----

    private record Variant(Node root, Map<String, String> labels) {}

    private static final Set<String> OTHER_AXES = Set.of(
            "hardware.gpu",
            "hardware.link",
            "hardware.p2p",
            "hardware.custom_all_reduce",
            "hardware.power_limit_w",
            "target.model",
            "target.weights",
            "target.kv_cache",
            "target.recurrent_state.dtype",
            "target.recurrent_state.per_node",
            "engine.name",
            "engine.version",
            "engine.cuda_graphs",
            "engine.overlap",
            "engine.page_size",
            "engine.max_running_requests",
            "engine.max_batched_tokens",
            "engine.memory_fraction",
            "engine.prefix_hit_rate",
            "engine.prefill.policy",
            "engine.prefill.chunk_tokens",
            "engine.state_buffers",
            "engine.state_share",
            "engine.radix_cache",
            "engine.extra_buffer",
            "engine.attention_backend",
            "calibration.profile",
            "calibration.prefill_ms_per_token");

    private static List<Variant> expand(Node root) {
        List<Variant> variants = List.of(new Variant(root, Map.of()));
        if (!root.isMap()) {
            return variants;
        }
        while (true) {
            Node axis = firstAxis(variants.get(0).root());
            if (axis == null) {
                return variants;
            }
            List<Variant> next = new ArrayList<>();
            for (Variant v : variants) {
                Node here = firstAxis(v.root());
                if (here.elements().isEmpty()) {
                    throw here.refuse("an axis needs at least one value");
                }
                for (Node element : here.elements()) {
                    Map<String, String> labels = new LinkedHashMap<>(v.labels());
                    labels.put(here.path(), element.isScalar() ? element.raw() : element.describe());
                    next.add(new Variant(v.root().choosing(here, element), labels));
                }
            }
            if (next.size() > MOST_VARIANTS) {
                throw axis.refuse("the axes of this file make more than " + MOST_VARIANTS + " scenarios");
            }
            variants = next;
        }
    }

    private static Node firstAxis(Node root) {
        for (String path : OTHER_AXES.stream().sorted().toList()) {
            Node at = root;
            for (String key : path.split("\\.")) {
                at = at == null || !at.isMap() ? null : at.at(key);
            }
            if (at != null && at.isList()) {
                return at;
            }
        }
        Node workloads = root.at("workloads");
        if (workloads != null && workloads.isList()) {
            for (Node w : workloads.elements()) {
                for (String key : List.of("isl", "osl")) {
                    Node length = w.isMap() ? w.at(key) : null;
                    if (length != null && length.isList()) {
                        return length;
                    }
                }
            }
        }
        return null;
    }

    // ---- one scenario ----

    /** Effective values as they are found. */
    private static final class Listing {
        private final List<Effective> values = new ArrayList<>();
        private final List<String> warnings = new ArrayList<>();

        void add(String key, Object value, Field<?> field, String defaultOrigin) {
            if (value == null) {
                return;
            }
            String origin = field != null && field.node() != null
                    ? field.node().file() + ":" + field.node().line()
                    : defaultOrigin;
            values.add(new Effective(key, ValueText.of(value), origin));
        }

        /** The values of a part of the document as they are given. */
        void given(String key, Node node) {
            if (node.isMap()) {
                node.entries().forEach((child, n) -> given(key + "." + child, n));
            } else if (node.isList() && node.elements().stream().anyMatch(n -> !n.isScalar())) {
                add(key, node.elements().size() + " entries", node);
            } else {
                add(
                        key,
                        node.isList()
                                ? "[" + node.elements().stream().map(Node::raw).collect(Collectors.joining(", ")) + "]"
                                : node.raw(),
                        node);
            }
        }

        private void add(String key, String value, Node node) {
            values.add(new Effective(key, value, node.file() + ":" + node.line()));
        }

        List<Effective> values() {
            return values;
        }
    }

    /** Engines whose attention kernels have names of their own. */
    private static final List<String> WITH_BACKENDS = List.of("sglang", "vllm");

    private final class Binding {
        private final Node root;
        private final Path folder;
        private final Map<String, String> labels;
        private final Listing listing;
        /** Acceptance by workload that a file gives without naming a method. */
        private final Map<String, AcceptanceReader.Given> ofAnyMethod = new LinkedHashMap<>();

        Binding(Node root, Path folder, Map<String, String> labels, Listing listing) {
            this.root = root;
            this.folder = folder;
            this.labels = labels;
            this.listing = listing;
        }

        Scenario bind() {
            Fields fields = root.fields();
            fields.synonym("loads", "load")
                    .synonym("workload", "workloads")
                    .synonym("method", "methods")
                    .synonym("gpu", "hardware.gpu")
                    .synonym("model", "target.model");
            Field<String> schema = fields.required("schema", n -> SchemaVersion.require(n, Scenario.SCHEMA));
            Field<String> name = fields.optional("name", Node::text);
            Field<Long> seed = fields.optional("seed", n -> n.longInteger(Long.MIN_VALUE, Long.MAX_VALUE));
            Field<Hardware> hardware = fields.optional("hardware", this::hardware);
            List<Integer> tps = hardware.usable() ? hardware.get().tp() : List.of(1);
            Field<Target> target = fields.optional("target", n -> target(n, hardware));
            Field<EngineSettings> engine = fields.required("engine", this::engine);
            Field<List<MethodSpec>> methods = fields.required("methods", this::methods);
            Set<String> names = new LinkedHashSet<>();
            if (methods.usable()) {
                methods.get().forEach(m -> names.add(m.id()));
                methods.get().forEach(m -> names.add(m.kind()));
            } else {
                names.addAll(looseMethodKeys());
            }
            MethodKeys methodKeys = methods.usable() ? new MethodKeys(names) : MethodKeys.unjudged(names);
            Field<List<Workload>> workloads = fields.required("workloads", n -> workloads(n, methodKeys));
            Field<List<LoadSpec>> load = fields.required("load", this::loads);
            Field<Map<String, NavigableMap<Integer, Integer>>> adaptive =
                    fields.optional("budget_by_concurrency", n -> adaptive(n, methods));
            Field<ForcedAcceptance> forced = fields.optional("forced_acceptance", AcceptanceReader::forced);
            Field<Slo> slo = fields.optional("slo", n -> new Slo(n.map(this::limit, Node::positive)));
            Field<Map<String, Double>> tolerance =
                    fields.optional("tolerance", n -> n.map(this::toleranceKey, Node::positive));
            Field<SimulateOptions> simulate = fields.optional("simulate", this::simulate);
            Field<Calibration> calibration =
                    fields.optional("calibration", n -> CalibrationReader.read(n, methodKeys, tps, folder));
            return fields.build(() -> {
                schema.get();
                String title = name.or("scenario");
                listing.add("name", title, name, "default: scenario");
                listing.add("seed", seed.or(1L), seed, "default of the contract");
                for (Field<?> field : List.of(adaptive, forced, slo, tolerance, simulate, calibration)) {
                    if (field.present()) {
                        listing.given(field.node().key(), field.node());
                    }
                }
                noteSimulate(simulate);
                if (calibration.usable() && calibration.get().blackBox()) {
                    noteBlackBox(hardware, target, calibration.get());
                }
                listing.warnings.addAll(methodKeys.warnings());
                workloads.get().forEach(w -> warnShared(w, methods.get()));
                return new Scenario(
                        title,
                        seed.or(1L),
                        hardware.get(),
                        target.get(),
                        withBackend(engine.get(), hardware.get(), target.get()),
                        methods.get(),
                        workloads.get(),
                        load.get(),
                        adaptive.or(Map.of()),
                        forced.get(),
                        slo.get(),
                        tolerance.or(Map.of()),
                        simulate.or(SimulateOptions.DEFAULT),
                        calibration.or(Calibration.NONE),
                        labels);
            });
        }

        private void noteSimulate(Field<SimulateOptions> simulate) {
            SimulateOptions o = simulate.or(SimulateOptions.DEFAULT);
            Map<String, Object> values = new LinkedHashMap<>();
            values.put("rel_half_width", o.relHalfWidth());
            values.put("level", o.level());
            values.put("max_requests", o.maxRequests());
            if (simulate.present()) {
                values.keySet().removeAll(simulate.node().entries().keySet());
            }
            values.forEach((key, value) -> listing.add("simulate." + key, value, null, "default of the contract"));
        }

        private void noteBlackBox(Field<Hardware> hardware, Field<Target> target, Calibration calibration) {
            if (!hardware.present()) {
                listing.add("hardware.tp", "1", null, "no hardware is given: one card");
            }
            if (!hardware.present() || !target.present()) {
                listing.add("memory", "unlimited", null, "no card and model are given");
            }
            if (calibration.prefillMsPerToken() == null) {
                listing.add("calibration.prefill_ms_per_token", "none", null, "not given: prompts take no time");
            }
        }

        /** Ids and kinds as far as they can be read, so that one bad method does not make every reference to it bad. */
        private Set<String> looseMethodKeys() {
            Set<String> keys = new LinkedHashSet<>(Methods.kinds());
            Node methods = root.at("methods");
            if (methods != null && methods.isList()) {
                for (Node m : methods.elements()) {
                    Node id = m.isMap() ? m.at("id") : null;
                    if (id != null && id.isScalar()) {
                        keys.add(id.raw());
                    }
                }
            }
            return keys;
        }

        private Path resolve(String file) {
            return folder.resolve(file).normalize();
        }

        // ---- hardware and target ----

        private Hardware hardware(Node node) {
            Fields fields = node.fields();
            fields.synonym("power_limit", "power_limit_w")
                    .synonym("price", "price_per_gpu_hour")
                    .synonym(
                            "gpus",
                            node.entries().containsKey("gpus")
                                            && !node.at("gpus").isNumber()
                                    ? "gpu"
                                    : "count");
            Field<String> gpu = fields.required("gpu", n -> known(n, CatalogueKind.GPU));
            Field<Integer> count = fields.optional("count", n -> n.integer(1, 1024));
            Field<List<Integer>> tp = fields.optional("tp", n -> n.axis(e -> e.integer(1, 1024)));
            Field<String> link = fields.optional("link", n -> known(n, CatalogueKind.LINK));
            Field<Boolean> p2p = fields.optional("p2p", Node::bool);
            Field<Boolean> custom = fields.optional("custom_all_reduce", Node::bool);
            Field<Double> power = fields.optional("power_limit_w", Node::positive);
            Field<Double> price = fields.optional("price_per_gpu_hour", Node::nonNegative);
            return fields.build(() -> {
                List<Integer> sizes = tp.or(List.of(1));
                int cards = count.present()
                        ? count.get()
                        : sizes.stream().max(Integer::compare).orElseThrow();
                for (int size : sizes) {
                    if (size > cards) {
                        throw tp.node().refuse("tp " + size + " exceeds count " + cards);
                    }
                }
                listing.add("hardware.gpu", gpu.get(), gpu, null);
                listing.add("hardware.count", cards, count, "default: the largest tp");
                listing.add("hardware.tp", sizes, tp, "default of the contract");
                listing.add("hardware.link", link.get(), link, null);
                listing.add("hardware.p2p", p2p.get(), p2p, null);
                listing.add("hardware.custom_all_reduce", custom.get(), custom, null);
                listing.add("hardware.power_limit_w", power.get(), power, null);
                listing.add("hardware.price_per_gpu_hour", price.get(), price, null);
                return new Hardware(
                        gpu.get(), cards, sizes, link.get(), p2p.get(), custom.get(), power.get(), price.get());
            });
        }

        private String known(Node node, CatalogueKind<?> kind) {
            String id = node.text();
            if (!resources.catalogue().ids(kind).contains(id)) {
                throw node.refuse("unknown " + kind.noun() + " " + node.describe()
                        + Nearest.phrase(id, resources.catalogue().ids(kind)));
            }
            return id;
        }

        private Target target(Node node, Field<Hardware> hardware) {
            Fields fields = node.fields();
            Field<String> model = fields.required("model", n -> known(n, CatalogueKind.MODEL));
            Field<String> weights = fields.optional("weights", ScenarioReader::dtype);
            Field<String> kv = fields.optional("kv_cache", ScenarioReader::dtype);
            Field<RecurrentState> state = fields.optional("recurrent_state", this::recurrentState);
            return fields.build(() -> {
                TargetModel architecture = resources.catalogue().model(model.get());
                if (hardware.usable()) {
                    for (int tp : hardware.get().tp()) {
                        architecture.whyNotTp(tp).ifPresent(why -> {
                            Node at = hardware.node().at("tp");
                            (at == null ? hardware.node() : at).report(why);
                        });
                    }
                }
                String stored = weights.or(architecture.nativeWeights().id());
                if (hardware.usable()) {
                    refuseLargerThanTheCard(model.node(), architecture, Dtype.of(stored), hardware.get());
                }
                String cache = kv.or(Dtype.BF16.id());
                RecurrentState recurrent = state.or(new RecurrentState(Dtype.FP32.id(), Target.SAVED));
                listing.add("target.model", model.get(), model, null);
                listing.add("target.weights", stored, weights, "default: format of the published checkpoint");
                listing.add("target.kv_cache", cache, kv, "default of the contract");
                if (architecture.linear() != null) {
                    listing.add("target.recurrent_state.dtype", recurrent.dtype(), state, "default of the contract");
                    listing.add(
                            "target.recurrent_state.per_node", recurrent.perNode(), state, "default of the contract");
                }
                return new Target(model.get(), stored, cache, recurrent.dtype(), recurrent.perNode());
            });
        }

        /** A model whose weights alone exceed the memory of the card at every TP can run nowhere on the grid. */
        private void refuseLargerThanTheCard(Node at, TargetModel model, Dtype weights, Hardware hardware) {
            Gpu gpu = resources.catalogue().gpu(hardware.gpu());
            int tp = hardware.tp().stream().max(Integer::compare).orElseThrow();
            long bytes = model.weightBytesPerCard(weights, tp);
            if (bytes > gpu.memoryBytes()) {
                at.report(String.format(
                        Locale.ROOT,
                        "weights of %s in %s need %.1f GB per card at TP %d, more than the %.1f GB of %s",
                        model.id(),
                        weights.id(),
                        bytes / 1e9,
                        tp,
                        gpu.memoryBytes() / 1e9,
                        gpu.id()));
            }
        }

        private record RecurrentState(String dtype, String perNode) {}

        private RecurrentState recurrentState(Node node) {
            Fields fields = node.fields();
            Field<String> dtype = fields.optional("dtype", ScenarioReader::dtype);
            Field<String> perNode = fields.optional("per_node", n -> n.oneOf(List.of(Target.SAVED, Target.REPLAY)));
            return fields.build(() -> new RecurrentState(dtype.or(Dtype.FP32.id()), perNode.or(Target.SAVED)));
        }

        // ---- engine ----

        private EngineSettings engine(Node node) {
            EngineSettings given = EngineSettingsReader.readNamed(node);
            known(node.at("name"), CatalogueKind.ENGINE);
            EngineSettings defaults = resources.catalogue().engine(given.name()).defaults();
            EngineSettings effective = defaults.overriddenBy(given);
            listEngine(node, "engine", given, effective);
            return effective;
        }

        /** The attention backend that the engine takes on the card, where none is given and kernels are to be priced. */
        private EngineSettings withBackend(EngineSettings engine, Hardware hardware, Target target) {
            if (engine.attentionBackend() != null
                    || hardware == null
                    || target == null
                    || !WITH_BACKENDS.contains(engine.name())) {
                return engine;
            }
            String arch = resources.catalogue().gpu(hardware.gpu()).arch();
            String backend = AttentionBackend.usual(engine.name(), arch, Dtype.of(target.kvCache()))
                    .id();
            listing.add("engine.attention_backend", backend, null, "usual of " + engine.name() + " on " + arch);
            return engine.withAttentionBackend(backend);
        }

        private void listEngine(Node node, String prefix, EngineSettings given, EngineSettings effective) {
            Map<String, Object> all = effective.given();
            Map<String, Object> own = given.given();
            all.forEach((key, value) -> {
                String origin = own.containsKey(key)
                        ? node.file() + ":" + line(node, key)
                        : "default of engine " + effective.name();
                listing.values.add(new Effective(prefix + "." + key, ValueText.of(value), origin));
            });
        }

        /** Line of a flag, given by its dotted key. */
        private int line(Node engine, String key) {
            Node at = engine;
            for (String part : key.split("\\.")) {
                Node child = at.at(part);
                if (child == null) {
                    return at.line();
                }
                at = child;
            }
            return at.line();
        }

        // ---- methods ----

        private List<MethodSpec> methods(Node node) {
            Set<String> ids = new HashSet<>();
            long[] arms = {0};
            List<MethodSpec> methods = node.nonEmptyList(n -> {
                MethodSpec m = method(n);
                if (!ids.add(m.id())) {
                    n.at("id").report("the id " + n.at("id").describe() + " occurs twice");
                }
                long cells = 1;
                for (List<Object> axis : m.values().values()) {
                    cells *= axis.size();
                }
                arms[0] += cells;
                if (arms[0] > MOST_ARMS) {
                    throw n.refuse("the axes of the methods make more than " + MOST_ARMS + " arms");
                }
                return m;
            });
            return methods;
        }

        private MethodSpec method(Node node) {
            Fields fields = node.fields();
            Field<String> id = fields.required("id", Node::name);
            Field<String> kind = fields.required("kind", n -> n.oneOf(Methods.kinds()));
            Field<EngineSettings> engine = fields.optional("engine", EngineSettingsReader::read);
            if (!kind.usable()) {
                fields.ignoreUnknown();
                return fields.build(() -> {
                    kind.get();
                    return null;
                });
            }
            Method method = Methods.byKind(kind.get());
            fields.synonym("k", Method.STEPS)
                    .synonym("num_steps", Method.STEPS)
                    .synonym("topk", Method.TOP_K)
                    .synonym("block_size", Method.BLOCK)
                    .synonym("num_draft_tokens", Method.DRAFT_TOKENS);
            Map<String, Field<List<Object>>> read = new LinkedHashMap<>();
            for (Param p : method.params()) {
                read.put(
                        p.name(),
                        p.required()
                                ? fields.required(p.name(), n -> n.axis(e -> parameter(p, e)))
                                : fields.optional(p.name(), n -> n.axis(e -> parameter(p, e))));
            }
            return fields.build(() -> {
                Map<String, List<Object>> values = new LinkedHashMap<>();
                read.forEach((key, field) -> {
                    List<Object> v = field.get();
                    if (v != null) {
                        values.put(key, v);
                    }
                });
                for (Param p : method.params()) {
                    List<Object> v = values.get(p.name());
                    listing.add(
                            "methods." + id.get() + "." + p.name(),
                            v == null ? p.defaultValue() : v.size() == 1 ? v.get(0) : v,
                            read.get(p.name()),
                            "default of " + kind.get());
                }
                EngineSettings own = engine.or(EngineSettings.NONE);
                if (engine.present()) {
                    listEngine(engine.node(), "methods." + id.get() + ".engine", own, own);
                }
                MethodSpec spec = new MethodSpec(id.get(), kind.get(), values, own);
                Arm.expand(spec);
                return spec;
            });
        }

        private Object parameter(Param p, Node node) {
            return switch (p.type()) {
                case INT -> node.integer(p.min().intValue(), p.max().intValue());
                case REAL -> node.number(p.min(), p.max());
                case BOOL -> node.bool();
                case TEXT -> text(p, node);
            };
        }

        private Object text(Param p, Node node) {
            if (p.name().equals(Method.DRAFT_WEIGHTS)) {
                return dtype(node);
            }
            return node.name();
        }

        // ---- workloads ----

        private List<Workload> workloads(Node node, MethodKeys methodKeys) {
            Set<String> ids = new HashSet<>();
            List<Node> named = new ArrayList<>();
            List<Workload> workloads = node.nonEmptyList(n -> {
                Workload w = workload(n, methodKeys);
                if (!ids.add(w.id())) {
                    n.at("id").report("the id " + n.at("id").describe() + " occurs twice");
                }
                if (w.id().equals(MIX)) {
                    named.add(n.at("id"));
                }
                return w;
            });
            if (workloads.stream().filter(w -> w.share() != null).count() > 1) {
                named.forEach(id -> id.report("the id " + id.describe()
                        + " is taken: workloads with a share are also computed together, as " + MIX
                        + "; choose another id"));
            }
            return workloads;
        }

        /** Acceptance belongs to one drafter: says when figures without a method serve several. */
        private void warnShared(Workload w, List<MethodSpec> methods) {
            AcceptanceReader.Given given = ofAnyMethod.get(w.id());
            if (given == null) {
                return;
            }
            List<MethodSpec> served = methods.stream()
                    .filter(m -> !(Methods.byKind(m.kind()) instanceof Autoregressive))
                    .filter(m -> !w.acceptance().containsKey(m.id())
                            && !w.acceptance().containsKey(m.kind()))
                    .toList();
            Map<String, Set<Object>> drafters = new LinkedHashMap<>();
            for (MethodSpec m : served) {
                drafters.computeIfAbsent(Methods.byKind(m.kind()).family(), f -> new LinkedHashSet<>())
                        .addAll(m.values().getOrDefault(Method.DRAFTER, List.of()));
            }
            int distinct = drafters.values().stream()
                    .mapToInt(d -> Math.max(1, d.size()))
                    .sum();
            if (distinct > 1) {
                listing.warnings.add(
                        given.origin() + ": " + given.file() + " names no method and serves "
                                + served.stream().map(MethodSpec::id).collect(Collectors.joining(", "))
                                + " on workload "
                                + w.id() + ", which are drafts of " + distinct
                                + " drafters: acceptance of one says nothing of"
                                + " another; name its method (calibrate acceptance --method ID, or acceptance: {ID: {file: ...}})");
            }
        }

        private Workload workload(Node node, MethodKeys methodKeys) {
            Fields fields = node.fields();
            fields.synonym("isl_tokens", "isl")
                    .synonym("osl_tokens", "osl")
                    .synonym("input_len", "isl")
                    .synonym("output_len", "osl")
                    .synonym("weight", "share");
            Field<String> id = fields.required("id", Node::name);
            Field<LengthDistribution> isl = fields.required("isl", LengthReader::read);
            Field<LengthDistribution> osl = fields.required("osl", LengthReader::read);
            Field<Double> share = fields.optional("share", Node::positive);
            AcceptanceReader reader = new AcceptanceReader(resources, this::resolve);
            Field<Map<String, AcceptanceForm>> acceptance =
                    fields.optional("acceptance", n -> reader.workload(n, id.usable() ? id.get() : "", methodKeys));
            return fields.build(() -> {
                String prefix = "workloads." + id.get();
                listing.add(prefix + ".isl", isl.get(), isl, null);
                listing.add(prefix + ".osl", osl.get(), osl, null);
                listing.add(prefix + ".share", share.get(), share, null);
                Map<String, AcceptanceForm> forms = acceptance.or(Map.of());
                reader.given().forEach(given -> {
                    String at = prefix + ".acceptance" + (given.key().isEmpty() ? "" : "." + given.key());
                    listing.values.add(new Effective(at, ValueText.of(given.form()), given.origin()));
                    if (given.source() != null) {
                        listing.values.add(new Effective(at + ".source", given.source(), given.origin()));
                    }
                });
                reader.given().stream()
                        .filter(AcceptanceReader.Given::ofAnyMethod)
                        .forEach(given -> ofAnyMethod.put(id.get(), given));
                return new Workload(id.get(), isl.get(), osl.get(), share.get(), forms);
            });
        }

        // ---- the rest ----

        private List<LoadSpec> loads(Node node) {
            List<LoadSpec> loads = node.nonEmptyList(n -> LoadReader.read(n, this::resolve));
            for (int i = 0; i < loads.size(); i++) {
                listing.values.add(new Effective(
                        "load[" + i + "]",
                        ValueText.of(loads.get(i)),
                        node.file() + ":" + node.elements().get(i).line()));
            }
            return loads;
        }

        private Map<String, NavigableMap<Integer, Integer>> adaptive(Node node, Field<List<MethodSpec>> methods) {
            Map<String, NavigableMap<Integer, Integer>> out = new LinkedHashMap<>();
            List<String> ids = methods.usable()
                    ? methods.get().stream().map(MethodSpec::id).toList()
                    : List.copyOf(looseMethodKeys());
            node.map(
                            key -> {
                                if (!ids.contains(key)) {
                                    throw new IllegalArgumentException(
                                            key + " is no method of the scenario" + Nearest.phrase(key, ids));
                                }
                                return key;
                            },
                            n -> {
                                Map<Integer, Integer> steps = n.map(
                                        Node.integerKey("a number of running requests", 1, 1_000_000),
                                        e -> e.integer(0, Method.MAX_NODES));
                                if (steps.isEmpty()) {
                                    throw n.refuse("needs at least one budget");
                                }
                                return steps;
                            })
                    .forEach((id, steps) -> out.put(id, new TreeMap<>(steps)));
            if (methods.usable()) {
                for (MethodSpec m : methods.get()) {
                    boolean budgets = Methods.byKind(m.kind()).params().stream()
                            .anyMatch(p -> p.name().equals(Method.BUDGET));
                    if (out.containsKey(m.id()) && !budgets) {
                        node.at(m.id()).report(m.kind() + " has no budget to adapt");
                    }
                }
            }
            return out;
        }

        private String limit(String key) {
            if (!Slo.LIMITS.contains(key)) {
                throw new IllegalArgumentException("unknown limit " + key + Nearest.phrase(key, Slo.LIMITS));
            }
            return key;
        }

        private String toleranceKey(String key) {
            if (!TOLERANCES.contains(key)) {
                throw new IllegalArgumentException("unknown figure " + key + Nearest.phrase(key, TOLERANCES));
            }
            return key;
        }

        private SimulateOptions simulate(Node node) {
            Fields fields = node.fields();
            SimulateOptions d = SimulateOptions.DEFAULT;
            Field<Double> width = fields.optional("rel_half_width", Node::probability);
            Field<Double> level = fields.optional("level", Node::probability);
            Field<Long> most = fields.optional("max_requests", n -> n.longInteger(1, Long.MAX_VALUE));
            return fields.build(() ->
                    new SimulateOptions(width.or(d.relHalfWidth()), level.or(d.level()), most.or(d.maxRequests())));
        }
    }

    private static String dtype(Node node) {
        String id = node.text();
        List<String> ids =
                java.util.Arrays.stream(Dtype.values()).map(Dtype::id).toList();
        if (!ids.contains(id)) {
            throw node.refuse("unknown dtype " + node.describe() + Nearest.phrase(id, ids));
        }
        return id;
    }
}
