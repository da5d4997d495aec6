package dev.foretoken.formats.document;

/** What all nodes of one document share: its name, its limits, its problems and its budget of values. */
final class Source {
    final String file;
    final Limits limits;
    final Problems problems = new Problems();
    private int values;

    Source(String file, Limits limits) {
        this.file = file;
        this.limits = limits;
    }

    /** Counts one value of the expanded document. */
    void countValue(int line) {
        if (++values > limits.maxValues()) {
            throw new DocumentError(
                    file, line, "", "holds more than " + limits.maxValues() + " values (aliases expanded)");
        }
    }

    DocumentError error(int line, String message) {
        return new DocumentError(file, line, "", message);
    }
}
