package dev.foretoken.formats.profile;

import com.fasterxml.jackson.core.io.JsonStringEncoder;
import dev.foretoken.formats.io.AtomicFiles;
import dev.foretoken.sim.profile.CardState;
import dev.foretoken.sim.profile.Curve;
import dev.foretoken.sim.profile.CurveFamily;
import dev.foretoken.sim.profile.Profile;
import dev.foretoken.sim.profile.ProfileSource;
import dev.foretoken.sim.profile.Tile;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.zip.Deflater;
import java.util.zip.GZIPOutputStream;

/**
 * Writes {@code foretoken/profile/1}: the same profile gives the same text, one curve a line. A file appears whole or not at
 * all.
 */
public final class ProfileWriter {
    /** Value of {@code schema}. */
    public static final String SCHEMA = "foretoken/profile/1";

    private ProfileWriter() {}

    /** Writes one self-contained file; compressed where its name ends in {@code .gz}. */
    public static void write(Profile profile, Path path) {
        store(path, text(profile, Map.of()));
    }

    /**
     * Writes a profile whose families lie in compressed files of their own, in a folder beside it: {@code NAME.json} and
     * {@code NAME/OP-DTYPE.json.gz}. The profile is written last, so that it never names a part that is not there.
     *
     * @param path ends in {@code .json}
     * @return every file written, the profile last
     */
    public static List<Path> writeInParts(Profile profile, Path path) {
        Map<Path, String> texts = texts(profile, path);
        texts.forEach(ProfileWriter::store);
        return List.copyOf(texts.keySet());
    }

    /** What {@link #writeInParts} writes: text before compression by file, the profile last. */
    public static Map<Path, String> texts(Profile profile, Path path) {
        String file = path.getFileName().toString();
        if (!file.endsWith(".json")) {
            throw new IllegalArgumentException("the name of a profile in parts ends in .json: " + path);
        }
        String folder = file.substring(0, file.length() - ".json".length());
        Map<Path, String> texts = new LinkedHashMap<>();
        Map<CurveFamily, String> parts = new LinkedHashMap<>();
        for (CurveFamily f : profile.families()) {
            String stem = folder + "/" + f.op() + "-" + f.dtype();
            String name = stem + ".json.gz";
            for (int i = 2; parts.containsValue(name); i++) {
                name = stem + "-" + i + ".json.gz";
            }
            parts.put(f, name);
            texts.put(path.resolveSibling(name), text(profile.with(List.of(f)), Map.of()));
        }
        texts.put(path, text(profile, parts));
        return texts;
    }

    private static void store(Path path, String text) {
        try {
            byte[] plain = text.getBytes(StandardCharsets.UTF_8);
            byte[] bytes = path.toString().endsWith(".gz") ? gzip(plain) : plain;
            AtomicFiles.write(path, out -> out.write(bytes));
        } catch (IOException e) {
            throw new UncheckedIOException("cannot write " + path + ": " + e.getMessage(), e);
        }
    }

    private static byte[] gzip(byte[] bytes) throws IOException {
        ByteArrayOutputStream out = new ByteArrayOutputStream(bytes.length / 3 + 64);
        try (OutputStream z = new Gzip(out)) {
            z.write(bytes);
        }
        return out.toByteArray();
    }

    private static String text(Profile p, Map<CurveFamily, String> parts) {
        StringBuilder out = new StringBuilder(1 << 16);
        out.append("{\"schema\":");
        quote(out, SCHEMA);
        field(out, "card", p.card());
        field(out, "engine", p.engine());
        field(out, "version", p.version());
        out.append(",\n\"source\":");
        source(out, p.source());
        out.append(",\n\"state\":");
        state(out, p.state());
        if (!p.notes().isEmpty()) {
            out.append(",\n\"notes\":");
            list(out, p.notes());
        }
        out.append(",\n\"families\":[");
        String comma = "\n";
        for (CurveFamily f : p.families()) {
            out.append(comma);
            comma = ",\n";
            family(out, f, parts.get(f));
        }
        return out.append("\n]}\n").toString();
    }

    private static void source(StringBuilder out, ProfileSource s) {
        out.append("{\"name\":");
        quote(out, s.name());
        field(out, "version", s.version());
        field(out, "licence", s.licence());
        out.append(",\"measured\":").append(s.measured());
        out.append(",\"tables\":");
        list(out, s.tables());
        out.append('}');
    }

    private static void state(StringBuilder out, CardState s) {
        List<String> fields = new ArrayList<>();
        text(fields, "device", s.device());
        number(fields, "sm_clock_mhz", s.smClockMhz());
        number(fields, "memory_clock_mhz", s.memoryClockMhz());
        number(fields, "power_limit_w", s.powerLimitW());
        text(fields, "driver", s.driver());
        out.append('{').append(String.join(",", fields)).append('}');
    }

    private static void text(List<String> fields, String key, String value) {
        if (value != null) {
            StringBuilder s = new StringBuilder();
            quote(s, key);
            s.append(':');
            quote(s, value);
            fields.add(s.toString());
        }
    }

    private static void number(List<String> fields, String key, Double value) {
        if (value != null) {
            StringBuilder s = new StringBuilder();
            quote(s, key);
            s.append(':');
            number(s, value);
            fields.add(s.toString());
        }
    }

    private static void family(StringBuilder out, CurveFamily f, String file) {
        out.append("{\"op\":");
        quote(out, f.op());
        field(out, "dtype", f.dtype());
        field(out, "kernel", f.kernel());
        field(out, "axis", f.axis());
        field(out, "unit", "us");
        Tile t = f.tile();
        if (t != null) {
            out.append(",\"tile\":{\"rows\":").append(t.rows());
            out.append(",\"columns\":").append(t.columns());
            out.append(",\"multiprocessors\":").append(t.multiprocessors());
            out.append(",\"from_rows\":").append(t.fromRows()).append('}');
        }
        if (file != null) {
            field(out, "file", file);
            out.append('}');
            return;
        }
        double[] at = commonKnots(f);
        double[] stairs = commonStairs(f);
        out.append(",\"at\":");
        numbers(out, at);
        if (stairs.length > 0) {
            out.append(",\"stairs\":");
            numbers(out, stairs);
        }
        out.append(",\"curves\":[");
        String comma = "\n";
        for (Curve c : f.curves()) {
            out.append(comma);
            comma = ",\n";
            curve(out, c, at, stairs);
        }
        out.append("]}");
    }

    private static void curve(StringBuilder out, Curve c, double[] commonAt, double[] commonStairs) {
        out.append("{\"shape\":{");
        String comma = "";
        for (Map.Entry<String, Integer> d : c.shape().dims().entrySet()) {
            out.append(comma);
            comma = ",";
            quote(out, d.getKey());
            out.append(':').append(d.getValue());
        }
        out.append('}');
        double[] at = knots(c);
        if (!Arrays.equals(at, commonAt)) {
            out.append(",\"at\":");
            numbers(out, at);
        }
        double[] median = new double[c.size()];
        double[] low = new double[c.size()];
        double[] high = new double[c.size()];
        double[] count = new double[c.size()];
        for (int i = 0; i < c.size(); i++) {
            median[i] = c.medianUs(i);
            low[i] = c.lowUs(i);
            high[i] = c.highUs(i);
            count[i] = c.hasCounts() ? c.count(i) : 0;
        }
        out.append(",\"median\":");
        numbers(out, median);
        if (c.hasIntervals()) {
            out.append(",\"low\":");
            numbers(out, low);
            out.append(",\"high\":");
            numbers(out, high);
        }
        if (c.hasCounts()) {
            out.append(",\"count\":");
            numbers(out, count);
        }
        if (!Arrays.equals(c.stairs(), commonStairs)) {
            out.append(",\"stairs\":");
            numbers(out, c.stairs());
        }
        out.append('}');
    }

    private static double[] knots(Curve c) {
        double[] at = new double[c.size()];
        for (int i = 0; i < at.length; i++) {
            at[i] = c.at(i);
        }
        return at;
    }

    /** Knots that most curves share, so that they are written once. */
    private static double[] commonKnots(CurveFamily f) {
        return mostFrequent(f.curves().stream().map(ProfileWriter::knots).toList());
    }

    private static double[] commonStairs(CurveFamily f) {
        return mostFrequent(f.curves().stream().map(Curve::stairs).toList());
    }

    private static double[] mostFrequent(List<double[]> arrays) {
        Map<String, Integer> counts = new LinkedHashMap<>();
        Map<String, double[]> byText = new LinkedHashMap<>();
        for (double[] a : arrays) {
            String text = Arrays.toString(a);
            counts.merge(text, 1, Integer::sum);
            byText.putIfAbsent(text, a);
        }
        String best = null;
        for (Map.Entry<String, Integer> e : counts.entrySet()) {
            if (best == null || e.getValue() > counts.get(best)) {
                best = e.getKey();
            }
        }
        return byText.get(best);
    }

    private static void field(StringBuilder out, String key, String value) {
        if (value != null) {
            out.append(',');
            quote(out, key);
            out.append(':');
            quote(out, value);
        }
    }

    private static void list(StringBuilder out, List<String> values) {
        out.append('[');
        String comma = "";
        for (String v : values) {
            out.append(comma);
            comma = ",";
            quote(out, v);
        }
        out.append(']');
    }

    private static void numbers(StringBuilder out, double[] values) {
        out.append('[');
        for (int i = 0; i < values.length; i++) {
            if (i > 0) {
                out.append(',');
            }
            number(out, values[i]);
        }
        out.append(']');
    }

    private static void number(StringBuilder out, double v) {
        if (v == Math.rint(v) && Math.abs(v) < 1e15) {
            out.append((long) v);
        } else {
            out.append(new BigDecimal(Double.toString(v)).toPlainString());
        }
    }

    private static void quote(StringBuilder out, String text) {
        out.append('"');
        JsonStringEncoder.getInstance().quoteAsString(text, out);
        out.append('"');
    }

    /** Best compression; the header carries no time, so equal text gives equal bytes. */
    private static final class Gzip extends GZIPOutputStream {
        private Gzip(OutputStream out) throws IOException {
            super(out, 1 << 15);
            def.setLevel(Deflater.BEST_COMPRESSION);
        }
    }
}
