package dev.foretoken.formats.scenario;

import dev.foretoken.formats.document.Field;
import dev.foretoken.formats.document.Fields;
import dev.foretoken.formats.document.Node;
import dev.foretoken.sim.scenario.LoadSpec;
import dev.foretoken.sim.scenario.LoadSpec.ThinkTime;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.function.Function;

/** Reads one entry of {@code load}. */
final class LoadReader {
    private static final List<String> KINDS = List.of("closed", "poisson", "gamma", "trace");
    private static final int MOST_CLIENTS = 1_000_000;

    private static final List<String> CLOSED_ONLY = List.of("concurrency", "think_time_ms", "start");

    private LoadReader() {}

    static LoadSpec read(Node node, Function<String, Path> resolve) {
        Fields fields = node.fields();
        fields.synonym("think_time_s", "think_time_ms (milliseconds)")
                .synonym("think_time", "think_time_ms")
                .synonym("rate", "rate_per_s")
                .synonym("qps", "rate_per_s")
                .synonym("request_rate", "rate_per_s")
                .synonym("clients", "concurrency")
                .synonym("max_concurrency", "concurrency");
        Field<String> kind = fields.required("kind", n -> n.oneOf(KINDS));
        if (!kind.usable()) {
            // Without its kind no other key can be judged.
            fields.ignoreUnknown();
            return fields.build(() -> {
                kind.get();
                return null;
            });
        }
        if (!kind.get().equals("closed")) {
            for (String key : CLOSED_ONLY) {
                fields.optional(key, n -> {
                    throw n.refuse("goes with kind: closed, not with " + kind.get());
                });
            }
        }
        return switch (kind.get()) {
            case "closed" -> {
                Field<List<Integer>> clients =
                        fields.required("concurrency", n -> n.axis(e -> e.integer(1, MOST_CLIENTS)));
                Field<ThinkTime> think = fields.optional("think_time_ms", LoadReader::thinkTime);
                Field<String> start = fields.optional("start", n -> n.oneOf(List.of("staggered", "together")));
                yield fields.build(() ->
                        new LoadSpec.Closed(clients.get(), think.or(ThinkTime.NONE), !"together".equals(start.get())));
            }
            case "poisson" -> {
                Field<List<Double>> rate = fields.required("rate_per_s", n -> n.axis(Node::positive));
                yield fields.build(() -> new LoadSpec.Poisson(rate.get()));
            }
            case "gamma" -> {
                Field<List<Double>> rate = fields.required("rate_per_s", n -> n.axis(Node::positive));
                Field<List<Double>> burstiness = fields.required("burstiness", n -> n.axis(Node::positive));
                yield fields.build(() -> new LoadSpec.Gamma(rate.get(), burstiness.get()));
            }
            default -> {
                Field<String> file = fields.required("file", n -> {
                    Path path = resolve.apply(n.text());
                    if (Files.isDirectory(path)) {
                        throw n.refuse("is a folder, not a file: " + n.describe());
                    }
                    if (!Files.isRegularFile(path)) {
                        throw n.refuse("no such file: " + n.describe());
                    }
                    return path.toString();
                });
                yield fields.build(() -> new LoadSpec.Trace(file.get()));
            }
        };
    }

    private static ThinkTime thinkTime(Node node) {
        if (!node.isMap()) {
            return new ThinkTime(ThinkTime.FIXED, node.nonNegative());
        }
        Fields fields = node.fields();
        Field<String> dist = fields.required("dist", n -> n.oneOf(List.of(ThinkTime.EXPONENTIAL, ThinkTime.FIXED)));
        Field<Double> mean = fields.required("mean", Node::nonNegative);
        return fields.build(() -> new ThinkTime(dist.get(), mean.get()));
    }
}
