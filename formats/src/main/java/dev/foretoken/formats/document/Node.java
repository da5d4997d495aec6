package dev.foretoken.formats.document;

import dev.foretoken.formats.document.Problems.Rejected;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;

/**
 * One value of a document with the place where it stands. The typed accessors either return a value that holds what was
 * asked for or record a problem and reject the value.
 */
public final class Node {
    private static final int MAX_DESCRIBED = 60;
    private static final int MAX_NAME = 200;
    private static final Set<String> TRUE = Set.of("true", "yes", "on");
    private static final Set<String> FALSE = Set.of("false", "no", "off");

    /** What stands in the file. A plain YAML scalar is text, a number or a boolean as its key asks. */
    enum Kind {
        MAP,
        LIST,
        TEXT,
        PLAIN,
        NUMBER,
        BOOLEAN,
        NULL
    }

    private final Source source;
    private final Node parent;
    private final String key;
    private final int index;
    private final Kind kind;
    private final String raw;
    private int line;
    private List<Node> elements = List.of();
    private Map<String, Node> entries = Map.of();

    private Node(Source source, int line, Node parent, String key, int index, Kind kind, String raw) {
        this.source = source;
        this.line = line;
        this.parent = parent;
        this.key = key;
        this.index = index;
        this.kind = kind;
        this.raw = raw;
    }

    static Node map(Source source, int line, Node parent, String key, int index) {
        return new Node(source, line, parent, key, index, Kind.MAP, null);
    }

    static Node list(Source source, int line, Node parent, String key, int index) {
        return new Node(source, line, parent, key, index, Kind.LIST, null);
    }

    static Node scalar(Source source, int line, Node parent, String key, int index, Kind kind, String raw) {
        return new Node(source, line, parent, key, index, kind, raw);
    }

    void setElements(List<Node> elements) {
        this.elements = elements;
    }

    void setEntries(Map<String, Node> entries) {
        this.entries = entries;
    }

    void setLine(int line) {
        this.line = line;
    }

    Problems problems() {
        return source.problems;
    }

    // ---- place ----

    /** The file as the user named it. */
    public String file() {
        return source.file;
    }

    /** Line of the key, or of the value where it has no key; from 1. */
    public int line() {
        return line;
    }

    /** Path of the value from the root: {@code methods[2].budget}; empty for the root. */
    public String path() {
        if (parent == null) {
            return "";
        }
        String above = parent.path();
        if (key == null) {
            return above + "[" + index + "]";
        }
        return above.isEmpty() ? key : above + "." + key;
    }

    /** The path with ids in place of positions: {@code methods.ddtree.budget}. */
    public String label() {
        if (parent == null) {
            return "";
        }
        String above = parent.label();
        Node id = key == null ? entries.get("id") : null;
        String own = key != null ? key : id != null && id.isScalar() ? id.raw : String.valueOf(index);
        return above.isEmpty() ? own : above + "." + own;
    }

    /** Where the value stands: {@code FILE:LINE}. */
    public String place() {
        return source.file + ":" + line;
    }

    /** The last key of the path, null for list elements and the root. */
    public String key() {
        return key;
    }

    // ---- kind ----

    public boolean isMap() {
        return kind == Kind.MAP;
    }

    public boolean isList() {
        return kind == Kind.LIST;
    }

    public boolean isScalar() {
        return kind != Kind.MAP && kind != Kind.LIST;
    }

    /** True for a key without a value, {@code ~} and {@code null}. */
    public boolean isNull() {
        return kind == Kind.NULL;
    }

    /** True when the scalar can be read as a number. */
    public boolean isNumber() {
        return kind == Kind.NUMBER || (kind == Kind.PLAIN && Numbers.looksNumeric(raw));
    }

    // ---- problems ----

    /** Records a problem with this value and goes on. */
    public void report(String message) {
        source.problems.add(new Problem(source.file, line, path(), message));
    }

    /** Records a problem with this value; to be thrown by the caller, which gives the value up. */
    public RuntimeException refuse(String message) {
        report(message);
        return new Rejected();
    }

    /** Gives a value up whose problems have been recorded; to be thrown by the caller. */
    public RuntimeException rejected() {
        return new Rejected();
    }

    /** Refuses the value: {@code must be ..., found VALUE}. */
    public RuntimeException mustBe(String what) {
        return refuse("must be " + what + ", found " + describe());
    }

    void reportMissing(String missing) {
        String where = path();
        source.problems.add(new Problem(
                source.file, line, where.isEmpty() ? missing : where + "." + missing, "required key is missing"));
    }

    /** The value as an error message shows it: short, on one line. */
    public String describe() {
        return switch (kind) {
            case MAP ->
                entries.isEmpty()
                        ? "an empty map"
                        : "a map with the keys " + shorten(String.join(", ", entries.keySet()));
            case LIST ->
                elements.isEmpty()
                        ? "an empty list"
                        : shorten("["
                                + elements.stream().limit(8).map(Node::inList).collect(Collectors.joining(", "))
                                + (elements.size() > 8 ? ", ..." : "") + "]");
            case TEXT -> '"' + shorten(raw) + '"';
            case NULL -> "no value";
            default -> shorten(raw);
        };
    }

    private String inList() {
        return kind == Kind.MAP ? "{" + String.join(", ", entries.keySet()) + "}" : describe();
    }

    static String oneLine(String text) {
        return text.strip().replaceAll("\\s+", " ");
    }

    private static String shorten(String text) {
        String line = oneLine(text);
        return line.length() <= MAX_DESCRIBED ? line : line.substring(0, MAX_DESCRIBED - 3) + "...";
    }

    // ---- scalars ----

    /** Text; a plain YAML scalar is text as it stands, whatever it looks like. */
    public String text() {
        if (kind != Kind.TEXT && kind != Kind.PLAIN) {
            throw mustBe("text");
        }
        return raw;
    }

    /** Text that names something: not blank, on one line, at most 200 characters. */
    public String name() {
        String text = text();
        if (text.isBlank() || text.length() > MAX_NAME || !text.equals(oneLine(text))) {
            throw mustBe("a name of 1 to " + MAX_NAME + " characters on one line");
        }
        return text;
    }

    /** An id: letters, digits, dots, dashes, underscores, colons and slashes, beginning with a letter or digit. */
    public String id() {
        String text = text();
        if (!text.matches("[A-Za-z0-9][A-Za-z0-9._:/+-]{0,199}")) {
            throw mustBe("an id of letters, digits and . _ - : / +");
        }
        return text;
    }

    /** A boolean: true or false, in YAML also yes, no, on and off. */
    public boolean bool() {
        if (kind == Kind.BOOLEAN) {
            return raw.equals("true");
        }
        if (kind == Kind.PLAIN) {
            String word = raw.toLowerCase(Locale.ROOT);
            if (TRUE.contains(word)) {
                return true;
            }
            if (FALSE.contains(word)) {
                return false;
            }
        }
        throw mustBe("true or false");
    }

    /** A whole number between the bounds, both included. {@code 8.0} and {@code 1e3} are whole. */
    public int integer(int min, int max) {
        return (int) longInteger(min, max);
    }

    /** A whole number between the bounds, both included. */
    public long longInteger(long min, long max) {
        requireNumber("a whole number");
        try {
            long value = Numbers.parseLong(raw);
            if (value < min || value > max) {
                throw mustBe(range(
                        "a whole number",
                        String.valueOf(min),
                        String.valueOf(max),
                        max == Long.MAX_VALUE || max == Integer.MAX_VALUE));
            }
            return value;
        } catch (Numbers.NotANumber e) {
            throw refuse(e.getMessage() + ", found " + describe());
        }
    }

    /** A finite number. */
    public double number() {
        requireNumber("a number");
        try {
            return Numbers.parseDouble(raw);
        } catch (Numbers.NotANumber e) {
            throw refuse(e.getMessage() + ", found " + describe());
        }
    }

    /** A finite number between the bounds, both included; an infinite upper bound means none. */
    public double number(double min, double max) {
        double value = number();
        if (value < min || value > max) {
            throw mustBe(range("a number", shortNumber(min), shortNumber(max), Double.isInfinite(max)));
        }
        return value;
    }

    /** A finite number above 0. */
    public double positive() {
        double value = number();
        if (value <= 0) {
            throw mustBe("a number above 0");
        }
        return value;
    }

    /** A finite number that is not negative. */
    public double nonNegative() {
        double value = number();
        if (value < 0) {
            throw mustBe("0 or a number above 0");
        }
        return value;
    }

    /** A number between 0 and 1, both included. */
    public double probability() {
        return number(0, 1);
    }

    /** One of the given words; the map says what each stands for. */
    public <T> T oneOf(Map<String, T> words) {
        String word = text();
        T value = words.get(word);
        if (value == null) {
            throw refuse("must be one of " + String.join(", ", words.keySet()) + ", found " + describe()
                    + Nearest.phrase(word, words.keySet()));
        }
        return value;
    }

    /** One of the given words. */
    public String oneOf(Collection<String> words) {
        Map<String, String> same = new LinkedHashMap<>();
        words.forEach(word -> same.put(word, word));
        return oneOf(same);
    }

    /** A constant of an enum, written in lower case with dashes for underscores. */
    public <E extends Enum<E>> E oneOf(Class<E> type) {
        Map<String, E> words = new LinkedHashMap<>();
        for (E constant : type.getEnumConstants()) {
            words.put(word(constant), constant);
        }
        return oneOf(words);
    }

    /** How an enum constant is written in files: {@code PREFILL_FIRST} is {@code prefill-first}. */
    public static String word(Enum<?> constant) {
        return constant.name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    private void requireNumber(String what) {
        if (kind == Kind.TEXT && Numbers.looksNumeric(raw)) {
            throw mustBe(what + " without quotes");
        }
        if (kind != Kind.NUMBER && kind != Kind.PLAIN) {
            throw mustBe(what);
        }
    }

    private static String range(String what, String min, String max, boolean unbounded) {
        return unbounded ? what + " of at least " + min : what + " between " + min + " and " + max;
    }

    private static String shortNumber(double value) {
        return value == Math.rint(value) && Math.abs(value) < 1e15
                ? String.valueOf((long) value)
                : String.valueOf(value);
    }

    /** The scalar as it stands in the file; the short description of a list or map. */
    public String raw() {
        return raw == null ? describe() : raw;
    }

    // ---- collections ----

    /** The elements of a list, each read by the reader; all elements are checked before the list is rejected. */
    public <T> List<T> list(Function<Node, T> reader) {
        if (kind != Kind.LIST) {
            throw mustBe("a list");
        }
        return readAll(elements, reader);
    }

    /** A list with at least one element. */
    public <T> List<T> nonEmptyList(Function<Node, T> reader) {
        if (kind == Kind.LIST && elements.isEmpty()) {
            throw mustBe("a list with at least one element");
        }
        return list(reader);
    }

    /** An axis: one value, or a list of at least one value without repetitions. */
    public <T> List<T> axis(Function<Node, T> reader) {
        if (kind != Kind.LIST) {
            return List.of(reader.apply(this));
        }
        List<T> values = nonEmptyList(reader);
        for (int i = 0; i < values.size(); i++) {
            if (values.subList(0, i).contains(values.get(i))) {
                elements.get(i).report("the value " + elements.get(i).describe() + " occurs twice");
            }
        }
        return values;
    }

    /** The elements of a list as they are. */
    public List<Node> elements() {
        if (kind != Kind.LIST) {
            throw mustBe("a list");
        }
        return elements;
    }

    /** A map, read key by key. */
    public Fields fields() {
        if (kind != Kind.MAP) {
            throw mustBe("a map");
        }
        return new Fields(this);
    }

    /**
     * A map whose keys are data (ids, budgets). Keys keep the order of the file; two that read the same are refused.
     *
     * @param keyReader reads a key; an {@link IllegalArgumentException} says what a key must be
     */
    public <K, V> Map<K, V> map(Function<String, K> keyReader, Function<Node, V> valueReader) {
        if (kind != Kind.MAP) {
            throw mustBe("a map");
        }
        Map<K, V> values = new LinkedHashMap<>();
        boolean rejected = false;
        for (Map.Entry<String, Node> entry : entries.entrySet()) {
            try {
                K read = keyReader.apply(entry.getKey());
                if (values.put(read, valueReader.apply(entry.getValue())) != null) {
                    entry.getValue().report("the key occurs twice");
                }
            } catch (Rejected e) {
                rejected = true;
            } catch (IllegalArgumentException e) {
                entry.getValue().report(e.getMessage());
                rejected = true;
            }
        }
        if (rejected) {
            throw new Rejected();
        }
        return values;
    }

    /** Reads a key that is a whole number between the bounds: for {@link #map}. */
    public static Function<String, Integer> integerKey(String what, int min, int max) {
        return text -> {
            try {
                long value = Numbers.parseLong(text);
                if (value >= min && value <= max) {
                    return (int) value;
                }
            } catch (Numbers.NotANumber e) {
                throw new IllegalArgumentException(what + " " + e.getMessage() + ", found " + shorten(text), e);
            }
            throw new IllegalArgumentException(
                    what + " must be between " + min + " and " + max + ", found " + shorten(text));
        };
    }

    /** The entries of a map as they are, in the order of the file. */
    public Map<String, Node> entries() {
        if (kind != Kind.MAP) {
            throw mustBe("a map");
        }
        return entries;
    }

    /** The value at a key of a map; null when this is no map or has no such key. */
    public Node at(String child) {
        return entries.get(child);
    }

    private static <T> List<T> readAll(List<Node> nodes, Function<Node, T> reader) {
        List<T> values = new ArrayList<>(nodes.size());
        boolean rejected = false;
        for (Node node : nodes) {
            try {
                values.add(reader.apply(node));
            } catch (Rejected e) {
                rejected = true;
            } catch (IllegalArgumentException e) {
                node.report(e.getMessage());
                rejected = true;
            }
        }
        if (rejected) {
            throw new Rejected();
        }
        return values;
    }

    // ---- variants ----

    /**
     * This document with the value at one place replaced by one element of the list that stands there: how a list becomes
     * one variant of an axis. Problems are still recorded in the same place.
     *
     * @param at a list inside this tree
     * @param element one of its elements
     */
    public Node choosing(Node at, Node element) {
        return copy(null, at, element);
    }

    private Node copy(Node newParent, Node at, Node element) {
        if (this == at) {
            return element.rename(newParent, key, index);
        }
        Node copy = new Node(source, line, newParent, key, index, kind, raw);
        if (kind == Kind.MAP) {
            Map<String, Node> copied = new LinkedHashMap<>();
            entries.forEach((name, child) -> copied.put(name, child.copy(copy, at, element)));
            copy.entries = copied;
        } else if (kind == Kind.LIST) {
            copy.elements = elements.stream()
                    .map(child -> child.copy(copy, at, element))
                    .toList();
        }
        return copy;
    }

    private Node rename(Node newParent, String newKey, int newIndex) {
        Node renamed = new Node(source, line, newParent, newKey, newIndex, kind, raw);
        if (kind == Kind.MAP) {
            Map<String, Node> renamedEntries = new LinkedHashMap<>();
            entries.forEach((name, child) -> renamedEntries.put(name, child.rename(renamed, name, -1)));
            renamed.entries = renamedEntries;
        } else if (kind == Kind.LIST) {
            List<Node> renamedElements = new ArrayList<>();
            elements.forEach(child -> renamedElements.add(child.rename(renamed, null, renamedElements.size())));
            renamed.elements = renamedElements;
        }
        return renamed;
    }
}
