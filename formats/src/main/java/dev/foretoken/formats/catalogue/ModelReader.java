package dev.foretoken.formats.catalogue;

import dev.foretoken.formats.document.Field;
import dev.foretoken.formats.document.Fields;
import dev.foretoken.formats.document.Node;
import dev.foretoken.sim.model.Attention;
import dev.foretoken.sim.model.Dtype;
import dev.foretoken.sim.model.LinearAttention;
import dev.foretoken.sim.model.Moe;
import dev.foretoken.sim.model.TargetModel;
import java.util.List;

/**
 * Reads {@code models/ID.yaml}. Figures under {@code derived} are what a source or arithmetic says follows from the
 * architecture: they are compared with what is computed here, and a difference is refused.
 */
final class ModelReader {
    private ModelReader() {}

    static TargetModel read(Node root) {
        Fields fields = root.fields();
        Parts.schema(fields, CatalogueKind.MODEL.schema());
        Field<String> id = fields.required("id", Node::id);
        Field<String> name = fields.required("name", Node::name);
        Field<Integer> full = fields.required("full_attention_layers", n -> n.integer(0, Parts.MANY));
        Field<Integer> linearLayers = fields.optional("linear_attention_layers", n -> n.integer(1, Parts.MANY));
        Field<Integer> hidden = fields.required("hidden_size", n -> n.integer(1, Parts.MANY));
        Field<Integer> intermediate = fields.optional("intermediate_size", n -> n.integer(1, Parts.MANY));
        Field<Attention> attention = fields.required("attention", Parts::attention);
        Field<LinearAttention> linear = fields.optional("linear_attention", ModelReader::linear);
        Field<Moe> moe = fields.optional("moe", ModelReader::moe);
        Field<Integer> vocab = fields.required("vocab_size", n -> n.integer(1, Parts.MANY));
        Field<Boolean> tied = fields.required("tied_embeddings", Node::bool);
        Field<Integer> mtp = fields.optional("mtp_layers", n -> n.integer(1, 1000));
        Field<Dtype> weights = fields.required("native_weights", Parts::dtype);
        Field<Integer> context = fields.optional("max_context_tokens", n -> n.integer(1, Integer.MAX_VALUE));
        Field<Derived> derived = fields.optional("derived", ModelReader::derived);
        Field<List<String>> notes = Parts.notes(fields);
        Field<List<String>> sources = Parts.sources(fields);
        TargetModel model = fields.build(() -> new TargetModel(
                id.get(),
                name.get(),
                full.get(),
                linearLayers.or(0),
                hidden.get(),
                intermediate.or(0),
                attention.get(),
                linear.get(),
                moe.get(),
                vocab.get(),
                tied.get(),
                mtp.or(0),
                weights.get(),
                context.get(),
                notes.or(List.of()),
                sources.get()));
        if (derived.usable()) {
            derived.get().check(derived.node(), model);
        }
        return model;
    }

    private static LinearAttention linear(Node node) {
        Fields fields = node.fields();
        Field<Integer> keyHeads = fields.required("key_heads", n -> n.integer(1, Parts.MANY));
        Field<Integer> keyDim = fields.required("key_head_dim", n -> n.integer(1, Parts.MANY));
        Field<Integer> valueHeads = fields.required("value_heads", n -> n.integer(1, Parts.MANY));
        Field<Integer> valueDim = fields.required("value_head_dim", n -> n.integer(1, Parts.MANY));
        Field<Integer> kernel = fields.required("conv_kernel", n -> n.integer(1, Parts.MANY));
        return fields.build(() ->
                new LinearAttention(keyHeads.get(), keyDim.get(), valueHeads.get(), valueDim.get(), kernel.get()));
    }

    private static Moe moe(Node node) {
        Fields fields = node.fields();
        Field<Integer> experts = fields.required("experts", n -> n.integer(1, Parts.MANY));
        Field<Integer> topK = fields.required("experts_per_token", n -> n.integer(1, Parts.MANY));
        Field<Integer> intermediate = fields.required("intermediate_size", n -> n.integer(1, Parts.MANY));
        Field<Integer> shared = fields.optional("shared_intermediate_size", n -> n.integer(1, Parts.MANY));
        return fields.build(() -> new Moe(experts.get(), topK.get(), intermediate.get(), shared.or(0)));
    }

    private static Derived derived(Node node) {
        Fields fields = node.fields();
        Field<Long> params = fields.optional("params_read_per_token", n -> n.longInteger(1, Long.MAX_VALUE));
        Field<Long> weights = fields.optional("bf16_weight_bytes", n -> n.longInteger(1, Long.MAX_VALUE));
        Field<Long> kv = fields.optional("bf16_kv_bytes_per_token", n -> n.longInteger(1, Long.MAX_VALUE));
        Field<Long> state = fields.optional("fp32_recurrent_state_bytes", n -> n.longInteger(1, Long.MAX_VALUE));
        Field<Long> conv = fields.optional("bf16_conv_state_bytes", n -> n.longInteger(1, Long.MAX_VALUE));
        Field<Long> mtp = fields.optional("bf16_mtp_bytes", n -> n.longInteger(1, Long.MAX_VALUE));
        return fields.build(
                () -> new Derived(params.get(), weights.get(), kv.get(), state.get(), conv.get(), mtp.get()));
    }

    /** Figures that follow from the architecture; null where the file has none. */
    private record Derived(Long paramsRead, Long weights, Long kv, Long state, Long conv, Long mtp) {
        void check(Node node, TargetModel model) {
            Parts.equal(node, "params_read_per_token", paramsRead, Math.round(model.paramsReadPerPass(1)));
            Parts.equal(node, "bf16_weight_bytes", weights, model.weightBytesPerCard(Dtype.BF16, 1));
            Parts.equal(node, "bf16_kv_bytes_per_token", kv, model.kvBytesPerTokenPerCard(Dtype.BF16, 1));
            Parts.equal(node, "fp32_recurrent_state_bytes", state, model.recurrentStateBytesPerCard(Dtype.FP32, 1));
            Parts.equal(node, "bf16_conv_state_bytes", conv, model.convStateBytesPerCard(1));
            Parts.equal(node, "bf16_mtp_bytes", mtp, model.mtpBytesPerCard(1));
        }
    }
}
