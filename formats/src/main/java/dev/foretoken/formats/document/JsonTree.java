package dev.foretoken.formats.document;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.core.StreamReadConstraints;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Builds the tree of a JSON document (RFC 8259, nothing more). */
final class JsonTree {
    private final Source source;
    private final JsonParser parser;

    private JsonTree(Source source, JsonParser parser) {
        this.source = source;
        this.parser = parser;
    }

    static Node parse(Source source, String text) {
        StreamReadConstraints constraints = StreamReadConstraints.builder()
                .maxNestingDepth(source.limits.maxDepth())
                .maxNumberLength(1_000)
                .maxStringLength((int) Math.min(source.limits.maxBytes(), Integer.MAX_VALUE))
                .build();
        JsonFactory factory =
                JsonFactory.builder().streamReadConstraints(constraints).build();
        try (JsonParser parser = factory.createParser(text)) {
            parser.nextToken();
            Node root = new JsonTree(source, parser).value(null, null, -1);
            if (parser.nextToken() != null) {
                throw source.error(parser.currentTokenLocation().getLineNr(), "holds more than one JSON value");
            }
            return root;
        } catch (JsonProcessingException e) {
            int line = e.getLocation() == null ? 0 : e.getLocation().getLineNr();
            throw source.error(
                    line,
                    "is not valid JSON: " + Node.oneLine(e.getOriginalMessage().replaceFirst(": enable `.*", "")));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private Node value(Node parent, String key, int index) throws IOException {
        JsonToken token = parser.currentToken();
        int line = parser.currentTokenLocation().getLineNr();
        source.countValue(line);
        switch (token) {
            case START_OBJECT -> {
                Node map = Node.map(source, line, parent, key, index);
                Map<String, Node> entries = new LinkedHashMap<>();
                while (parser.nextToken() != JsonToken.END_OBJECT) {
                    String name = parser.currentName();
                    int keyLine = parser.currentTokenLocation().getLineNr();
                    parser.nextToken();
                    Node value = value(map, name, -1);
                    value.setLine(keyLine);
                    Node before = entries.putIfAbsent(name, value);
                    if (before != null) {
                        value.report("the key occurs twice, first on line " + before.line());
                    }
                }
                map.setEntries(entries);
                return map;
            }
            case START_ARRAY -> {
                Node list = Node.list(source, line, parent, key, index);
                List<Node> elements = new ArrayList<>();
                while (parser.nextToken() != JsonToken.END_ARRAY) {
                    elements.add(value(list, null, elements.size()));
                }
                list.setElements(elements);
                return list;
            }
            case VALUE_NULL -> {
                return Node.scalar(source, line, parent, key, index, Node.Kind.NULL, "null");
            }
            case VALUE_TRUE, VALUE_FALSE -> {
                return Node.scalar(source, line, parent, key, index, Node.Kind.BOOLEAN, parser.getText());
            }
            case VALUE_NUMBER_INT, VALUE_NUMBER_FLOAT -> {
                return Node.scalar(source, line, parent, key, index, Node.Kind.NUMBER, parser.getText());
            }
            default -> {
                return Node.scalar(source, line, parent, key, index, Node.Kind.TEXT, parser.getText());
            }
        }
    }
}
