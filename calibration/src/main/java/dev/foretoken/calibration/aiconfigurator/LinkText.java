package dev.foretoken.calibration.aiconfigurator;

import dev.foretoken.sim.hardware.LinkCurve;
import dev.foretoken.sim.hardware.LinkProfile;
import java.math.BigDecimal;
import java.util.List;
import java.util.Locale;

/** A link profile as a catalogue file, {@code foretoken/link/1}. */
public final class LinkText {
    private LinkText() {}

    static String of(LinkProfile link) {
        return of(
                link,
                "Written by `calibrate import aiconfigurator`; times are medians of the tables named in `source`.");
    }

    /**
     * The text of a catalogue file.
     *
     * @param comment its first line
     */
    public static String of(LinkProfile link, String comment) {
        StringBuilder out = new StringBuilder();
        out.append("# ").append(comment).append('\n');
        out.append("schema: foretoken/link/1\n");
        out.append("id: ").append(link.id()).append('\n');
        out.append("name: ").append(quote(link.name())).append('\n');
        out.append("curves:\n");
        for (LinkCurve c : link.curves()) {
            out.append("  - operation: ")
                    .append(c.operation().name().toLowerCase(Locale.ROOT))
                    .append('\n');
            out.append("    ranks: ").append(c.ranks()).append('\n');
            out.append("    implementation: ").append(c.implementation()).append('\n');
            out.append("    source: ").append(quote(c.source())).append('\n');
            out.append("    knots:\n");
            for (LinkCurve.Knot k : c.knots()) {
                out.append("      - {bytes: ")
                        .append(k.bytes())
                        .append(", us: ")
                        .append(new BigDecimal(Double.toString(k.us()))
                                .stripTrailingZeros()
                                .toPlainString())
                        .append("}\n");
            }
        }
        list(out, "notes", link.notes());
        list(out, "sources", link.sources());
        return out.toString();
    }

    private static void list(StringBuilder out, String key, List<String> values) {
        if (!values.isEmpty()) {
            out.append(key).append(":\n");
            values.forEach(v -> out.append("  - ").append(quote(v)).append('\n'));
        }
    }

    private static String quote(String text) {
        return '"' + text.replace("\\", "\\\\").replace("\"", "\\\"") + '"';
    }
}
