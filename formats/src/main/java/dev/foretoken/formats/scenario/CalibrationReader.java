package dev.foretoken.formats.scenario;

import dev.foretoken.formats.document.Field;
import dev.foretoken.formats.document.Fields;
import dev.foretoken.formats.document.Node;
import dev.foretoken.formats.profile.BlackBoxProfile;
import dev.foretoken.formats.profile.ProfileReader;
import dev.foretoken.sim.profile.Profile;
import dev.foretoken.sim.round.BlackBoxKnot;
import dev.foretoken.sim.scenario.Calibration;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.OptionalDouble;

/** Reads {@code calibration}. */
final class CalibrationReader {
    private static final int MOST_ROWS = 100_000_000;

    private CalibrationReader() {}

    static Calibration read(Node node, MethodKeys methodKeys, List<Integer> tps, Path folder) {
        Fields fields = node.fields();
        fields.synonym("draft_us", "draft_ms")
                .synonym("host_us", "host_ms")
                .synonym("prefill_us_per_token", "prefill_ms_per_token");
        Field<Server> profile = fields.optional("profile", n -> server(n, tps, folder));
        Field<List<BlackBoxKnot>> knots = fields.optional("round_times", n -> knots(n, tps));
        Field<Map<String, Double>> draft = fields.optional("draft_ms", n -> byMethod(n, methodKeys));
        Field<Map<String, Double>> host = fields.optional("host_ms", n -> byMethod(n, methodKeys));
        Field<Double> prefill = fields.optional("prefill_ms_per_token", Node::nonNegative);
        fields.optional("source", Node::text);
        return fields.build(() -> {
            if (knots.present() && profile.present()) {
                throw new IllegalArgumentException("calibration has both profile and round_times: keep one");
            }
            Server server = profile.or(Server.NONE);
            return new Calibration(
                    server.profile(),
                    knots.or(server.knots()),
                    draft.or(server.overhead() == null ? Map.of() : Map.of(Calibration.EVERY, server.overhead())),
                    host.or(server.overhead() == null ? Map.of() : Map.of(Calibration.EVERY, 0.0)),
                    prefill.present() ? prefill.get() : server.prefill());
        });
    }

    /** What {@code profile} names: an id or a file of kernel curves, or a file of a server's rounds with its figures. */
    private record Server(String profile, List<BlackBoxKnot> knots, Double overhead, Double prefill) {
        static final Server NONE = new Server(null, List.of(), null, null);
    }

    private static Server server(Node node, List<Integer> tps, Path folder) {
        String name = node.text();
        Path file = file(name, folder);
        if (file == null) {
            return new Server(name, List.of(), null, null);
        }
        Profile profile = ProfileReader.read(file);
        if (!BlackBoxProfile.isOne(profile)) {
            return new Server(file.toString(), List.of(), null, null);
        }
        List<BlackBoxKnot> knots = BlackBoxProfile.knots(profile);
        for (int tp : tps) {
            if (knots.stream().noneMatch(k -> k.tp() == null || k.tp() == tp)) {
                throw node.refuse("no knot for tp " + tp);
            }
        }
        if (tps.size() > 1 && knots.stream().anyMatch(k -> k.tp() == null)) {
            throw node.refuse("with several TP sizes " + tps + " every knot needs tp");
        }
        OptionalDouble overhead = BlackBoxProfile.overheadMs(profile);
        OptionalDouble prefill = BlackBoxProfile.prefillMsPerToken(profile);
        return new Server(
                null,
                knots,
                overhead.isPresent() ? overhead.getAsDouble() : null,
                prefill.isPresent() ? prefill.getAsDouble() : null);
    }

    /** The file that a name means, beside the scenario or as it stands; null when it is an id. */
    private static Path file(String name, Path folder) {
        try {
            Path beside = folder.resolve(name);
            return Files.isRegularFile(beside) ? beside : Files.isRegularFile(Path.of(name)) ? Path.of(name) : null;
        } catch (InvalidPathException e) {
            return null;
        }
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
