package dev.foretoken.sim.model;

import java.util.Arrays;
import java.util.Locale;

/** Number formats of weights, KV cache and recurrent state. */
public enum Dtype {
    FP32(32),
    BF16(16),
    FP16(16),
    /** E4M3 with scales per tensor or per channel, which are not counted. */
    FP8(8),
    /** E2M1 with one 8-bit scale per 16 values: 4.5 bits. */
    NVFP4(4.5),
    /** E2M1 with one 8-bit scale per 32 values: 4.25 bits. */
    MXFP4(4.25),
    /** Integers with a 16-bit scale and a 4-bit zero point per 128 values (AWQ, GPTQ): 4.15625 bits. */
    INT4(4.15625);

    private final double bits;

    Dtype(double bits) {
        this.bits = bits;
    }

    /** Bytes per value, scales included. */
    public double bytes() {
        return bits / 8;
    }

    /** Bytes of a number of values, rounded up. */
    public long bytes(long values) {
        return (long) Math.ceil(values * bits / 8);
    }

    /** True for formats that only some parts of a model are stored in; the others stay at 16 bits. */
    public boolean quantised() {
        return bits < 16;
    }

    /** How files spell it: lower case. */
    public String id() {
        return name().toLowerCase(Locale.ROOT);
    }

    /**
     * The format that files spell {@code id}.
     *
     * @throws IllegalArgumentException naming the formats when there is none of that name
     */
    public static Dtype of(String id) {
        for (Dtype d : values()) {
            if (d.id().equals(id)) {
                return d;
            }
        }
        throw new IllegalArgumentException("unknown dtype " + id + "; dtypes are "
                + Arrays.stream(values()).map(Dtype::id).toList());
    }
}
