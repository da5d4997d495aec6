package dev.foretoken.formats.acceptance.readers;

import java.io.IOException;

/**
 * One kind of source of acceptance. A reader converts its source's definitions to those of {@link AcceptanceObservation},
 * streams (memory does not grow with the source), and survives damage: what it cannot use goes to {@link
 * AcceptanceSink#skip}. To add one: one class, one line in {@link AcceptanceReaders}, one fixture named after its id.
 */
public interface AcceptanceReader {

    /** Stable name, such as {@code vllm-metrics}. */
    String id();

    /** What it reads, one line for help texts. */
    String description();

    /**
     * Whether the beginning of a source looks like this reader's.
     *
     * @param name file name
     * @param head first characters, at most {@link AcceptanceReaders#HEAD_CHARS}
     */
    boolean recognises(String name, String head);

    /** True for counters, whose files in the order given are scrapes of one server and are read as one series. */
    default boolean scrapes() {
        return false;
    }

    /** Reads lines and delivers observations. */
    void read(LineReader lines, AcceptanceSink sink) throws IOException;
}
