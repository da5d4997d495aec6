package dev.foretoken.validation.client;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.foretoken.formats.json.Json;
import java.io.BufferedReader;
import java.io.Closeable;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Run file, JSON Lines: a header, then one record per request as it ends, each flushed to the file system at once. A write
 * that fails stops the run with everything before it on disk; a last line that was cut is ignored when read.
 */
public final class RunJournal implements Closeable {
    private static final ObjectMapper MAPPER = Json.mapper();

    private final Path file;
    private final OutputStream out;
    private IOException failure;

    private RunJournal(Path file, OutputStream out) {
        this.file = file;
        this.out = out;
    }

    /**
     * Last line of a segment that ended in order: whatever was in flight is on record too.
     *
     * @param segmentEnd number of the segment
     * @param stoppedBecause why it stopped early, null if it did not
     */
    @JsonInclude(JsonInclude.Include.NON_NULL)
    public record SegmentEnd(int segmentEnd, String stoppedBecause) {}

    /** Content of a run file. */
    public record Content(
            List<RunHeader> headers, List<RequestRecord> records, List<SegmentEnd> ends, long damagedLines) {
        /** Completed requests by number, of which each counts once (the first complete one). */
        public Map<Long, RequestRecord> completed() {
            Map<Long, RequestRecord> map = new LinkedHashMap<>();
            for (RequestRecord r : records) {
                if (r.ok() && r.phase() == Phase.MEASURED) {
                    map.putIfAbsent(r.index(), r);
                }
            }
            return map;
        }

        /** Segments, each as a run of its own; one without an end line was killed. */
        public List<RunResult> segments() {
            List<RunResult> list = new ArrayList<>();
            for (int i = 0; i < headers.size(); i++) {
                int segment = i;
                List<RequestRecord> own =
                        records.stream().filter(r -> r.segment() == segment).toList();
                SegmentEnd end = ends.stream()
                        .filter(e -> e.segmentEnd() == segment)
                        .findFirst()
                        .orElse(new SegmentEnd(segment, "the process was killed"));
                if (!own.isEmpty()) {
                    list.add(RunResult.ofSegment(own, end.stoppedBecause()));
                }
            }
            return list;
        }
    }

    /** Begins a new file; refuses to overwrite one. */
    public static RunJournal create(Path file, RunHeader header) throws IOException {
        if (Files.exists(file) && Files.size(file) > 0) {
            throw new IllegalArgumentException(file + " exists: use --resume to go on with it, or another --out");
        }
        if (file.getParent() != null) {
            Files.createDirectories(file.getParent());
        }
        RunJournal journal = new RunJournal(file, new FileOutputStream(file.toFile(), true));
        journal.line(header);
        return journal;
    }

    /**
     * Goes on with a file.
     *
     * @throws IllegalArgumentException when the file is of another run
     */
    public static RunJournal resume(Path file, RunHeader header, Content before, long now) throws IOException {
        for (RunHeader h : before.headers()) {
            if (!h.fingerprint().equals(header.fingerprint())) {
                throw new IllegalArgumentException(file + " is of another run (" + h.run()
                        + "): scenario, load, seed, endpoint or model differ; remove --resume or use another --out");
            }
        }
        RunJournal journal = new RunJournal(file, new FileOutputStream(file.toFile(), true));
        if (Files.size(file) > 0 && !endsWithLineEnd(file)) {
            journal.out.write('\n');
        }
        journal.line(header.inSegment(before.headers().size(), now));
        return journal;
    }

    /** Appends to a file until so many bytes were written, then fails as a full disk does. For tests. */
    static RunJournal toFullDisk(Path file, long bytes) throws IOException {
        FileOutputStream target = new FileOutputStream(file.toFile(), true);
        return new RunJournal(file, new OutputStream() {
            private long left = bytes;

            @Override
            public void write(int b) throws IOException {
                write(new byte[] {(byte) b}, 0, 1);
            }

            @Override
            public void write(byte[] b, int offset, int length) throws IOException {
                target.write(b, offset, (int) Math.min(left, length));
                left -= Math.min(left, length);
                if (left == 0) {
                    throw new IOException("No space left on device");
                }
            }

            @Override
            public void close() throws IOException {
                target.close();
            }
        });
    }

    private static boolean endsWithLineEnd(Path file) throws IOException {
        try (var channel = Files.newByteChannel(file)) {
            channel.position(channel.size() - 1);
            java.nio.ByteBuffer last = java.nio.ByteBuffer.allocate(1);
            return channel.read(last) == 1 && last.get(0) == '\n';
        }
    }

    /** Reads a run file; damaged lines are counted, not fatal. */
    public static Content read(Path file) throws IOException {
        List<RunHeader> headers = new ArrayList<>();
        List<RequestRecord> records = new ArrayList<>();
        List<SegmentEnd> ends = new ArrayList<>();
        long damaged = 0;
        try (BufferedReader in = Files.newBufferedReader(file, StandardCharsets.UTF_8)) {
            for (String line = in.readLine(); line != null; line = in.readLine()) {
                if (line.isBlank()) {
                    continue;
                }
                try {
                    JsonNode node = MAPPER.readTree(line);
                    if (node.has("schema")) {
                        String schema = node.get("schema").asText();
                        if (!schema.equals(RunHeader.SCHEMA)) {
                            throw new IllegalArgumentException(
                                    file + ": schema " + schema + ", this reads " + RunHeader.SCHEMA);
                        }
                        headers.add(MAPPER.treeToValue(node, RunHeader.class));
                    } else if (node.has("segment_end")) {
                        ends.add(MAPPER.treeToValue(node, SegmentEnd.class));
                    } else {
                        records.add(MAPPER.treeToValue(node, RequestRecord.class));
                    }
                } catch (JsonProcessingException e) {
                    damaged++;
                }
            }
        }
        if (headers.isEmpty()) {
            throw new IllegalArgumentException(file + " is not a run file: it has no header line");
        }
        return new Content(headers, records, ends, damaged);
    }

    /** Appends one record. After a failed write nothing more is written. */
    public synchronized void append(RequestRecord record) {
        write(record);
    }

    /** Says that a segment ended in order. */
    public synchronized void end(int segment, String stoppedBecause) {
        write(new SegmentEnd(segment, stoppedBecause));
    }

    private void write(Object value) {
        if (failure != null) {
            return;
        }
        try {
            line(value);
        } catch (IOException e) {
            failure = e;
        }
    }

    /**
     * The first failed write, if any.
     *
     * @throws UncheckedIOException naming the file
     */
    public synchronized void check() {
        if (failure != null) {
            throw new UncheckedIOException(
                    "writing " + file + " failed (" + failure.getMessage()
                            + "): the run was stopped, everything before is on" + " disk, --resume goes on",
                    failure);
        }
    }

    synchronized boolean failed() {
        return failure != null;
    }

    private void line(Object value) throws IOException {
        byte[] json = MAPPER.writeValueAsBytes(value);
        byte[] bytes = java.util.Arrays.copyOf(json, json.length + 1);
        bytes[json.length] = '\n';
        out.write(bytes);
    }

    @Override
    public synchronized void close() throws IOException {
        out.close();
    }
}
