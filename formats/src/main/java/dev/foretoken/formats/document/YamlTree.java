package dev.foretoken.formats.document;

import java.util.ArrayList;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.yaml.snakeyaml.DumperOptions.ScalarStyle;
import org.yaml.snakeyaml.LoaderOptions;
import org.yaml.snakeyaml.composer.Composer;
import org.yaml.snakeyaml.error.Mark;
import org.yaml.snakeyaml.error.MarkedYAMLException;
import org.yaml.snakeyaml.error.YAMLException;
import org.yaml.snakeyaml.nodes.MappingNode;
import org.yaml.snakeyaml.nodes.NodeTuple;
import org.yaml.snakeyaml.nodes.ScalarNode;
import org.yaml.snakeyaml.nodes.SequenceNode;
import org.yaml.snakeyaml.nodes.Tag;
import org.yaml.snakeyaml.parser.ParserImpl;
import org.yaml.snakeyaml.reader.ReaderException;
import org.yaml.snakeyaml.reader.StreamReader;
import org.yaml.snakeyaml.resolver.Resolver;

/** Builds the tree of a YAML document. Nothing is constructed from tags, and no type is guessed from a plain scalar. */
final class YamlTree {
    private static final String MERGE_KEY = "<<";

    private final Source source;
    private final Set<org.yaml.snakeyaml.nodes.Node> open = Collections.newSetFromMap(new IdentityHashMap<>());

    private YamlTree(Source source) {
        this.source = source;
    }

    static Node parse(Source source, String text) {
        LoaderOptions options = new LoaderOptions();
        options.setCodePointLimit(Integer.MAX_VALUE);
        options.setNestingDepthLimit(source.limits.maxDepth());
        options.setMaxAliasesForCollections(source.limits.maxAliases());
        options.setProcessComments(false);
        try {
            StreamReader reader = new StreamReader(text);
            Composer composer = new Composer(new ParserImpl(reader, options), new TextOnlyResolver(), options);
            org.yaml.snakeyaml.nodes.Node root = composer.getSingleNode();
            if (root == null) {
                throw source.error(0, "is empty");
            }
            return new YamlTree(source).convert(root, null, null, -1);
        } catch (ReaderException e) {
            throw source.error(
                    0, "is not a text file: it holds the character " + String.format("U+%04X", e.getCodePoint()));
        } catch (MarkedYAMLException e) {
            Mark mark = e.getProblemMark();
            int line = mark == null ? 0 : mark.getLine() + 1;
            String context = e.getContext() == null ? "" : e.getContext() + ": ";
            throw source.error(line, Node.oneLine("is not valid YAML: " + context + e.getProblem()));
        } catch (YAMLException e) {
            throw source.error(0, Node.oneLine("is not valid YAML: " + e.getMessage()));
        }
    }

    private Node convert(org.yaml.snakeyaml.nodes.Node node, Node parent, String key, int index) {
        int line = line(node);
        source.countValue(line);
        if (!open.add(node)) {
            throw source.error(line, "an alias refers to a value that contains it");
        }
        try {
            if (node instanceof ScalarNode scalar) {
                refuseTag(node, Tag.STR);
                return scalar(scalar, parent, key, index);
            }
            if (node instanceof SequenceNode sequence) {
                refuseTag(node, Tag.SEQ);
                Node list = Node.list(source, line, parent, key, index);
                List<Node> elements = new ArrayList<>(sequence.getValue().size());
                for (org.yaml.snakeyaml.nodes.Node element : sequence.getValue()) {
                    elements.add(convert(element, list, null, elements.size()));
                }
                list.setElements(elements);
                return list;
            }
            refuseTag(node, Tag.MAP);
            Node map = Node.map(source, line, parent, key, index);
            map.setEntries(entries((MappingNode) node, map));
            return map;
        } finally {
            open.remove(node);
        }
    }

    private Map<String, Node> entries(MappingNode mapping, Node map) {
        Map<String, Node> entries = new LinkedHashMap<>();
        Map<String, Node> merged = new LinkedHashMap<>();
        for (NodeTuple tuple : mapping.getValue()) {
            int line = line(tuple.getKeyNode());
            if (!(tuple.getKeyNode() instanceof ScalarNode keyNode)) {
                throw source.error(line, "a key must be a word or a number, not a list or a map");
            }
            refuseTag(keyNode, Tag.STR);
            String key = keyNode.getValue();
            if (key.equals(MERGE_KEY) && keyNode.getScalarStyle() == ScalarStyle.PLAIN) {
                merge(tuple.getValueNode(), map, merged);
                continue;
            }
            Node value = convert(tuple.getValueNode(), map, key, -1);
            value.setLine(line);
            Node before = entries.putIfAbsent(key, value);
            if (before != null) {
                value.report("the key occurs twice, first on line " + before.line());
            }
        }
        merged.forEach(entries::putIfAbsent);
        return entries;
    }

    /** Merge key of YAML 1.1: a map, or a list of maps of which the first that has a key wins. */
    private void merge(org.yaml.snakeyaml.nodes.Node value, Node map, Map<String, Node> merged) {
        if (value instanceof MappingNode mapping) {
            if (!open.add(mapping)) {
                throw source.error(line(value), "an alias refers to a value that contains it");
            }
            entries(mapping, map).forEach(merged::putIfAbsent);
            open.remove(mapping);
        } else if (value instanceof SequenceNode sequence
                && sequence.getValue().stream().allMatch(MappingNode.class::isInstance)) {
            sequence.getValue().forEach(element -> merge(element, map, merged));
        } else {
            throw source.error(line(value), "a merge key takes a map or a list of maps");
        }
    }

    private Node scalar(ScalarNode scalar, Node parent, String key, int index) {
        String raw = scalar.getValue();
        boolean plain = scalar.getScalarStyle() == ScalarStyle.PLAIN;
        Node.Kind kind = Node.Kind.TEXT;
        if (plain) {
            boolean empty = raw.isEmpty() || raw.equals("~") || raw.equalsIgnoreCase("null");
            kind = empty ? Node.Kind.NULL : Node.Kind.PLAIN;
        }
        return Node.scalar(source, line(scalar), parent, key, index, kind, raw);
    }

    private void refuseTag(org.yaml.snakeyaml.nodes.Node node, Tag expected) {
        if (!node.getTag().equals(expected)) {
            throw source.error(
                    line(node),
                    "tags are not supported: " + Node.oneLine(node.getTag().getValue()));
        }
    }

    private static int line(org.yaml.snakeyaml.nodes.Node node) {
        return node.getStartMark().getLine() + 1;
    }

    /** Gives every untagged plain scalar the tag of text, so that a key decides what it is. */
    private static final class TextOnlyResolver extends Resolver {
        @Override
        protected void addImplicitResolvers() {
            // no type is guessed
        }
    }
}
