package dev.foretoken.sim.whitebox;

import dev.foretoken.sim.hardware.Gpu;
import dev.foretoken.sim.hardware.LinkCurve;
import dev.foretoken.sim.hardware.LinkProfile;
import dev.foretoken.sim.method.DraftWork;
import dev.foretoken.sim.model.Attention;
import dev.foretoken.sim.model.Drafter;
import dev.foretoken.sim.model.DrafterKind;
import dev.foretoken.sim.model.Dtype;
import dev.foretoken.sim.model.LinearAttention;
import dev.foretoken.sim.model.Moe;
import dev.foretoken.sim.model.TargetModel;
import dev.foretoken.sim.profile.CardState;
import dev.foretoken.sim.profile.Curve;
import dev.foretoken.sim.profile.CurveFamily;
import dev.foretoken.sim.profile.Op;
import dev.foretoken.sim.profile.Profile;
import dev.foretoken.sim.profile.ProfileSource;
import dev.foretoken.sim.profile.Shape;
import dev.foretoken.sim.round.GraphPadding;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.DoubleUnaryOperator;

/**
 * A card whose kernels follow simple laws, so that rounds can be worked out by hand: DRAM 1 GB/ms (1e6 bytes per us), 1e8 FLOP
 * per us, no launch times but those written here.
 */
final class Synthetic {
    static final double BYTES_PER_US = 1e6;
    static final double FLOPS_PER_US = 1e8;
    static final double[] NO_STAIRS = {};
    static final double[] ROWS = {1, 2, 4, 8, 16, 17, 32, 33, 64, 128, 256, 512, 1024, 4096, 16384};
    static final double[] TOKENS = {1, 16, 64, 256, 512, 1024, 2048, 4096, 8192, 16384, 65536};

    private Synthetic() {}

    static Gpu gpu() {
        return new Gpu(
                "card",
                "Card",
                "sm_120",
                100,
                10_000_000L,
                100_000_000_000L,
                1.0e12,
                1.0e12,
                Map.of(Dtype.BF16, 100e12),
                Map.of(),
                null,
                null,
                600.0,
                List.of(new Gpu.PowerPoint(300, null, 50e12), new Gpu.PowerPoint(600, null, 100e12)),
                new Gpu.Link("pcie", 5, 64e9, true, List.of("link")),
                null,
                List.of(),
                List.of("made up"));
    }

    /** Four layers, two of them recurrent. */
    static TargetModel model() {
        return new TargetModel(
                "toy",
                "Toy",
                2,
                2,
                1024,
                4096,
                new Attention(8, 2, 128, false, 0, 0),
                new LinearAttention(4, 128, 8, 128, 4),
                null,
                32768,
                false,
                1,
                Dtype.BF16,
                null,
                List.of(),
                List.of("made up"));
    }

    static TargetModel mixture() {
        return new TargetModel(
                "toy-moe",
                "Toy mixture",
                2,
                0,
                1024,
                0,
                new Attention(8, 2, 128, false, 0, 0),
                null,
                new Moe(16, 2, 512, 0),
                32768,
                false,
                0,
                Dtype.BF16,
                null,
                List.of(),
                List.of("made up"));
    }

    static Drafter blockDrafter() {
        return new Drafter(
                "toy-dflash",
                "Toy block drafter",
                DrafterKind.DFLASH,
                "toy",
                1,
                1024,
                4096,
                new Attention(8, 2, 128, false, 0, 0),
                2,
                false,
                8,
                0,
                Dtype.BF16,
                List.of(),
                List.of("made up"));
    }

    static LinkProfile link() {
        List<LinkCurve> curves = new ArrayList<>();
        for (int ranks : new int[] {2, 4, 8}) {
            List<LinkCurve.Knot> knots = List.of(
                    new LinkCurve.Knot(1000, 5 + ranks), new LinkCurve.Knot(1_000_000_000, 5 + ranks + 1e9 / 1e5));
            curves.add(new LinkCurve(LinkCurve.Operation.ALL_REDUCE, ranks, "custom", knots, "made up"));
            curves.add(new LinkCurve(LinkCurve.Operation.ALL_GATHER, ranks, "nccl", knots, "made up"));
        }
        return new LinkProfile("link", "Link", curves, List.of(), List.of("made up"));
    }

    static double gemmUs(double n, double k, double m) {
        return Math.max(2 * n * k / BYTES_PER_US, 2 * m * n * k / FLOPS_PER_US);
    }

    static Profile profile(String attentionKernel) {
        List<Curve> gemm = new ArrayList<>();
        Set<Integer> sizes = new TreeSet<>(List.of(64, 256, 512, 1024, 2048, 4096, 8192, 32768, 65536));
        for (int n : sizes) {
            for (int k : sizes) {
                gemm.add(curve(Shape.gemm(n, k), ROWS, m -> gemmUs(n, k, m)));
            }
        }
        List<Curve> generation = new ArrayList<>();
        List<Curve> context = new ArrayList<>();
        for (int tp : new int[] {1, 2, 4, 8}) {
            int heads = Math.max(1, 8 / tp);
            int kv = Math.max(1, 2 / tp);
            for (int b = 1; b <= 256; b *= 2) {
                int batch = b;
                Shape s = Shape.of("batch", b)
                        .and("heads", heads)
                        .and("kv_heads", kv)
                        .and("head_dim", 128)
                        .and("window", 0);
                generation.add(curve(s, TOKENS, t -> 4 + batch * t * kvBytes(kv) / BYTES_PER_US));
                context.add(curve(s, TOKENS, t -> 4 + 2.0 * batch * heads * 128 * t * t / FLOPS_PER_US));
            }
        }
        List<Curve> step = new ArrayList<>();
        List<Curve> chunk = new ArrayList<>();
        for (int tp : new int[] {1, 2, 4}) {
            Shape heads = Shape.of("k_heads", 4 / tp).and("v_heads", 8 / tp).and("head_dim", 128);
            double state = stateBytes(tp);
            step.add(curve(heads, ROWS, n -> 3 + 2 * n * state / BYTES_PER_US));
            for (int b = 1; b <= 64; b *= 2) {
                int batch = b;
                chunk.add(curve(
                        Shape.of("batch", b)
                                .and("k_heads", 4 / tp)
                                .and("v_heads", 8 / tp)
                                .and("head_dim", 128),
                        TOKENS,
                        t -> 10 + 2 * batch * state / BYTES_PER_US + batch * t * 0.01));
            }
        }
        Shape experts = Shape.of("hidden", 1024)
                .and("intermediate", 512)
                .and("experts", 16)
                .and("top_k", 2)
                .and("tp", 1);
        double expert = 2.0 * 3 * 1024 * 512;
        Curve moe = curve(
                experts,
                ROWS,
                m -> 5 + Math.max(Math.min(16, 2 * m) * expert / BYTES_PER_US, 2 * m * expert / FLOPS_PER_US));
        return new Profile(
                "card",
                "sglang",
                "1.0",
                new ProfileSource("synthetic", "1", null, List.of(), false),
                new CardState(null, null, null, null, null),
                List.of(
                        CurveFamily.of(Op.GEMM, "bf16", "linear", "rows", null, gemm),
                        CurveFamily.of(Op.ATTENTION_GENERATION, "bf16", attentionKernel, "kv_tokens", null, generation),
                        CurveFamily.of(Op.ATTENTION_CONTEXT, "bf16", attentionKernel, "tokens", null, context),
                        CurveFamily.of(Op.GDN_STEP, "bf16", "step", "sequences", null, step),
                        CurveFamily.of(Op.GDN_CHUNK, "bf16", "chunk", "tokens", null, chunk),
                        CurveFamily.of(Op.MOE, "bf16", "experts", "tokens", null, List.of(moe))),
                List.of());
    }

    static double kvBytes(int kvHeads) {
        return 2.0 * 2 * kvHeads * 128;
    }

    static double stateBytes(int tp) {
        return 4.0 * 8 / tp * 128 * 128;
    }

    private static Curve curve(Shape shape, double[] at, DoubleUnaryOperator us) {
        double[] y = new double[at.length];
        for (int i = 0; i < at.length; i++) {
            y[i] = us.applyAsDouble(at[i]);
        }
        return Curve.of(shape, at, y, NO_STAIRS);
    }

    static Kernels kernels(String attentionKernel, Double powerLimitW, Mode mode) {
        return Kernels.of(gpu(), profile(attentionKernel), link(), null, null, powerLimitW, mode);
    }

    static Kernels kernels() {
        return kernels("flashinfer", null, Mode.SERVING);
    }

    static RoundShape shape(int width, DraftWork work, boolean overlap) {
        return new RoundShape(
                width,
                work,
                work.kind() == DraftWork.Kind.BLOCK ? blockDrafter() : null,
                null,
                1,
                null,
                false,
                overlap,
                true,
                GraphPadding.NONE,
                HostTerms.PUBLISHED);
    }

    static WhiteBox box(Kernels kernels, int tp, RoundShape shape) {
        return WhiteBox.of(kernels, model(), tp, Dtype.BF16, Dtype.BF16, Dtype.FP32, shape);
    }
}
