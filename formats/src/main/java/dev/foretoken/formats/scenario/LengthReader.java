package dev.foretoken.formats.scenario;

import dev.foretoken.formats.document.Field;
import dev.foretoken.formats.document.Fields;
import dev.foretoken.formats.document.Node;
import dev.foretoken.sim.scenario.LengthDistribution;
import java.util.List;

/** Prompt and output lengths: a number of tokens, or a map with {@code dist}. */
final class LengthReader {
    /** Longest prompt or answer that is taken seriously, tokens. */
    static final int LONGEST = 10_000_000;

    private static final List<String> KINDS = List.of("fixed", "uniform", "lognormal", "empirical");

    private LengthReader() {}

    static LengthDistribution read(Node node) {
        if (!node.isMap()) {
            return new LengthDistribution.Fixed(node.integer(1, LONGEST));
        }
        Fields fields = node.fields();
        Field<String> dist = fields.required("dist", n -> n.oneOf(KINDS));
        if (!dist.usable()) {
            fields.ignoreUnknown();
            return fields.build(() -> {
                dist.get();
                return null;
            });
        }
        return switch (dist.get()) {
            case "fixed" -> {
                Field<Integer> mean = fields.required("mean", n -> n.integer(1, LONGEST));
                yield fields.build(() -> new LengthDistribution.Fixed(mean.get()));
            }
            case "uniform" -> {
                Field<Integer> min = fields.required("min", n -> n.integer(1, LONGEST));
                Field<Integer> max = fields.required("max", n -> n.integer(1, LONGEST));
                yield fields.build(() -> new LengthDistribution.Uniform(min.get(), max.get()));
            }
            case "lognormal" -> {
                Field<Double> mean = fields.required("mean", n -> n.number(1, LONGEST));
                Field<Double> cv = fields.required("cv", Node::positive);
                yield fields.build(() -> lognormal(mean.get(), cv.get()));
            }
            default -> {
                Field<List<Integer>> lengths =
                        fields.required("lengths", n -> n.nonEmptyList(e -> e.integer(1, LONGEST)));
                Field<List<Double>> weights = fields.optional("weights", n -> n.nonEmptyList(Node::nonNegative));
                yield fields.build(() -> new LengthDistribution.Empirical(lengths.get(), weights.get()));
            }
        };
    }

    private static LengthDistribution lognormal(double mean, double cv) {
        LengthDistribution.Lognormal law = new LengthDistribution.Lognormal(mean, cv);
        if (law.max() > LONGEST) {
            throw new IllegalArgumentException("lengths with mean " + mean + " and cv " + cv + " reach beyond "
                    + LONGEST + " tokens: use a smaller cv");
        }
        return law;
    }
}
