package dev.foretoken.formats.document;

import static java.nio.charset.StandardCharsets.UTF_16LE;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class DocumentsTest {
    @TempDir
    Path folder;

    record Point(String name, int rows, double ms) {
        Point {
            if (ms > 1e6) {
                throw new IllegalArgumentException("ms must be at most 1e6: " + ms);
            }
        }
    }

    private static Point point(Node node) {
        Fields fields = node.fields();
        Field<String> name = fields.required("name", Node::id);
        Field<Integer> rows = fields.required("rows", n -> n.integer(1, 1000));
        Field<Double> ms = fields.optional("round_ms", Node::positive);
        return fields.build(() -> new Point(name.get(), rows.get(), ms.or(1.0)));
    }

    private static <T> T yaml(String text, Function<Node, T> reader) {
        return Documents.read("f.yaml", text.getBytes(UTF_8), Limits.SCENARIO, reader);
    }

    private static <T> T json(String text, Function<Node, T> reader) {
        return Documents.read("f.json", text.getBytes(UTF_8), Limits.SCENARIO, reader);
    }

    private static String error(String text, Function<Node, ?> reader) {
        return assertThrows(DocumentError.class, () -> yaml(text, reader)).getMessage();
    }

    private static String jsonError(String text, Function<Node, ?> reader) {
        return assertThrows(DocumentError.class, () -> json(text, reader)).getMessage();
    }

    private static <T> Function<Node, T> key(Function<Node, T> reader) {
        return root -> reader.apply(root.at("k"));
    }

    @Test
    void bindsARecordFromYamlAndJson() {
        Point expected = new Point("a", 4, 20.5);
        assertEquals(expected, yaml("name: a\nrows: 4\nround_ms: 20.5\n", DocumentsTest::point));
        assertEquals(expected, yaml("{\"name\": \"a\",\n\t\"rows\": 4, \"round_ms\": 20.5}", DocumentsTest::point));
        assertEquals(expected, yaml("{name: a, rows: 4, round_ms: 20.5}", DocumentsTest::point));
        assertEquals(expected, json("{\"name\":\"a\",\"rows\":4.0,\"round_ms\":2.05e1}", DocumentsTest::point));
    }

    @Test
    void collectsEveryProblemWithItsLineAndTheNearestKey() {
        String text = "- {name: a, rows: 0}\n- name: b\n  row: 3\n  round_us: 4\n- name: c\n  rows: x\n";
        assertEquals("""
                f.yaml:1: [0].rows: must be a whole number between 1 and 1000, found 0
                f.yaml:3: [1].row: unknown key with value 3; did you mean rows?
                f.yaml:4: [1].round_us: unknown key with value 4; the unit differs, did you mean round_ms?
                f.yaml:6: [2].rows: must be a number, found x""", error(text, root -> root.list(DocumentsTest::point)));
    }

    @Test
    void aConstructorThatRefusesIsAProblemOfTheMap() {
        assertEquals(
                "f.yaml:1: [0]: ms must be at most 1e6: 2.0E7",
                error("- name: a\n  rows: 1\n  round_ms: 2e7\n", root -> root.list(DocumentsTest::point)));
    }

    @Test
    void printsTwentyProblemsAndCountsTheRest() {
        String message = error("[" + "x, ".repeat(29) + "x]", root -> root.list(Node::number));
        assertEquals(21, message.lines().count());
        assertTrue(message.endsWith("and 10 more problems"), message);
    }

    @ParameterizedTest
    @CsvSource({
        "1e-9, 1e-9",
        "1E3, 1000",
        "1_000, 1000",
        "-2.5, -2.5",
        "+3, 3",
        ".5, 0.5",
        "5., 5",
        "0, 0",
        "-0.0, -0.0",
        "123456789012345678, 123456789012345678"
    })
    void readsDecimalNumbers(String raw, double value) {
        assertEquals(value, yaml("k: " + raw, key(Node::number)));
    }

    @ParameterizedTest
    @CsvSource({
        "0x10, must be a decimal number",
        "0o17, must be a decimal number",
        "010, must not start with 0",
        ".inf, must be a finite number",
        "-.INF, must be a finite number",
        ".nan, must be a finite number",
        "NaN, must be a finite number",
        "Infinity, must be a finite number",
        "1e999, is too large for a number",
        "-1e999, is too large for a number",
        "1e-999, is too small for a number other than 0",
        "1__0, must be a number",
        "12 ms, must be a number",
        "1:30, must be a number",
        "'\"12\"', must be a number without quotes",
        "yes, must be a number",
        "~, must be a number",
        "'[1]', must be a number",
        "'1,5', must be a number"
    })
    void refusesOtherNumbers(String raw, String message) {
        String error = error("k: " + raw, key(Node::number));
        assertTrue(error.startsWith("f.yaml:1: k: " + message), error);
    }

    @Test
    void readsWholeNumbersOnly() {
        assertEquals(List.of(8, 1000), yaml("[8.0, 1e3]", root -> root.list(n -> n.integer(0, 1000))));
        assertEquals(
                List.of(Long.MIN_VALUE),
                yaml("[-9223372036854775808]", root -> root.list(n -> n.longInteger(Long.MIN_VALUE, 0))));
        assertTrue(error("k: 8.5", key(n -> n.integer(0, 10))).contains("must be a whole number, found 8.5"));
        assertTrue(error("k: 1e999999999", key(n -> n.integer(0, 10))).contains("is too large for a whole number"));
        assertTrue(error("k: 9223372036854775808", key(n -> n.longInteger(0, Long.MAX_VALUE)))
                .contains("too large"));
        assertTrue(error("k: -1", key(n -> n.integer(0, Integer.MAX_VALUE))).contains("of at least 0, found -1"));
    }

    @Test
    void aPlainScalarIsWhatTheKeyAsksFor() {
        assertEquals("1.10", yaml("k: 1.10", key(Node::text)));
        assertEquals("no", yaml("k: no", key(Node::text)));
        assertEquals("2026-11-30", yaml("k: 2026-11-30", key(Node::text)));
        assertEquals(false, yaml("k: off", key(Node::bool)));
        assertEquals(true, yaml("k: Yes", key(Node::bool)));
        assertEquals(true, json("{\"k\": true}", key(Node::bool)));
        assertTrue(error("k: 'true'", key(Node::bool)).contains("must be true or false, found \"true\""));
        assertTrue(error("k: 1", key(Node::bool)).contains("must be true or false, found 1"));
        assertTrue(error("k:", key(Node::text)).contains("must be text, found no value"));
        assertTrue(jsonError("{\"k\": 5}", key(Node::text)).contains("must be text, found 5"));
        assertTrue(jsonError("{\"k\": \"5\"}", key(Node::number))
                .contains("must be a number without quotes, found \"5\""));
    }

    @Test
    void namesTheNearestWord() {
        Map<String, Integer> words = Map.of("prefill-first", 1);
        assertTrue(error("k: prefil_first", key(n -> n.oneOf(words)))
                .endsWith("must be one of prefill-first, found prefil_first; did you mean prefill-first?"));
    }

    @Test
    void readsAxes() {
        assertEquals(List.of(3.0), yaml("k: 3", key(n -> n.axis(Node::number))));
        assertEquals(List.of(3.0, 1.0), yaml("k: [3, 1]", key(n -> n.axis(Node::number))));
        assertTrue(error("k: []", key(n -> n.axis(Node::number))).contains("at least one element"));
        assertTrue(
                error("k: [1, 2, 1.0]", key(n -> n.axis(Node::number))).contains("k[2]: the value 1.0 occurs twice"));
        assertTrue(error("k: [1, [2]]", key(n -> n.axis(Node::number))).contains("k[1]: must be a number, found [2]"));
    }

    @Test
    void readsMapsWithDataAsKeys() {
        Function<Node, Map<Integer, Double>> reader =
                key(n -> n.map(Node.integerKey("a budget", 0, 100), Node::number));
        assertEquals(Map.of(8, 3.1, 16, 3.4), yaml("k: {8: 3.1, 16: 3.4}", reader));
        assertEquals(Map.of(8, 3.1), json("{\"k\": {\"8\": 3.1}}", reader));
        assertTrue(error("k: {-8: 3.1}", reader).contains("k.-8: a budget must be between 0 and 100, found -8"));
        assertTrue(error("k: {8: 3.1, 8.0: 3}", reader).contains("the key occurs twice"));
    }

    @ParameterizedTest
    @ValueSource(strings = {"a: 1\nb: 2\na: 3\n", "{\"a\": 1,\n\"b\": 2,\n\"a\": 3}"})
    void refusesKeysThatOccurTwice(String text) {
        String error = error(text, root -> root.map(k -> k, Node::number));
        assertTrue(error.startsWith("f.yaml:3: a: the key occurs twice, first on line 1"), error);
    }

    @Test
    void followsAliasesAndMergeKeys() {
        String text = "base: &b {rows: 4, round_ms: 2}\nk: {<<: *b, name: a, round_ms: 3}\n";
        assertEquals(new Point("a", 4, 3), yaml(text, key(DocumentsTest::point)));
        String list = "a: &a {rows: 4}\nb: &b {rows: 5, round_ms: 2}\nk: {<<: [*a, *b], name: a}\n";
        assertEquals(new Point("a", 4, 2), yaml(list, key(DocumentsTest::point)));
        assertTrue(error("k: {<<: 4}", key(DocumentsTest::point)).contains("a merge key takes a map"));
    }

    @Test
    void refusesBombs() {
        StringBuilder laughs = new StringBuilder("a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n");
        for (int i = 1; i < 12; i++) {
            laughs.append("a" + i + ": &a" + i + " [" + ("*a" + (i - 1) + ", ").repeat(9) + "*a" + (i - 1) + "]\n");
        }
        assertTrue(error(laughs.toString(), Node::describe).contains("values (aliases expanded)"));
        StringBuilder merges = new StringBuilder("a0: &a0 {k: 1}\n");
        for (int i = 1; i < 40; i++) {
            merges.append("a" + i + ": &a" + i + " {<<: [*a" + (i - 1) + ", *a" + (i - 1) + "]}\n");
        }
        assertTrue(error(merges.toString(), Node::describe).contains("values (aliases expanded)"));
        String aliases = "a: &a {x: 1}\nk: [" + "*a, ".repeat(300) + "*a]\n";
        assertTrue(error(aliases, Node::describe).contains("is not valid YAML"));
        assertTrue(error("k: &a [*a]", Node::describe).contains("an alias refers to a value that contains it"));
        assertTrue(error("k: &a {<<: *a}", Node::describe).contains("an alias refers to a value that contains it"));
        assertTrue(error("k: " + "[".repeat(100_000), Node::describe).contains("is not valid YAML"));
        assertTrue(jsonError("[".repeat(100_000), Node::describe).contains("is not valid JSON"));
        assertTrue(error("k: " + "- ".repeat(50_000), Node::describe).contains("is not valid YAML"));
    }

    @ParameterizedTest
    @CsvSource({
        "k: !!java.lang.ProcessBuilder [a], java.lang.ProcessBuilder",
        "k: !!int \"3\", tags are not supported",
        "k: !foo 3, tags are not supported",
        "[a]: 3, 'a key must be a word or a number'",
        "'a: 1\n---\nb: 2', is not valid YAML",
        "'a:\n\tb: 2', is not valid YAML",
        "'a: [1, 2', is not valid YAML",
        "'a: \"x', is not valid YAML",
        "'a: *b', is not valid YAML",
        "%, is not valid YAML",
        "'# only a comment', is empty"
    })
    void refusesWhatIsNoPlainYaml(String text, String message) {
        String error = error(text.strip(), Node::entries);
        assertTrue(error.contains(message), error);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"{", "{\"a\": }", "{\"a\": NaN}", "{\"a\": 01}", "{\"a\": 1,}", "{'a': 1}", "[1] [2]", "{} x"})
    void refusesWhatIsNoJson(String text) {
        String error = jsonError(text, Node::describe);
        assertTrue(error.startsWith("f.json:1: ") && error.contains("JSON"), error);
    }

    @Test
    void decodesTextAndRefusesTheRest() throws IOException {
        assertEquals(3.0, read("k: 3\r\nb: 4\r\n".getBytes(UTF_8)));
        assertEquals(3.0, read("\uFEFFk: 3\n".getBytes(UTF_8)));
        assertEquals(3.0, read("\uFEFFk: 3\n".getBytes(UTF_16LE)));
        assertTrue(readError(new byte[0]).contains("is empty"));
        assertTrue(readError(" \n \n".getBytes(UTF_8)).contains("is empty"));
        assertTrue(readError(new byte[] {'k', ':', ' ', '3', '\n', 0, 1}).contains("f.yaml:2: is not a text file"));
        assertTrue(readError("k: 3".getBytes(UTF_16LE)).contains("is not a text file"));
        assertTrue(readError(new byte[] {'k', '\n', (byte) 0xC3, 0x28}).contains("f.yaml:2: is not UTF-8 text"));
    }

    @Test
    void refusesFilesThatCannotBeRead() throws IOException {
        Path huge = folder.resolve("huge.yaml");
        try (RandomAccessFile file = new RandomAccessFile(huge.toFile(), "rw")) {
            file.setLength(100_000_000);
        }
        assertTrue(fileError(huge).endsWith("huge.yaml: is too large: at most 3000000 bytes are read"));
        assertTrue(fileError(folder).endsWith("is a directory, not a file"));
        assertTrue(fileError(folder.resolve("none.yaml")).endsWith("none.yaml: no such file"));
    }

    @Test
    void choosingKeepsPlacesAndProblems() {
        String text = "a: {k: [1, x]}\nb: 2\n";
        assertEquals(1.0, yaml(text, root -> variant(root, 0).at("a").at("k").number()));
        assertEquals(
                "f.yaml:1: a.k: must be a number, found x",
                error(text, root -> variant(root, 1).at("a").at("k").number()));
    }

    private static Node variant(Node root, int element) {
        Node list = root.at("a").at("k");
        return root.choosing(list, list.elements().get(element));
    }

    private static double read(byte[] bytes) {
        return Documents.read("f.yaml", bytes, Limits.SCENARIO, key(Node::number));
    }

    private static String readError(byte[] bytes) {
        return assertThrows(DocumentError.class, () -> read(bytes)).getMessage();
    }

    private static String fileError(Path path) {
        return assertThrows(DocumentError.class, () -> Documents.read(path, Limits.SCENARIO, Node::describe))
                .getMessage();
    }
}
