package dev.foretoken.formats.catalogue;

import dev.foretoken.formats.document.Field;
import dev.foretoken.formats.document.Fields;
import dev.foretoken.formats.document.Node;
import dev.foretoken.sim.hardware.LinkCurve;
import dev.foretoken.sim.hardware.LinkCurve.Operation;
import dev.foretoken.sim.hardware.LinkProfile;
import java.util.List;
import java.util.Map;

/** Reads {@code links/ID.yaml}. */
final class LinkReader {
    private static final Map<String, Operation> OPERATIONS =
            Map.of("all_reduce", Operation.ALL_REDUCE, "all_gather", Operation.ALL_GATHER, "peer", Operation.PEER);

    private LinkReader() {}

    static LinkProfile read(Node root) {
        Fields fields = root.fields();
        Parts.schema(fields, CatalogueKind.LINK.schema());
        Field<String> id = fields.required("id", Node::id);
        Field<String> name = fields.required("name", Node::name);
        Field<List<LinkCurve>> curves = fields.required("curves", n -> n.list(LinkReader::curve));
        Field<List<String>> notes = Parts.notes(fields);
        Field<List<String>> sources = Parts.sources(fields);
        return fields.build(
                () -> new LinkProfile(id.get(), name.get(), curves.get(), notes.or(List.of()), sources.get()));
    }

    private static LinkCurve curve(Node node) {
        Fields fields = node.fields();
        Field<Operation> operation = fields.required("operation", n -> n.oneOf(OPERATIONS));
        Field<Integer> ranks = fields.required("ranks", n -> n.integer(2, 1024));
        Field<String> implementation = fields.required("implementation", Node::id);
        Field<List<LinkCurve.Knot>> knots = fields.required("knots", n -> n.nonEmptyList(LinkReader::knot));
        Field<String> source = fields.required("source", Node::text);
        return fields.build(
                () -> new LinkCurve(operation.get(), ranks.get(), implementation.get(), knots.get(), source.get()));
    }

    private static LinkCurve.Knot knot(Node node) {
        Fields fields = node.fields();
        Field<Long> bytes = fields.required("bytes", n -> n.longInteger(1, Long.MAX_VALUE));
        Field<Double> us = fields.required("us", Node::positive);
        return fields.build(() -> new LinkCurve.Knot(bytes.get(), us.get()));
    }
}
