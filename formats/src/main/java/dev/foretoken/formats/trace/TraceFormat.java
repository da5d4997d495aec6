package dev.foretoken.formats.trace;

import java.nio.file.Path;

/** One format of request traces. */
public interface TraceFormat {

    /** Short name. */
    String name();

    /** One sentence for listings. */
    String summary();

    /** True when a file that begins with this line has this format. */
    boolean recognises(String firstLine);

    /** Opens a file; to be closed. Values are as they stand in the file, in its order. */
    TraceReader open(Path path);
}
