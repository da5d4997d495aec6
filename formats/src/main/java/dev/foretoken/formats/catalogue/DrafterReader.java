package dev.foretoken.formats.catalogue;

import dev.foretoken.formats.document.Field;
import dev.foretoken.formats.document.Fields;
import dev.foretoken.formats.document.Node;
import dev.foretoken.sim.model.Attention;
import dev.foretoken.sim.model.Drafter;
import dev.foretoken.sim.model.DrafterKind;
import dev.foretoken.sim.model.Dtype;
import java.util.List;

/** Reads {@code drafters/ID.yaml}; {@code derived} is compared with what follows from the architecture. */
final class DrafterReader {
    private DrafterReader() {}

    static Drafter read(Node root) {
        Fields fields = root.fields();
        Parts.schema(fields, CatalogueKind.DRAFTER.schema());
        Field<String> id = fields.required("id", Node::id);
        Field<String> name = fields.required("name", Node::name);
        Field<DrafterKind> kind = fields.required("kind", n -> n.oneOf(DrafterKind.class));
        Field<String> target = fields.required("target", Node::id);
        Field<Integer> layers = fields.required("layers", n -> n.integer(1, Parts.MANY));
        Field<Integer> hidden = fields.required("hidden_size", n -> n.integer(1, Parts.MANY));
        Field<Integer> intermediate = fields.required("intermediate_size", n -> n.integer(1, Parts.MANY));
        Field<Attention> attention = fields.required("attention", Parts::attention);
        Field<Integer> features = fields.optional("target_features", n -> n.integer(1, 1000));
        Field<Boolean> beside = fields.optional("features_beside_embedding", Node::bool);
        Field<Integer> block = fields.optional("block", n -> n.integer(2, 1024));
        Field<Integer> vocab = fields.optional("draft_vocab_size", n -> n.integer(1, Parts.MANY));
        Field<Dtype> weights = fields.required("native_weights", Parts::dtype);
        Field<Derived> derived = fields.optional("derived", DrafterReader::derived);
        Field<List<String>> notes = Parts.notes(fields);
        Field<List<String>> sources = Parts.sources(fields);
        Drafter drafter = fields.build(() -> new Drafter(
                id.get(),
                name.get(),
                kind.get(),
                target.get(),
                layers.get(),
                hidden.get(),
                intermediate.get(),
                attention.get(),
                features.or(0),
                beside.or(false),
                block.or(0),
                vocab.or(0),
                weights.get(),
                notes.or(List.of()),
                sources.get()));
        if (derived.usable()) {
            derived.get().check(derived.node(), drafter);
        }
        return drafter;
    }

    private static Derived derived(Node node) {
        Fields fields = node.fields();
        Field<Long> params = fields.optional("params", n -> n.longInteger(1, Long.MAX_VALUE));
        Field<Long> kv = fields.optional("bf16_kv_bytes_per_token", n -> n.longInteger(1, Long.MAX_VALUE));
        return fields.build(() -> new Derived(params.get(), kv.get()));
    }

    /** Figures that follow from the architecture; null where the file has none. */
    private record Derived(Long params, Long kv) {
        void check(Node node, Drafter drafter) {
            Parts.equal(node, "params", params, drafter.params());
            Parts.equal(node, "bf16_kv_bytes_per_token", kv, drafter.kvBytesPerTokenPerCard(Dtype.BF16, 1));
        }
    }
}
