package dev.foretoken.validation.importers;

import java.io.IOException;
import java.util.List;

/**
 * One client's result files. To add one: one class, one line in {@link ResultImporters}, one fixture named after its id.
 */
public interface ResultImporter {

    /** Stable name, such as {@code vllm-bench}. */
    String id();

    /** What it reads, one line for help texts. */
    String description();

    /**
     * Whether the beginning of a file looks like this client's.
     *
     * @param head first characters
     */
    boolean recognises(String name, String head);

    /**
     * Reads the runs of a file.
     *
     * @param name shown in messages
     * @param text whole file
     * @throws IllegalArgumentException when nothing in it can be used, with the reason
     */
    List<ImportedRun> read(String name, String text) throws IOException;
}
