package dev.foretoken.formats.catalogue;

import dev.foretoken.formats.document.Field;
import dev.foretoken.formats.document.Fields;
import dev.foretoken.formats.document.Node;
import dev.foretoken.formats.schema.SchemaVersion;
import dev.foretoken.sim.model.Attention;
import dev.foretoken.sim.model.Dtype;
import java.util.List;

/** What several kinds of catalogue files share. */
final class Parts {
    static final int MANY = 100_000_000;

    private Parts() {}

    static Dtype dtype(Node node) {
        return node.oneOf(Dtype.class);
    }

    static void schema(Fields fields, String schema) {
        fields.required("schema", node -> SchemaVersion.require(node, schema));
    }

    static Field<List<String>> notes(Fields fields) {
        return fields.optional("notes", node -> node.list(Node::text));
    }

    /** Every entry says where its figures come from. */
    static Field<List<String>> sources(Fields fields) {
        return fields.required("sources", node -> node.nonEmptyList(Node::text));
    }

    static Attention attention(Node node) {
        Fields fields = node.fields();
        Field<Integer> heads = fields.required("heads", n -> n.integer(1, MANY));
        Field<Integer> kvHeads = fields.required("kv_heads", n -> n.integer(1, MANY));
        Field<Integer> headDim = fields.required("head_dim", n -> n.integer(1, MANY));
        Field<Boolean> gate = fields.optional("output_gate", Node::bool);
        Field<Integer> sliding = fields.optional("sliding_layers", n -> n.integer(1, MANY));
        Field<Integer> window = fields.optional("sliding_window_tokens", n -> n.integer(1, MANY));
        return fields.build(() ->
                new Attention(heads.get(), kvHeads.get(), headDim.get(), gate.or(false), sliding.or(0), window.or(0)));
    }

    /** Compares a figure that a file gives with what follows from the architecture. */
    static void equal(Node derived, String key, Long written, long computed) {
        if (written != null && written != computed) {
            derived.at(key).report("must be what follows from the architecture, " + computed + ", found " + written);
        }
    }
}
