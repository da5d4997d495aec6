package dev.foretoken.sim.profile;

import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;

/**
 * The curves of one operation, dtype and kernel. The curves are read when first asked for, once; safe to share between
 * threads.
 */
public final class CurveFamily {
    private final String op;
    private final String dtype;
    private final String kernel;
    private final String axis;
    private final Tile tile;
    private final Supplier<List<Curve>> source;
    private volatile Map<Shape, Curve> curves;

    /**
     * @param op one of {@link Op}
     * @param dtype bf16, fp8, fp8_block, nvfp4, ... as the file says
     * @param kernel the engine's name of the kernel
     * @param axis what the knots count: rows, kv_tokens, sequences, tokens, elements
     * @param tile tile rule of the family, null for none
     * @param source called once for the curves
     */
    public CurveFamily(String op, String dtype, String kernel, String axis, Tile tile, Supplier<List<Curve>> source) {
        this.op = op;
        this.dtype = dtype;
        this.kernel = kernel;
        this.axis = axis;
        this.tile = tile;
        this.source = source;
    }

    /** A family whose curves are at hand. */
    public static CurveFamily of(String op, String dtype, String kernel, String axis, Tile tile, List<Curve> curves) {
        CurveFamily f = new CurveFamily(op, dtype, kernel, axis, tile, () -> curves);
        f.curves();
        return f;
    }

    /** Operation, one of {@link Op}. */
    public String op() {
        return op;
    }

    /** Dtype of the operands. */
    public String dtype() {
        return dtype;
    }

    /** The engine's name of the kernel. */
    public String kernel() {
        return kernel;
    }

    /** What the knots count. */
    public String axis() {
        return axis;
    }

    /** Tile rule, null for none. */
    public Tile tile() {
        return tile;
    }

    /** Every curve, in file order. */
    public Collection<Curve> curves() {
        return byShape().values();
    }

    /** The curve of exactly this shape, null when the family has none. */
    public Curve find(Shape shape) {
        return byShape().get(shape);
    }

    private Map<Shape, Curve> byShape() {
        Map<Shape, Curve> map = curves;
        if (map == null) {
            synchronized (this) {
                map = curves;
                if (map == null) {
                    List<Curve> list = source.get();
                    map = new LinkedHashMap<>(list.size() * 2);
                    for (Curve c : list) {
                        if (map.put(c.shape(), c) != null) {
                            throw new IllegalArgumentException(this + ": two curves of shape " + c.shape());
                        }
                    }
                    curves = map;
                }
            }
        }
        return map;
    }

    @Override
    public String toString() {
        return op + " " + dtype + " " + kernel;
    }
}
