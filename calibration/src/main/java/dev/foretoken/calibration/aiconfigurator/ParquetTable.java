package dev.foretoken.calibration.aiconfigurator;

import dev.foretoken.formats.document.DocumentError;
import dev.foretoken.formats.document.Nearest;
import java.io.IOException;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.parquet.ParquetReadOptions;
import org.apache.parquet.column.ColumnDescriptor;
import org.apache.parquet.column.ColumnReader;
import org.apache.parquet.column.impl.ColumnReadStoreImpl;
import org.apache.parquet.column.page.PageReadStore;
import org.apache.parquet.conf.PlainParquetConfiguration;
import org.apache.parquet.example.DummyRecordConverter;
import org.apache.parquet.hadoop.ParquetFileReader;
import org.apache.parquet.schema.MessageType;
import org.apache.parquet.schema.PrimitiveType.PrimitiveTypeName;

/**
 * One table, column by column. Columns that are not asked for are not decoded; a missing column, a null, a wrong type, a
 * damaged file and an empty table are errors that name the table.
 */
final class ParquetTable {
    private final String name;
    private final int rows;
    private final Map<String, Object> columns;

    private ParquetTable(String name, int rows, Map<String, Object> columns) {
        this.name = name;
        this.rows = rows;
        this.columns = columns;
    }

    /**
     * Reads a table.
     *
     * @param name how errors call it
     * @param layout wanted columns by name: String, Long or Double
     * @param optional whole-number columns that older tables lack, where they read as 0
     * @throws DocumentError when the table is not of this layout
     */
    static ParquetTable read(String name, byte[] bytes, Map<String, Class<?>> layout, List<String> optional) {
        ParquetReadOptions options = ParquetReadOptions.builder(new PlainParquetConfiguration())
                .withCodecFactory(new Codecs())
                .build();
        if (bytes.length < 12 || bytes[0] != 'P' || bytes[1] != 'A' || bytes[2] != 'R' || bytes[3] != '1') {
            throw new DocumentError(name, 0, "", "is not a parquet file");
        }
        int end = bytes.length;
        if (bytes[end - 4] != 'P' || bytes[end - 3] != 'A' || bytes[end - 2] != 'R' || bytes[end - 1] != '1') {
            throw new DocumentError(name, 0, "", "is a truncated parquet file: the footer is missing");
        }
        try (ParquetFileReader file = new ParquetFileReader(new MemoryFile(bytes), options)) {
            MessageType schema = file.getFileMetaData().getSchema();
            String createdBy = file.getFileMetaData().getCreatedBy();
            long total = file.getRecordCount();
            if (total == 0) {
                throw new DocumentError(name, 0, "", "is an empty table");
            }
            if (total > 20_000_000) {
                throw new DocumentError(name, 0, "", "is too large: " + total + " rows");
            }
            int n = (int) total;
            Map<String, Object> columns = new LinkedHashMap<>();
            Map<String, Class<?>> present = new LinkedHashMap<>(layout);
            optional.stream().filter(schema::containsField).forEach(c -> present.put(c, Long.class));
            checkLayout(name, schema, present);
            present.forEach((c, type) -> columns.put(
                    c,
                    type == String.class ? new String[n] : type == Long.class ? (Object) new long[n] : new double[n]));
            int done = 0;
            PageReadStore pages;
            while ((pages = file.readNextRowGroup()) != null) {
                int count = (int) pages.getRowCount();
                ColumnReadStoreImpl store = new ColumnReadStoreImpl(
                        pages, new DummyRecordConverter(schema).getRootConverter(), schema, createdBy);
                for (Map.Entry<String, Object> c : columns.entrySet()) {
                    ColumnDescriptor d = schema.getColumnDescription(new String[] {c.getKey()});
                    decode(name, c.getKey(), store.getColumnReader(d), d, done, count, c.getValue());
                }
                done += count;
            }
            if (done != n) {
                throw new DocumentError(name, 0, "", "holds " + done + " of the " + n + " rows it announces");
            }
            optional.forEach(c -> columns.putIfAbsent(c, new long[n]));
            return new ParquetTable(name, n, columns);
        } catch (IOException | RuntimeException e) {
            if (e instanceof DocumentError d) {
                throw d;
            }
            throw new DocumentError(
                    name, 0, "", "is a damaged or truncated parquet file: " + oneLine(String.valueOf(e.getMessage())));
        }
    }

    private static String oneLine(String text) {
        String s = text.replaceAll("\\s+", " ").strip();
        return s.length() > 200 ? s.substring(0, 197) + "..." : s;
    }

    private static void checkLayout(String name, MessageType schema, Map<String, Class<?>> layout) {
        List<String> found = schema.getFields().stream().map(f -> f.getName()).toList();
        for (Map.Entry<String, Class<?>> e : layout.entrySet()) {
            if (!found.contains(e.getKey())) {
                throw new DocumentError(
                        name,
                        0,
                        e.getKey(),
                        "column is missing; the table has " + String.join(", ", found)
                                + Nearest.phrase(e.getKey(), found)
                                + " (tables of aiconfigurator-core 0.12.0 are read)");
            }
            if (!schema.getType(e.getKey()).isPrimitive()) {
                throw new DocumentError(name, 0, e.getKey(), "is not a column of single values");
            }
            PrimitiveTypeName type =
                    schema.getType(e.getKey()).asPrimitiveType().getPrimitiveTypeName();
            boolean fits = e.getValue() == String.class
                    ? type == PrimitiveTypeName.BINARY
                    : e.getValue() == Long.class
                            ? type == PrimitiveTypeName.INT64 || type == PrimitiveTypeName.INT32
                            : type == PrimitiveTypeName.DOUBLE || type == PrimitiveTypeName.FLOAT;
            if (!fits) {
                throw new DocumentError(
                        name,
                        0,
                        e.getKey(),
                        "must be a column of " + word(e.getValue()) + ", found "
                                + type.name().toLowerCase(java.util.Locale.ROOT)
                                + " (tables of aiconfigurator-core 0.12.0 are read)");
            }
        }
    }

    private static String word(Class<?> type) {
        return type == String.class ? "text" : type == Long.class ? "whole numbers" : "numbers";
    }

    private static void decode(
            String table, String column, ColumnReader reader, ColumnDescriptor d, int from, int count, Object into) {
        int max = d.getMaxDefinitionLevel();
        PrimitiveTypeName type = d.getPrimitiveType().getPrimitiveTypeName();
        String lastText = "";
        org.apache.parquet.io.api.Binary lastBinary = null;
        for (int i = 0; i < count; i++) {
            if (reader.getCurrentDefinitionLevel() < max) {
                throw new DocumentError(table, 0, column, "has no value in row " + (from + i + 1));
            }
            if (into instanceof String[] text) {
                org.apache.parquet.io.api.Binary b = reader.getBinary();
                if (!b.equals(lastBinary)) {
                    lastText = b.toStringUsingUTF8();
                    lastBinary = b.copy();
                }
                text[from + i] = lastText;
            } else if (into instanceof long[] whole) {
                whole[from + i] = type == PrimitiveTypeName.INT32 ? reader.getInteger() : reader.getLong();
            } else {
                ((double[]) into)[from + i] = type == PrimitiveTypeName.FLOAT ? reader.getFloat() : reader.getDouble();
            }
            reader.consume();
        }
    }

    /** How errors call the table. */
    String name() {
        return name;
    }

    /** Number of rows. */
    int rows() {
        return rows;
    }

    /** Value of a text column. */
    String text(String column, int row) {
        return ((String[]) columns.get(column))[row];
    }

    /** Value of a column of whole numbers. */
    long whole(String column, int row) {
        return ((long[]) columns.get(column))[row];
    }

    /** Value of a column of whole numbers that is a size: 0 or more and below 2^31. */
    int size(String column, int row) {
        long v = whole(column, row);
        if (v < 0 || v > Integer.MAX_VALUE) {
            throw new DocumentError(name, 0, column, "must be a size, found " + v + " in row " + (row + 1));
        }
        return (int) v;
    }

    /**
     * Time of a row, microseconds: finite, not negative; 0 where nothing was measured.
     *
     * @throws DocumentError for negative and non-finite times
     */
    double us(int row) {
        double ms = ((double[]) columns.get("latency"))[row];
        if (!(ms >= 0) || Double.isInfinite(ms)) {
            throw new DocumentError(
                    name,
                    0,
                    "latency",
                    "must be a time, found " + ms + " ms in row " + (row + 1) + " (" + describe(row) + ")");
        }
        return ms * 1000;
    }

    private String describe(int row) {
        StringBuilder out = new StringBuilder();
        columns.forEach((c, values) -> {
            if (values instanceof long[] w) {
                out.append(out.length() == 0 ? "" : ", ").append(c).append(' ').append(w[row]);
            }
        });
        return out.toString();
    }

    /** Distinct values of a text column, in order of appearance. */
    List<String> distinct(String column) {
        return Arrays.stream((String[]) columns.get(column)).distinct().toList();
    }
}
