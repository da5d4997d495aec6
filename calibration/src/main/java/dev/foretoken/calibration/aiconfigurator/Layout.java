package dev.foretoken.calibration.aiconfigurator;

import dev.foretoken.calibration.aiconfigurator.Finding.Action;
import dev.foretoken.formats.document.DocumentError;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;

/** Columns that every table has, and what they must say. */
final class Layout {
    static final Map<String, Class<?>> COMMON = new LinkedHashMap<>();

    static {
        COMMON.put("framework", String.class);
        COMMON.put("version", String.class);
        COMMON.put("device", String.class);
        COMMON.put("op_name", String.class);
        COMMON.put("kernel_source", String.class);
        COMMON.put("latency", Double.class);
    }

    private Layout() {}

    /**
     * Checks that a table holds timings of the card and engine version that its path names.
     *
     * @param path {@code SYSTEM/FAMILY/FRAMEWORK/VERSION/TABLE}
     * @return rows to use: those of another version are left out and listed
     * @throws DocumentError when the table is another card's or engine's
     */
    static boolean[] check(ParquetTable t, String path, Cards.Card card, Findings findings) {
        String[] parts = path.split("/");
        String framework = parts[2];
        String version = parts[3];
        for (String device : t.distinct("device")) {
            if (!device.contains(card.device())) {
                throw new DocumentError(
                        t.name(), 0, "device", "must be timings of " + card.device() + ", found " + device);
            }
        }
        if (!framework.equals("nccl")) {
            for (String f : t.distinct("framework")) {
                if (!f.toLowerCase(Locale.ROOT).equals(framework)) {
                    throw new DocumentError(
                            t.name(), 0, "framework", "must be timings under " + framework + ", found " + f);
                }
            }
        }
        boolean[] use = new boolean[t.rows()];
        int used = 0;
        for (int i = 0; i < use.length; i++) {
            String v = t.text("version", i);
            use[i] = v.equals(version);
            if (use[i]) {
                used++;
            } else {
                findings.add(
                        t.name(), "version " + v, 1, Action.REJECTED, "of another version than the table's " + version);
            }
        }
        if (used == 0) {
            throw new DocumentError(
                    t.name(),
                    0,
                    "version",
                    "must be timings of " + version + ", found " + String.join(", ", t.distinct("version")));
        }
        return use;
    }
}
