package dev.foretoken.formats.document;

import java.nio.file.Path;
import java.util.Locale;
import java.util.function.Function;

/** Reads documents: the one door through which YAML and JSON files come in. */
public final class Documents {
    private Documents() {}

    /**
     * Reads a file. Names ending in {@code .json} are JSON; others are YAML, or JSON when they begin like it.
     *
     * @param reader binds the root of the document
     * @throws DocumentError with every problem found
     */
    public static <T> T read(Path path, Limits limits, Function<Node, T> reader) {
        String file = path.toString();
        Source source = new Source(file, limits);
        return bind(source, TextInput.read(path, file, limits.maxBytes()), reader);
    }

    /**
     * Reads bytes that came from elsewhere, such as a resource.
     *
     * @param file how errors name the document; its ending says what it is
     */
    public static <T> T read(String file, byte[] bytes, Limits limits, Function<Node, T> reader) {
        Source source = new Source(file, limits);
        return bind(source, TextInput.decode(file, bytes, limits.maxBytes()), reader);
    }

    private static <T> T bind(Source source, String text, Function<Node, T> reader) {
        Node root = parse(source, text);
        Problems problems = root.problems();
        try {
            T value = reader.apply(root);
            if (problems.isEmpty()) {
                return value;
            }
        } catch (Problems.Rejected e) {
            if (problems.isEmpty()) {
                throw new IllegalStateException("a value was rejected without a reason", e);
            }
        } catch (IllegalArgumentException e) {
            root.report(e.getMessage());
        }
        throw problems.toError();
    }

    private static Node parse(Source source, String text) {
        if (source.file.toLowerCase(Locale.ROOT).endsWith(".json")) {
            return JsonTree.parse(source, text);
        }
        if (looksLikeJson(text)) {
            try {
                return JsonTree.parse(source, text);
            } catch (DocumentError notJson) {
                return YamlTree.parse(new Source(source.file, source.limits), text);
            }
        }
        return YamlTree.parse(source, text);
    }

    private static boolean looksLikeJson(String text) {
        String start = text.stripLeading();
        if (!start.startsWith("{")) {
            return false;
        }
        String inside = start.substring(1).stripLeading();
        return inside.startsWith("\"") || inside.startsWith("}");
    }
}
