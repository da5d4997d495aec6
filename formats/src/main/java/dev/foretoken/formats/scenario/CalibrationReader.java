package dev.foretoken.formats.scenario;

import dev.foretoken.formats.document.Field;
import dev.foretoken.formats.document.Fields;
import dev.foretoken.formats.document.Node;
import dev.foretoken.sim.round.BlackBoxKnot;
import dev.foretoken.sim.scenario.Calibration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/** Reads {@code calibration}. */
final class CalibrationReader {
    private static final int MOST_ROWS = 100_000_000;

    private CalibrationReader() {}

    static Calibration read(Node node, MethodKeys methodKeys, List<Integer> tps) {
        Fields fields = node.fields();
        fields.synonym("draft_us", "draft_ms")
                .synonym("host_us", "host_ms")
                .synonym("prefill_us_per_token", "prefill_ms_per_token");
        Field<String> profile = fields.optional("profile", Node::text);
        Field<List<BlackBoxKnot>> knots = fields.optional("round_times", n -> knots(n, tps));
        Field<Map<String, Double>> draft = fields.optional("draft_ms", n -> byMethod(n, methodKeys));
        Field<Map<String, Double>> host = fields.optional("host_ms", n -> byMethod(n, methodKeys));
        Field<Double> prefill = fields.optional("prefill_ms_per_token", Node::nonNegative);
        return fields.build(() -> {
            if (knots.present() && profile.present()) {
                throw new IllegalArgumentException("calibration has both profile and round_times: keep one");
            }
            return new Calibration(
                    profile.get(), knots.or(List.of()), draft.or(Map.of()), host.or(Map.of()), prefill.get());
        });
    }

    private static Map<String, Double> byMethod(Node node, MethodKeys methodKeys) {
        return node.isMap()
                ? node.map(key -> methodKeys.check(key, node), Node::nonNegative)
                : Map.of(Calibration.EVERY, node.nonNegative());
    }

    private record Group(Double context, Integer tp) {}

    private static List<BlackBoxKnot> knots(Node node, List<Integer> tps) {
        Map<Group, Integer> last = new HashMap<>();
        List<BlackBoxKnot> knots = node.nonEmptyList(n -> {
            BlackBoxKnot knot = knot(n);
            if (knot.tp() == null && tps.size() > 1) {
                throw n.refuse("with several TP sizes " + tps + " every knot needs tp");
            }
            Integer before = last.put(new Group(knot.contextTokens(), knot.tp()), knot.rows());
            if (before != null && knot.rows() <= before) {
                throw n.refuse(
                        knot.rows() == before
                                ? "rows " + knot.rows() + " occur twice"
                                : "knots must be in ascending order of rows: " + knot.rows() + " after " + before);
            }
            return knot;
        });
        for (int tp : tps) {
            if (knots.stream().noneMatch(k -> k.tp() == null || k.tp() == tp)) {
                throw node.refuse("no knot for tp " + tp);
            }
        }
        boolean contexts = knots.stream().map(BlackBoxKnot::contextTokens).anyMatch(Objects::nonNull);
        if (contexts && knots.stream().anyMatch(k -> k.contextTokens() == null)) {
            throw node.refuse("give context for every knot or for none");
        }
        return knots;
    }

    private static BlackBoxKnot knot(Node node) {
        Fields fields = node.fields();
        fields.synonym("us", "ms")
                .synonym("s", "ms")
                .synonym("concurrency", "rows")
                .synonym("batch", "rows");
        Field<Integer> rows = fields.required("rows", n -> n.integer(1, MOST_ROWS));
        Field<Double> context = fields.optional("context", Node::nonNegative);
        Field<Double> ms = fields.required("ms", Node::positive);
        Field<Integer> tp = fields.optional("tp", n -> n.integer(1, 1024));
        return fields.build(() -> new BlackBoxKnot(rows.get(), context.get(), ms.get(), tp.get()));
    }
}
