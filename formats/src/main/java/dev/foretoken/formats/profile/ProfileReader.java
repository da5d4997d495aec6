package dev.foretoken.formats.profile;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.core.StreamReadFeature;
import dev.foretoken.formats.document.DocumentError;
import dev.foretoken.formats.schema.SchemaVersion;
import dev.foretoken.sim.profile.CardState;
import dev.foretoken.sim.profile.Curve;
import dev.foretoken.sim.profile.CurveFamily;
import dev.foretoken.sim.profile.Profile;
import dev.foretoken.sim.profile.ProfileSource;
import dev.foretoken.sim.profile.Shape;
import dev.foretoken.sim.profile.Tile;
import java.io.BufferedInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.Supplier;
import java.util.zip.GZIPInputStream;
import java.util.zip.ZipException;

/**
 * Reads {@code foretoken/profile/1}. Streams, because a profile holds some hundred thousand numbers; errors name file, line,
 * key and value. Unknown fields are ignored, a newer major version of the format is refused.
 */
public final class ProfileReader {
    /** Largest size of one profile file after decompression, bytes. */
    private static final long MAX_BYTES = 512_000_000L;

    private static final double[] NONE = {};
    private static final JsonFactory JSON = JsonFactory.builder()
            .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
            .build();

    private final Input input;
    private final String name;
    private final JsonParser json;
    private String key = "";

    private ProfileReader(Input input, JsonParser json) {
        this.input = input;
        this.name = input.name();
        this.json = json;
    }

    /** A profile file, wherever it lies. */
    interface Input {
        /** How messages call it. */
        String name();

        /** Opens it. */
        InputStream open() throws IOException;

        /**
         * A file that the profile names.
         *
         * @param relative path from the profile's folder, with slashes
         * @throws IllegalArgumentException when it does not lie beside or below the profile
         */
        Input beside(String relative);
    }

    /**
     * Reads a profile. Parts in files of their own are read when first used.
     *
     * @throws DocumentError when the file is not a profile of a known version, or a value cannot be
     */
    public static Profile read(Path path) {
        return read(new InFolder(path));
    }

    static Profile read(Input input) {
        return parse(input, r -> r.document(null));
    }

    private static Profile parse(Input input, Reading reading) {
        String name = input.name();
        try (InputStream in = open(input);
                JsonParser json = JSON.createParser(in)) {
            ProfileReader reader = new ProfileReader(input, json);
            try {
                return reading.read(reader);
            } catch (JsonProcessingException e) {
                throw reader.fail("is not well-formed JSON: " + e.getOriginalMessage());
            } catch (EOFException | ZipException e) {
                throw reader.fail("is truncated or damaged: " + e.getMessage());
            } catch (IllegalArgumentException e) {
                throw reader.fail(e.getMessage());
            }
        } catch (NoSuchFileException e) {
            throw new DocumentError(name, 0, "", "no such file");
        } catch (EOFException | ZipException e) {
            throw new DocumentError(name, 0, "", "is truncated or damaged: " + e.getMessage());
        } catch (IOException e) {
            throw new DocumentError(name, 0, "", "cannot be read: " + e.getMessage());
        }
    }

    private static InputStream open(Input input) throws IOException {
        BufferedInputStream in = new BufferedInputStream(input.open(), 1 << 16);
        in.mark(2);
        int a = in.read();
        int b = in.read();
        in.reset();
        if (a < 0) {
            in.close();
            throw new DocumentError(input.name(), 0, "", "is empty");
        }
        return new Limited(a == 0x1f && b == 0x8b ? new GZIPInputStream(in, 1 << 15) : in, input.name());
    }

    private record InFolder(Path path) implements Input {
        @Override
        public String name() {
            return path.toString();
        }

        @Override
        public InputStream open() throws IOException {
            if (Files.isDirectory(path)) {
                throw new DocumentError(name(), 0, "", "is a directory, not a file");
            }
            return Files.newInputStream(path);
        }

        @Override
        public Input beside(String relative) {
            Path folder = path.toAbsolutePath().normalize().getParent();
            Path file = folder.resolve(relative).normalize();
            if (!file.startsWith(folder)) {
                throw new IllegalArgumentException("must lie beside the profile, found \"" + relative + '"');
            }
            return new InFolder(file);
        }
    }

    private interface Reading {
        Profile read(ProfileReader reader) throws IOException;
    }

    /** A whole document; {@code part} is the family whose curves are wanted, null for the profile itself. */
    private Profile document(FamilyHeader part) throws IOException {
        Header header = new Header();
        List<CurveFamily> families = new ArrayList<>();
        expect(json.nextToken(), JsonToken.START_OBJECT, "an object");
        while (json.nextToken() == JsonToken.FIELD_NAME) {
            key = json.currentName();
            json.nextToken();
            switch (key) {
                case "schema" -> schema(text());
                case "card" -> header.card = text();
                case "engine" -> header.engine = text();
                case "version" -> header.version = text();
                case "source" -> header.source = source();
                case "state" -> header.state = state();
                case "notes" -> header.notes = texts();
                case "families" -> {
                    requireSchema();
                    expect(json.currentToken(), JsonToken.START_ARRAY, "a list");
                    while (json.nextToken() != JsonToken.END_ARRAY) {
                        families.add(family(header, part));
                    }
                }
                default -> json.skipChildren();
            }
        }
        if (json.nextToken() != null) {
            throw fail("has more than one JSON value");
        }
        key = "";
        requireSchema();
        if (header.source == null) {
            throw missing("source");
        }
        if (header.card == null || header.engine == null) {
            throw missing(header.card == null ? "card" : "engine");
        }
        return new Profile(
                header.card,
                header.engine,
                header.version,
                header.source,
                header.state == null ? new CardState(null, null, null, null, null) : header.state,
                families,
                header.notes);
    }

    private boolean schemaSeen;

    private void schema(String value) {
        String problem = SchemaVersion.problem(value, ProfileWriter.SCHEMA);
        if (problem != null) {
            throw fail(problem);
        }
        schemaSeen = true;
    }

    private void requireSchema() {
        if (!schemaSeen) {
            throw missing("schema");
        }
    }

    private ProfileSource source() throws IOException {
        expect(json.currentToken(), JsonToken.START_OBJECT, "an object");
        String source = null;
        String version = null;
        String licence = null;
        boolean measured = false;
        List<String> tables = List.of();
        while (json.nextToken() == JsonToken.FIELD_NAME) {
            key = "source." + json.currentName();
            json.nextToken();
            switch (json.currentName()) {
                case "name" -> source = text();
                case "version" -> version = text();
                case "licence" -> licence = text();
                case "measured" -> measured = bool();
                case "tables" -> tables = texts();
                default -> json.skipChildren();
            }
        }
        key = "source";
        return new ProfileSource(source, version, licence, tables, measured);
    }

    private CardState state() throws IOException {
        expect(json.currentToken(), JsonToken.START_OBJECT, "an object");
        String device = null;
        Double smClock = null;
        Double memoryClock = null;
        Double power = null;
        String driver = null;
        while (json.nextToken() == JsonToken.FIELD_NAME) {
            key = "state." + json.currentName();
            json.nextToken();
            switch (json.currentName()) {
                case "device" -> device = text();
                case "sm_clock_mhz" -> smClock = number();
                case "memory_clock_mhz" -> memoryClock = number();
                case "power_limit_w" -> power = number();
                case "driver" -> driver = text();
                default -> json.skipChildren();
            }
        }
        key = "state";
        return new CardState(device, smClock, memoryClock, power, driver);
    }

    private CurveFamily family(Header header, FamilyHeader part) throws IOException {
        expect(json.currentToken(), JsonToken.START_OBJECT, "an object");
        FamilyHeader f = new FamilyHeader();
        List<Curve> curves = null;
        while (json.nextToken() == JsonToken.FIELD_NAME) {
            key = "families." + json.currentName();
            json.nextToken();
            switch (json.currentName()) {
                case "op" -> f.op = text();
                case "dtype" -> f.dtype = text();
                case "kernel" -> f.kernel = text();
                case "axis" -> f.axis = text();
                case "unit" -> {
                    String unit = text();
                    if (!unit.equals("us")) {
                        throw fail("must be us, found \"" + unit + '"');
                    }
                }
                case "tile" -> f.tile = tile();
                case "at" -> f.at = numbers();
                case "stairs" -> f.stairs = numbers();
                case "file" -> f.file = text();
                case "curves" -> curves = curves(f);
                default -> json.skipChildren();
            }
        }
        key = "families";
        if (f.op == null || f.dtype == null || f.kernel == null || f.axis == null) {
            throw missing(f.op == null ? "op" : f.dtype == null ? "dtype" : f.kernel == null ? "kernel" : "axis");
        }
        if ((curves == null) == (f.file == null)) {
            throw fail(f + " needs either curves or the file that holds them");
        }
        if (curves != null && curves.isEmpty()) {
            throw fail(f + " has no curves");
        }
        if (part != null && (curves == null || !part.sameAs(f))) {
            throw fail("holds " + f + " where " + part + " was expected");
        }
        if (curves != null) {
            return CurveFamily.of(f.op, f.dtype, f.kernel, f.axis, f.tile, curves);
        }
        return new CurveFamily(f.op, f.dtype, f.kernel, f.axis, f.tile, part(header, f));
    }

    private Supplier<List<Curve>> part(Header header, FamilyHeader f) {
        Input file = input.beside(f.file);
        String card = header.card;
        String engine = header.engine;
        return () -> {
            Profile read = parse(file, r -> r.document(f));
            if (!read.card().equals(card) || !read.engine().equals(engine)) {
                throw new DocumentError(
                        file.name(),
                        0,
                        "card",
                        "is a part of " + read.card() + "/" + read.engine() + ", not of " + card + "/" + engine);
            }
            return List.copyOf(read.families().get(0).curves());
        };
    }

    private Tile tile() throws IOException {
        expect(json.currentToken(), JsonToken.START_OBJECT, "an object");
        int rows = 0;
        int columns = 0;
        int multiprocessors = 0;
        int fromRows = 0;
        while (json.nextToken() == JsonToken.FIELD_NAME) {
            key = "families.tile." + json.currentName();
            json.nextToken();
            switch (json.currentName()) {
                case "rows" -> rows = integer();
                case "columns" -> columns = integer();
                case "multiprocessors" -> multiprocessors = integer();
                case "from_rows" -> fromRows = integer();
                default -> json.skipChildren();
            }
        }
        return new Tile(rows, columns, multiprocessors, fromRows);
    }

    private List<Curve> curves(FamilyHeader f) throws IOException {
        expect(json.currentToken(), JsonToken.START_ARRAY, "a list");
        List<Curve> curves = new ArrayList<>();
        while (json.nextToken() != JsonToken.END_ARRAY) {
            curves.add(curve(f));
        }
        return curves;
    }

    private Curve curve(FamilyHeader f) throws IOException {
        expect(json.currentToken(), JsonToken.START_OBJECT, "an object");
        Shape shape = Shape.NONE;
        double[] at = f.at;
        double[] median = null;
        double[] low = null;
        double[] high = null;
        int[] count = null;
        double[] stairs = f.stairs;
        while (json.nextToken() == JsonToken.FIELD_NAME) {
            String field = json.currentName();
            key = "families.curves." + field;
            json.nextToken();
            switch (field) {
                case "shape" -> shape = shape();
                case "at" -> at = numbers();
                case "median" -> median = numbers();
                case "low" -> low = numbers();
                case "high" -> high = numbers();
                case "count" -> count = integers();
                case "stairs" -> stairs = numbers();
                default -> json.skipChildren();
            }
        }
        key = "families.curves";
        if (at == null || median == null) {
            throw missing(at == null ? "at" : "median");
        }
        return Curve.of(shape, at, median, low, high, count, stairs);
    }

    private Shape shape() throws IOException {
        expect(json.currentToken(), JsonToken.START_OBJECT, "an object");
        Shape shape = Shape.NONE;
        while (json.nextToken() == JsonToken.FIELD_NAME) {
            String dim = json.currentName();
            json.nextToken();
            shape = shape.and(dim, integer());
        }
        return shape;
    }

    // ---- scalars and lists ----

    private String text() throws IOException {
        if (json.currentToken() != JsonToken.VALUE_STRING) {
            throw mustBe("text");
        }
        return json.getText();
    }

    private boolean bool() throws IOException {
        if (!json.currentToken().isBoolean()) {
            throw mustBe("true or false");
        }
        return json.getBooleanValue();
    }

    private double number() throws IOException {
        if (!json.currentToken().isNumeric()) {
            throw mustBe("a number");
        }
        double v = json.getDoubleValue();
        if (!Double.isFinite(v)) {
            throw mustBe("a finite number");
        }
        return v;
    }

    private int integer() throws IOException {
        double v = number();
        if (v != Math.rint(v) || Math.abs(v) > Integer.MAX_VALUE) {
            throw mustBe("a whole number");
        }
        return (int) v;
    }

    private List<String> texts() throws IOException {
        expect(json.currentToken(), JsonToken.START_ARRAY, "a list");
        List<String> list = new ArrayList<>();
        while (json.nextToken() != JsonToken.END_ARRAY) {
            list.add(text());
        }
        return list;
    }

    private double[] numbers() throws IOException {
        expect(json.currentToken(), JsonToken.START_ARRAY, "a list");
        double[] values = new double[80];
        int n = 0;
        while (json.nextToken() != JsonToken.END_ARRAY) {
            if (n == values.length) {
                values = Arrays.copyOf(values, 2 * n);
            }
            values[n++] = number();
        }
        return Arrays.copyOf(values, n);
    }

    private int[] integers() throws IOException {
        double[] values = numbers();
        int[] whole = new int[values.length];
        for (int i = 0; i < values.length; i++) {
            if (values[i] != Math.rint(values[i]) || Math.abs(values[i]) > Integer.MAX_VALUE) {
                throw fail("must hold whole numbers, found " + values[i]);
            }
            whole[i] = (int) values[i];
        }
        return whole;
    }

    // ---- errors ----

    private void expect(JsonToken found, JsonToken wanted, String what) throws IOException {
        if (found != wanted) {
            throw mustBe(what);
        }
    }

    private DocumentError mustBe(String what) throws IOException {
        String found = json.currentToken() == null ? "the end of the file" : json.getText();
        return fail("must be " + what + ", found " + (found.length() > 60 ? found.substring(0, 57) + "..." : found));
    }

    private DocumentError missing(String field) {
        String where = key.isEmpty() ? field : key + "." + field;
        return new DocumentError(name, line(), where, "required key is missing");
    }

    private DocumentError fail(String message) {
        return new DocumentError(name, line(), key, message);
    }

    private int line() {
        return Math.max(0, json.currentLocation().getLineNr());
    }

    private static final class Header {
        private String card;
        private String engine;
        private String version;
        private ProfileSource source;
        private CardState state;
        private List<String> notes = List.of();
    }

    private static final class FamilyHeader {
        private String op;
        private String dtype;
        private String kernel;
        private String axis;
        private Tile tile;
        private double[] at;
        private double[] stairs = NONE;
        private String file;

        private boolean sameAs(FamilyHeader o) {
            return op.equals(o.op) && dtype.equals(o.dtype) && kernel.equals(o.kernel) && axis.equals(o.axis);
        }

        @Override
        public String toString() {
            return op + " " + dtype + " " + kernel;
        }
    }

    /** Stops reading where a file, once decompressed, is larger than any profile. */
    private static final class Limited extends java.io.FilterInputStream {
        private final String name;
        private long left = MAX_BYTES;

        private Limited(InputStream in, String name) {
            super(in);
            this.name = name;
        }

        @Override
        public int read() throws IOException {
            int b = in.read();
            count(b < 0 ? 0 : 1);
            return b;
        }

        @Override
        public int read(byte[] b, int off, int len) throws IOException {
            int n = in.read(b, off, len);
            count(Math.max(0, n));
            return n;
        }

        private void count(int n) {
            left -= n;
            if (left < 0) {
                throw new DocumentError(name, 0, "", "is too large: at most " + MAX_BYTES + " bytes are read");
            }
        }
    }
}
