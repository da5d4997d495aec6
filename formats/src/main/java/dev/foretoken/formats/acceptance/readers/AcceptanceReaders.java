package dev.foretoken.formats.acceptance.readers;

import java.io.ByteArrayInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.SequenceInputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.zip.ZipException;

/** All registered readers, and the way in: recognise each source, read it, tally or pass on its observations. */
public final class AcceptanceReaders {
    /** Characters of a source shown to {@link AcceptanceReader#recognises}. */
    public static final int HEAD_CHARS = 1 << 16;

    private static final List<AcceptanceReader> ALL = List.of(
            new VllmRequestReader(),
            new SpecCountersReader("vllm-metrics", "vllm:", "vllm"),
            new VllmLogReader(),
            new SglangRequestReader(),
            new SglangMetricsReader(),
            new SglangLogReader(),
            new LlamaCppTimingsReader(),
            new SpecCountersReader("llamacpp-metrics", "llamacpp:", "llama.cpp"),
            new LlamaCppLogReader(),
            new TrtLlmReader(),
            new AiperfReader(),
            new RoundsReader(),
            new DdtreePlusReader(),
            new PublishedTableReader());

    private AcceptanceReaders() {}

    /** Every reader. */
    public static List<AcceptanceReader> all() {
        return ALL;
    }

    /** The reader of this id. */
    public static Optional<AcceptanceReader> byId(String id) {
        return ALL.stream().filter(r -> r.id().equals(id)).findFirst();
    }

    /** The reader that recognises the source; empty if none does. */
    public static Optional<AcceptanceReader> recognise(AcceptanceSource source) throws IOException {
        String head = head(source);
        return ALL.stream().filter(r -> r.recognises(source.name(), head)).findFirst();
    }

    /**
     * Reads sources. Files of the same counters reader with the same known key are scrapes of one server in the order given.
     *
     * @param observer called for every observation, in order
     * @throws UnknownSourceException for a source that no reader recognises
     */
    public static ReadReport read(List<AcceptanceSource> sources, Consumer<AcceptanceObservation> observer)
            throws IOException {
        ReadReport report = new ReadReport();
        Map<Object, List<AcceptanceSource>> groups = new LinkedHashMap<>();
        Map<Object, AcceptanceReader> readers = new LinkedHashMap<>();
        for (AcceptanceSource s : sources) {
            AcceptanceReader reader = recognise(s).orElseThrow(() -> new UnknownSourceException(s.name()));
            Object group = reader.scrapes() ? List.of(reader.id(), s.known()) : s;
            groups.computeIfAbsent(group, g -> new ArrayList<>()).add(s);
            readers.put(group, reader);
        }
        for (Map.Entry<Object, List<AcceptanceSource>> e : groups.entrySet()) {
            read(readers.get(e.getKey()), e.getValue(), report, observer);
        }
        return report;
    }

    /** Reads sources with a given reader, into an existing report. */
    public static void read(
            AcceptanceReader reader,
            List<AcceptanceSource> sources,
            ReadReport report,
            Consumer<AcceptanceObservation> observer)
            throws IOException {
        AcceptanceSource first = sources.get(0);
        List<InputStream> parts = new ArrayList<>();
        for (AcceptanceSource s : sources) {
            parts.add(s.opener().open());
            parts.add(new ByteArrayInputStream("\n".getBytes(StandardCharsets.UTF_8)));
        }
        String name = sources.size() == 1
                ? first.name()
                : first.name() + ".." + sources.get(sources.size() - 1).name();
        AcceptanceSink sink = new AcceptanceSink(name, first.known(), report, observer);
        try (LineReader lines = new LineReader(new SequenceInputStream(Collections.enumeration(parts)))) {
            reader.read(lines, sink);
            if (lines.failed()) {
                sink.skip(lines.number(), "the source broke off (truncated or unreadable)");
            }
        }
    }

    /** Reads sources and sums them. */
    public static Result tally(List<AcceptanceSource> sources) throws IOException {
        SurvivalTally tally = new SurvivalTally();
        ReadReport report = read(sources, tally::add);
        return new Result(tally.counts(), report);
    }

    /**
     * Sums and report of a read.
     *
     * @param counts survival counts per (workload, method, engine, version), design and detail
     */
    public record Result(List<SurvivalCounts> counts, ReadReport report) {}

    /** What can be read of the beginning: a file that breaks off early is still recognised by what it has. */
    private static String head(AcceptanceSource source) throws IOException {
        byte[] bytes = new byte[HEAD_CHARS];
        int length = 0;
        try (InputStream in = source.opener().open()) {
            int n = 0;
            while (n >= 0 && length < bytes.length) {
                length += n;
                n = in.read(bytes, length, bytes.length - length);
            }
        } catch (EOFException | ZipException e) {
            if (length == 0) {
                throw e;
            }
        }
        return new String(bytes, 0, length, StandardCharsets.UTF_8);
    }

    /** No reader recognises the source. */
    public static final class UnknownSourceException extends IllegalArgumentException {
        private static final long serialVersionUID = 1;

        UnknownSourceException(String name) {
            super(name + ": not a known source of acceptance; known are "
                    + String.join(", ", ALL.stream().map(AcceptanceReader::id).toList()));
        }
    }
}
