package dev.foretoken.formats.document;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/** Collects the problems of one file; the same problem found twice counts once. */
final class Problems {
    /** Collecting stops here: a file this wrong is reported as it stands. */
    private static final int MAX_COLLECTED = 1_000;

    private final Set<Problem> found = new LinkedHashSet<>();

    void add(Problem problem) {
        found.add(problem);
        if (found.size() >= MAX_COLLECTED) {
            throw toError();
        }
    }

    boolean isEmpty() {
        return found.isEmpty();
    }

    DocumentError toError() {
        List<Problem> sorted = new ArrayList<>(found);
        sorted.sort(Comparator.comparingInt(Problem::line));
        return new DocumentError(sorted);
    }

    /** Signals that a value cannot be used and that the reason has been recorded. */
    static final class Rejected extends RuntimeException {
        private static final long serialVersionUID = 1L;

        Rejected() {
            super("rejected", null, false, false);
        }
    }
}
