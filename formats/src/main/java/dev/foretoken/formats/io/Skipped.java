package dev.foretoken.formats.io;

import java.util.ArrayList;
import java.util.List;

/** What a reader of a long file left out, counted, with the first few places and reasons. */
public final class Skipped {
    private static final int MAX_EXAMPLES = 10;

    private long count;
    private final List<String> examples = new ArrayList<>();

    /** Counts one line that was left out. */
    public void add(String file, long line, String reason) {
        count++;
        if (examples.size() < MAX_EXAMPLES) {
            examples.add(file + ":" + line + ": " + reason);
        }
    }

    public long count() {
        return count;
    }

    /** The first places and reasons, each {@code FILE:LINE: reason}. */
    public List<String> examples() {
        return List.copyOf(examples);
    }
}
