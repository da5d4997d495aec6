package dev.foretoken.calibration.timings;

import dev.foretoken.formats.io.AtomicFiles;
import dev.foretoken.formats.json.Json;
import dev.foretoken.sim.model.Attention;
import dev.foretoken.sim.model.Drafter;
import dev.foretoken.sim.model.DrafterKind;
import dev.foretoken.sim.model.Gemm;
import dev.foretoken.sim.model.LinearAttention;
import dev.foretoken.sim.model.Part;
import dev.foretoken.sim.model.TargetModel;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * {@code foretoken/shapes/1}: what the timing tool times for a model, one card's share at each tensor-parallel degree. Written
 * from the catalogue, so that timings and predictions use the same shapes.
 */
public final class ShapesFile {
    /** Value of {@code schema}. */
    public static final String SCHEMA = "foretoken/shapes/1";

    private ShapesFile() {}

    /**
     * Writes the shapes.
     *
     * @param tps tensor-parallel degrees, each one that divides the model's heads
     * @param drafter a block drafter whose pass is timed as a whole; null for none
     * @throws IllegalArgumentException when a degree does not fit the model
     */
    public static void write(Path file, TargetModel model, List<Integer> tps, Drafter drafter) throws IOException {
        AtomicFiles.write(file, text(model, tps, drafter));
    }

    /** The text of {@link #write}. */
    public static String text(TargetModel model, List<Integer> tps, Drafter drafter) {
        if (tps.isEmpty()) {
            throw new IllegalArgumentException("no tensor-parallel degree was given");
        }
        Map<String, Object> root = new LinkedHashMap<>();
        root.put("schema", SCHEMA);
        root.put("model", model.id());
        List<Map<String, Object>> shapes = new ArrayList<>();
        for (int tp : tps) {
            model.whyNotTp(tp).ifPresent(why -> {
                throw new IllegalArgumentException(why);
            });
            shapes.add(shapes(model, tp, drafter));
        }
        root.put("shapes", shapes);
        return Json.pretty(root);
    }

    private static Map<String, Object> shapes(TargetModel model, int tp, Drafter drafter) {
        Map<String, Object> s = new LinkedHashMap<>();
        s.put("tp", tp);
        s.put("hidden", model.hidden());
        int width = model.moe() == null ? model.intermediate() : model.moe().intermediate();
        s.put("intermediate", Math.max(1, width / tp));
        s.put("vocab", model.vocab());
        s.put("layers", Math.max(1, model.fullAttentionLayers()));
        List<Map<String, Object>> gemms = new ArrayList<>();
        Set<List<Integer>> seen = new LinkedHashSet<>();
        for (Gemm g : model.gemms(tp)) {
            // experts are timed by engines' grouped kernels, not as single products
            if (g.part() != Part.EXPERT && seen.add(List.of(g.n(), g.k()))) {
                Map<String, Object> one = new LinkedHashMap<>();
                one.put("role", g.name());
                one.put("n", g.n());
                one.put("k", g.k());
                gemms.add(one);
            }
        }
        s.put("gemm", gemms);
        if (model.fullAttentionLayers() > 0) {
            s.put("attention", attention(model.attention(), tp));
        }
        if (model.linear() != null) {
            s.put("gdn", linear(model.linear(), tp));
        }
        if (drafter != null && drafter.kind() == DrafterKind.DFLASH && tp == 1) {
            Map<String, Object> d = new LinkedHashMap<>();
            d.put("layers", drafter.layers());
            d.put("block", drafter.block());
            d.put("hidden", drafter.hidden());
            d.put("intermediate", drafter.intermediate());
            d.putAll(attention(drafter.attention(), 1));
            d.put("vocab", drafter.draftVocab() > 0 ? drafter.draftVocab() : model.vocab());
            s.put("draft", d);
        }
        return s;
    }

    private static Map<String, Object> attention(Attention a, int tp) {
        Map<String, Object> m = new LinkedHashMap<>();
        m.put("hq", a.heads() / tp);
        m.put("hkv", a.kvHeadsPerCard(tp));
        m.put("head_dim", a.headDim());
        return m;
    }

    private static Map<String, Object> linear(LinearAttention l, int tp) {
        Map<String, Object> m = new LinkedHashMap<>();
        int keys = l.keyHeads() / tp;
        int values = l.valueHeads() / tp;
        m.put("hk", keys);
        m.put("hv", values);
        m.put("dk", l.keyHeadDim());
        m.put("dv", l.valueHeadDim());
        m.put("conv_channels", 2 * keys * l.keyHeadDim() + values * l.valueHeadDim());
        m.put("conv_width", l.convKernel());
        return m;
    }
}
