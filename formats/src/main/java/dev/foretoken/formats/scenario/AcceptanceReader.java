package dev.foretoken.formats.scenario;

import dev.foretoken.formats.document.Field;
import dev.foretoken.formats.document.Fields;
import dev.foretoken.formats.document.Node;
import dev.foretoken.sim.acceptance.AcceptanceForm;
import dev.foretoken.sim.acceptance.AcceptanceForm.CountedAt;
import dev.foretoken.sim.acceptance.ForcedAcceptance;
import dev.foretoken.sim.acceptance.Parameter;
import dev.foretoken.sim.scenario.Workload;
import dev.foretoken.sim.tree.TreeOptions;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Function;

/** Reads acceptance figures in every form of the contract's table. */
public final class AcceptanceReader {
    private static final List<String> FORMS =
            List.of("accept_length", "per_position", "histogram", "accept_length_by_budget", "srt", "file", "trace");
    private static final List<String> QUALIFIERS = List.of("conditional", "extend", "design");
    private static final int MANY = 1 << 20;

    private final ScenarioResources resources;
    private final Function<String, Path> resolve;

    /**
     * @param resolve finds a file that the document names
     */
    public AcceptanceReader(ScenarioResources resources, Function<String, Path> resolve) {
        this.resources = resources;
        this.resolve = resolve;
    }

    /**
     * The {@code acceptance} of a workload: a bare form, forms by method id or kind, or both.
     *
     * @param keys method ids and kinds that may stand as keys
     */
    Map<String, AcceptanceForm> workload(Node node, String workload, MethodKeys keys) {
        Map<String, AcceptanceForm> forms = new LinkedHashMap<>();
        MethodKeys valid = keys.with(FORMS);
        boolean bare = false;
        boolean rejected = false;
        List<String> methods = new ArrayList<>();
        for (String key : node.entries().keySet()) {
            if (FORMS.contains(key) || QUALIFIERS.contains(key)) {
                bare = true;
                continue;
            }
            methods.add(key);
            try {
                valid.check(key, node);
            } catch (IllegalArgumentException e) {
                node.at(key).report(e.getMessage());
                rejected = true;
            }
        }
        if (bare) {
            forms.putAll(forms(node, workload, methods));
        }
        for (String key : methods) {
            Map<String, AcceptanceForm> own = forms(node.at(key), workload, List.of());
            AcceptanceForm form = own.getOrDefault(key, own.get(Workload.BARE));
            if (form == null) {
                node.at(key)
                        .report("the acceptance file has nothing for " + key + " on workload " + workload + "; it has "
                                + own.keySet());
                rejected = true;
            } else {
                forms.put(key, form);
            }
        }
        if (rejected) {
            throw node.refuse("acceptance cannot be used");
        }
        return forms;
    }

    /** One form; a file may give several, by method. */
    private Map<String, AcceptanceForm> forms(Node node, String workload, Collection<String> otherKeys) {
        List<String> given =
                FORMS.stream().filter(f -> node.entries().containsKey(f)).toList();
        if (given.size() != 1) {
            throw node.refuse(
                    given.isEmpty()
                            ? "acceptance needs one of " + String.join(", ", FORMS)
                            : "acceptance has several forms, " + String.join(" and ", given) + ": keep one");
        }
        Fields fields = node.fields();
        for (String key : otherKeys) {
            fields.optional(key, n -> n);
        }
        String form = given.get(0);
        return switch (form) {
            case "accept_length" -> {
                Field<Double> x = fields.required(form, Node::number);
                yield fields.build(() -> bare(new AcceptanceForm.AcceptLength(x.get())));
            }
            case "per_position" -> {
                Field<List<Double>> rates = fields.required(form, n -> n.nonEmptyList(Node::probability));
                Field<Boolean> conditional = fields.optional("conditional", Node::bool);
                Field<String> extend = fields.optional("extend", n -> n.oneOf(List.of("geometric")));
                yield fields.build(() -> bare(
                        conditional.or(false)
                                ? AcceptanceForm.PerPosition.ofConditional(rates.get(), extend.get() != null)
                                : new AcceptanceForm.PerPosition(rates.get(), extend.get() != null)));
            }
            case "histogram" -> {
                Field<List<Double>> counts = fields.required(form, n -> n.nonEmptyList(Node::nonNegative));
                Field<CountedAt> design = fields.required("design", AcceptanceReader::design);
                yield fields.build(() -> bare(new AcceptanceForm.Histogram(counts.get(), design.get())));
            }
            case "accept_length_by_budget" -> {
                Field<Map<Integer, Double>> tokens =
                        fields.required(form, n -> n.map(Node.integerKey("a budget", 0, MANY), Node::number));
                yield fields.build(() -> bare(new AcceptanceForm.AcceptLengthByBudget(new TreeMap<>(tokens.get()))));
            }
            case "srt" -> {
                Field<AcceptanceForm> srt = fields.required(form, AcceptanceReader::srt);
                yield fields.build(() -> bare(srt.get()));
            }
            case "file" -> {
                Field<Map<String, AcceptanceForm>> read =
                        fields.required(form, n -> resources.acceptanceFiles().read(existing(n), workload));
                yield fields.build(read::get);
            }
            default -> {
                Field<AcceptanceForm> read =
                        fields.required(form, n -> resources.traces().read(existing(n)));
                yield fields.build(() -> bare(read.get()));
            }
        };
    }

    private Path existing(Node node) {
        Path path = resolve.apply(node.text());
        if (!java.nio.file.Files.isRegularFile(path)) {
            throw node.refuse("no such file: " + node.describe());
        }
        return path;
    }

    private static Map<String, AcceptanceForm> bare(AcceptanceForm form) {
        return Map.of(Workload.BARE, form);
    }

    static CountedAt design(Node node) {
        Fields fields = node.fields();
        if (fields.has("length")) {
            Field<Integer> length = fields.required("length", n -> n.integer(1, MANY));
            return fields.build(() -> new CountedAt.Chain(length.get()));
        }
        Field<Integer> budget = fields.required("budget", n -> n.integer(1, MANY));
        Field<Integer> topK = fields.optional("top_k", n -> n.integer(1, MANY));
        return fields.build(() -> new CountedAt.Tree(budget.get(), topK.or(TreeOptions.UNLIMITED)));
    }

    /** SRT parameters: numbers, or intervals [lo, hi]. */
    static AcceptanceForm srt(Node node) {
        Fields fields = node.fields();
        Field<Parameter> a = fields.required("a", AcceptanceReader::parameter);
        Field<Parameter> b = fields.required("b", AcceptanceReader::parameter);
        Field<Parameter> c1 = fields.required("c1", AcceptanceReader::parameter);
        Field<Parameter> sigma = fields.required("sigma", AcceptanceReader::parameter);
        Field<Parameter> rho = fields.required("rho", AcceptanceReader::parameter);
        Field<Parameter> kappa = fields.required("kappa", AcceptanceReader::parameter);
        Field<Integer> depth = fields.required("depth", n -> n.integer(1, 1024));
        Field<Integer> ranks = fields.required("ranks", n -> n.integer(1, 4096));
        Field<Double> auto = fields.optional("z_autocorrelation", n -> n.number(0, 1));
        Field<Double> share = fields.optional("z_request_share", Node::probability);
        return fields.build(() -> new AcceptanceForm.Srt(
                a.get(),
                b.get(),
                c1.get(),
                sigma.get(),
                rho.get(),
                kappa.get(),
                depth.get(),
                ranks.get(),
                auto.or(0.0),
                share.or(0.0)));
    }

    private static Parameter parameter(Node node) {
        if (!node.isList()) {
            return Parameter.exact(node.number());
        }
        List<Double> ends = node.list(Node::number);
        if (ends.size() != 2) {
            throw node.refuse("an interval needs a lower and an upper end");
        }
        return Parameter.between(ends.get(0), ends.get(1));
    }

    static ForcedAcceptance forced(Node node) {
        Fields fields = node.fields();
        Field<String> law = fields.required("law", n -> n.oneOf(List.of("sglang", "per-request")));
        Field<Double> length = fields.optional("accept_length", Node::number);
        Field<List<Double>> rates = fields.optional("rates", n -> n.nonEmptyList(Node::probability));
        return fields.build(() -> {
            boolean sglang = law.get().equals("sglang");
            if (sglang ? !length.present() : !rates.present()) {
                throw new IllegalArgumentException(
                        "law " + law.get() + " needs " + (sglang ? "accept_length" : "rates"));
            }
            if (sglang ? rates.present() : length.present()) {
                throw new IllegalArgumentException(
                        "law " + law.get() + " has no " + (sglang ? "rates" : "accept_length"));
            }
            return sglang ? new ForcedAcceptance.Sglang(length.get()) : new ForcedAcceptance.PerRequest(rates.get());
        });
    }
}
