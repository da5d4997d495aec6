package dev.foretoken.formats.acceptance;

import dev.foretoken.formats.document.Field;
import dev.foretoken.formats.document.Fields;
import dev.foretoken.formats.document.Node;
import dev.foretoken.sim.acceptance.AcceptanceForm;
import dev.foretoken.sim.acceptance.Parameter;
import dev.foretoken.sim.tree.TreeOptions;
import java.util.List;
import java.util.NavigableMap;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Function;

/**
 * Reads one acceptance form: the keys of one row of the acceptance table. What points to a file is left to the caller, who
 * knows where files are looked for.
 */
public final class FormReader {
    public static final String ACCEPT_LENGTH = "accept_length";
    public static final String PER_POSITION = "per_position";
    public static final String HISTOGRAM = "histogram";
    public static final String BY_BUDGET = "accept_length_by_budget";
    public static final String SRT = "srt";

    /** Keys that carry a form's values. */
    public static final List<String> FORMS = List.of(ACCEPT_LENGTH, PER_POSITION, HISTOGRAM, BY_BUDGET, SRT);

    /** Keys that go with a form. */
    public static final List<String> MODIFIERS = List.of("conditional", "extend", "design");

    private static final int MAX_BUDGET = 65_536;
    private static final int MAX_DEPTH = 1_024;

    private FormReader() {}

    /** A map with exactly one form. */
    public static AcceptanceForm read(Node node) {
        Fields fields = node.fields();
        Field<AcceptanceForm> form = read(fields);
        return fields.build(form::get);
    }

    /** The form among keys that a caller reads as well; the keys of forms become valid keys of the map. */
    public static Field<AcceptanceForm> read(Fields fields) {
        Node node = fields.node();
        List<String> given = FORMS.stream().filter(fields::has).toList();
        Field<Double> tokens = fields.optional(ACCEPT_LENGTH, n -> n.number(1, MAX_BUDGET + 1.0));
        Field<List<Double>> positions = fields.optional(PER_POSITION, n -> n.nonEmptyList(Node::probability));
        Field<List<Double>> counts = fields.optional(HISTOGRAM, n -> n.nonEmptyList(Node::nonNegative));
        Field<NavigableMap<Integer, Double>> byBudget = fields.optional(BY_BUDGET, FormReader::byBudget);
        Field<AcceptanceForm> srt = fields.optional(SRT, FormReader::srt);
        Field<Boolean> conditional = fields.optional("conditional", Node::bool);
        Field<String> extend = fields.optional("extend", n -> n.oneOf(Set.of("geometric")));
        Field<AcceptanceForm.CountedAt> design = fields.optional("design", FormReader::design);
        if (given.isEmpty()) {
            return Field.none();
        }
        if (given.size() > 1) {
            node.report("holds several forms, " + String.join(" and ", given) + "; give one");
        }
        String form = given.get(0);
        only(conditional, form, PER_POSITION);
        only(extend, form, PER_POSITION);
        only(design, form, HISTOGRAM);
        return fields.optional(form, value -> switch (form) {
            case ACCEPT_LENGTH -> new AcceptanceForm.AcceptLength(tokens.get());
            case PER_POSITION ->
                conditional.or(false)
                        ? AcceptanceForm.PerPosition.ofConditional(positions.get(), extend.get() != null)
                        : survival(value, positions.get(), extend.get() != null);
            case HISTOGRAM -> {
                if (!design.present()) {
                    throw value.refuse(
                            "a histogram needs the design it was counted at: design: {budget, top_k} or" + " {length}");
                }
                yield new AcceptanceForm.Histogram(counts.get(), design.get());
            }
            case BY_BUDGET -> new AcceptanceForm.AcceptLengthByBudget(byBudget.get());
            default -> srt.get();
        });
    }

    private static void only(Field<?> modifier, String form, String owner) {
        if (modifier.present() && !form.equals(owner)) {
            modifier.node().report("goes with " + owner + ", not with " + form);
        }
    }

    private static AcceptanceForm survival(Node node, List<Double> survival, boolean extend) {
        for (int i = 1; i < survival.size(); i++) {
            if (survival.get(i) > survival.get(i - 1)) {
                throw node.elements()
                        .get(i)
                        .refuse("a survival rate may not rise: " + survival.get(i) + " after " + survival.get(i - 1)
                                + "; conditional rates need conditional: true");
            }
        }
        return new AcceptanceForm.PerPosition(survival, extend);
    }

    private static NavigableMap<Integer, Double> byBudget(Node node) {
        NavigableMap<Integer, Double> tokens =
                new TreeMap<>(node.map(Node.integerKey("a budget", 0, MAX_BUDGET), n -> n.number(1, MAX_BUDGET + 1.0)));
        if (tokens.isEmpty()) {
            throw node.mustBe("a map with at least one budget");
        }
        return tokens;
    }

    private static AcceptanceForm.CountedAt design(Node node) {
        Fields fields = node.fields();
        Field<Integer> length = fields.optional("length", n -> n.integer(1, MAX_DEPTH));
        Field<Integer> budget = fields.optional("budget", n -> n.integer(1, MAX_BUDGET));
        Field<Integer> topK = fields.optional("top_k", n -> n.integer(1, MAX_BUDGET));
        return fields.build(() -> {
            if (length.present() == budget.present() || (length.present() && topK.present())) {
                throw new IllegalArgumentException("needs either length, or budget with or without top_k");
            }
            return length.present()
                    ? new AcceptanceForm.CountedAt.Chain(length.get())
                    : new AcceptanceForm.CountedAt.Tree(budget.get(), topK.or(TreeOptions.UNLIMITED));
        });
    }

    private static AcceptanceForm srt(Node node) {
        Fields fields = node.fields();
        Field<Parameter> a = fields.required("a", FormReader::parameter);
        Field<Parameter> b = fields.required("b", FormReader::parameter);
        Field<Parameter> c1 = fields.required("c1", FormReader::parameter);
        Field<Parameter> sigma = fields.required("sigma", n -> parameter(n, 0, Double.MAX_VALUE));
        Field<Parameter> rho = fields.required("rho", n -> parameter(n, 0, 1));
        Field<Parameter> kappa = fields.required("kappa", n -> parameter(n, 0, 1));
        Field<Integer> depth = fields.required("depth", n -> n.integer(1, MAX_DEPTH));
        Field<Integer> ranks = fields.required("ranks", n -> n.integer(1, MAX_BUDGET));
        Field<Double> autocorrelation = fields.optional("z_autocorrelation", n -> n.number(0, 1));
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
                autocorrelation.or(0.0),
                share.or(0.0)));
    }

    private static Parameter parameter(Node node) {
        return parameter(node, -1e6, 1e6);
    }

    /** A number, an interval {@code [lo, hi]}, or a value with its interval: {@code {value, lo, hi}}. */
    private static Parameter parameter(Node node, double min, double max) {
        Function<Node, Double> number = n -> n.number(min, max);
        if (node.isList()) {
            List<Double> ends = node.list(number);
            if (ends.size() != 2 || ends.get(0) > ends.get(1)) {
                throw node.mustBe("a number or an interval [lo, hi]");
            }
            return Parameter.between(ends.get(0), ends.get(1));
        }
        if (node.isMap()) {
            Fields fields = node.fields();
            Field<Double> value = fields.required("value", number);
            Field<Double> lo = fields.required("lo", number);
            Field<Double> hi = fields.required("hi", number);
            return fields.build(() -> new Parameter(value.get(), lo.get(), hi.get()));
        }
        return Parameter.exact(number.apply(node));
    }
}
