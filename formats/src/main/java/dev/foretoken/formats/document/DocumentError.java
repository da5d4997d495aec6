package dev.foretoken.formats.document;

import java.util.ArrayList;
import java.util.List;

/**
 * A file cannot be used. The message holds one line per problem, {@code FILE:LINE: KEY: what is wrong with VALUE; did you
 * mean X?}, and is fit to be shown to a user as it is; commands end with exit code 2.
 */
public final class DocumentError extends RuntimeException {
    /** Problems printed in the message; the rest is counted. */
    public static final int MAX_PRINTED = 20;

    private static final long serialVersionUID = 1L;

    private final transient List<Problem> problems;

    /** @param problems at least one */
    public DocumentError(List<Problem> problems) {
        super(message(problems));
        this.problems = List.copyOf(problems);
    }

    /** An error about the file as a whole or one place in it. */
    public DocumentError(String file, int line, String key, String message) {
        this(List.of(new Problem(file, line, key, message)));
    }

    /** Every problem found, in the order of the file. */
    public List<Problem> problems() {
        return problems;
    }

    private static String message(List<Problem> problems) {
        if (problems.isEmpty()) {
            throw new IllegalArgumentException("an error needs at least one problem");
        }
        List<String> lines = new ArrayList<>();
        problems.stream().limit(MAX_PRINTED).map(Problem::toString).forEach(lines::add);
        if (problems.size() > MAX_PRINTED) {
            lines.add("and " + (problems.size() - MAX_PRINTED) + " more problems");
        }
        return String.join("\n", lines);
    }
}
