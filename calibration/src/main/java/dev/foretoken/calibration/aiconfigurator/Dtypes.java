package dev.foretoken.calibration.aiconfigurator;

import dev.foretoken.formats.document.DocumentError;
import java.util.Map;

/** The package's dtype names and ours, with the bytes that one weight or KV element takes. */
final class Dtypes {
    private static final Map<String, String> NAMES = Map.of(
            "bfloat16", "bf16",
            "fp8", "fp8",
            "fp8_block", "fp8_block",
            "nvfp4", "nvfp4",
            "int4_wo", "int4",
            "w4a16_mxfp4", "mxfp4",
            "w4a8_mxfp4_mxfp8", "mxfp4_mxfp8");
    private static final Map<String, Double> BYTES = Map.of(
            "bf16", 2.0,
            "fp8", 1.0,
            "fp8_block", 1.0,
            "nvfp4", 0.5625, // 4 bits and an 8-bit scale per 16
            "int4", 0.5,
            "mxfp4", 0.53125, // 4 bits and an 8-bit scale per 32
            "mxfp4_mxfp8", 0.53125);

    private Dtypes() {}

    static String ours(String table, String column, String theirs) {
        String name = NAMES.get(theirs);
        if (name == null) {
            throw new DocumentError(
                    table,
                    0,
                    column,
                    "unknown dtype " + theirs + "; known are "
                            + NAMES.keySet().stream().sorted().toList());
        }
        return name;
    }

    static double bytes(String ours) {
        return BYTES.get(ours);
    }
}
