package dev.foretoken.formats.document;

/**
 * The value of one key of a map, read and waiting for the record that needs it.
 *
 * @param <T> what the value was read as
 */
public final class Field<T> {
    private final T value;
    private final Node node;
    private final boolean rejected;

    private Field(T value, Node node, boolean rejected) {
        this.value = value;
        this.node = node;
        this.rejected = rejected;
    }

    static <T> Field<T> of(T value, Node node) {
        return new Field<>(value, node, false);
    }

    /** The field of a key that a file cannot have. */
    public static <T> Field<T> none() {
        return new Field<>(null, null, false);
    }

    static <T> Field<T> rejected(Node node) {
        return new Field<>(null, node, true);
    }

    /** The value; null when the key is absent and not required. Called inside {@link Fields#build} only. */
    public T get() {
        if (rejected) {
            throw new Problems.Rejected();
        }
        return value;
    }

    /** The value, or another where the key is absent. */
    public T or(T other) {
        T read = get();
        return read == null ? other : read;
    }

    /** True when the file has the key. */
    public boolean present() {
        return node != null;
    }

    /** True when the file has the key with a value that could be read. */
    public boolean usable() {
        return node != null && !rejected;
    }

    /** Where the value stands; null when the key is absent. */
    public Node node() {
        return node;
    }
}
