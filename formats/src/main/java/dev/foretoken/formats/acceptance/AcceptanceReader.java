package dev.foretoken.formats.acceptance;

import dev.foretoken.formats.acceptance.AcceptanceFile.Entry;
import dev.foretoken.formats.acceptance.AcceptanceFile.Interval;
import dev.foretoken.formats.acceptance.AcceptanceFile.Samples;
import dev.foretoken.formats.document.DocumentError;
import dev.foretoken.formats.document.Documents;
import dev.foretoken.formats.document.Field;
import dev.foretoken.formats.document.Fields;
import dev.foretoken.formats.document.Limits;
import dev.foretoken.formats.document.Node;
import dev.foretoken.formats.schema.SchemaVersion;
import dev.foretoken.sim.acceptance.AcceptanceForm;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/** Reads foretoken/acceptance/1, YAML or JSON. Unknown fields are ignored, except that a form has no unknown keys. */
public final class AcceptanceReader {
    private AcceptanceReader() {}

    /** @throws DocumentError with every problem found */
    public static AcceptanceFile read(Path path) {
        return Documents.read(path, Limits.SCENARIO, AcceptanceReader::file);
    }

    /** Binds the root of a document. */
    public static AcceptanceFile file(Node root) {
        Fields fields = root.fields().ignoreUnknown();
        fields.required("schema", n -> SchemaVersion.require(n, AcceptanceFile.SCHEMA));
        Field<String> name = fields.nullable("name", Node::text);
        Field<List<Entry>> entries = fields.required("entries", n -> n.nonEmptyList(AcceptanceReader::entry));
        Field<List<String>> notes = fields.nullable("notes", n -> n.list(Node::text));
        return fields.build(() -> new AcceptanceFile(name.get(), entries.get(), notes.or(List.of())));
    }

    private static Entry entry(Node node) {
        Fields fields = node.fields().ignoreUnknown();
        Field<String> workload = fields.nullable("workload", Node::id);
        Field<String> method = fields.nullable("method", Node::id);
        Field<AcceptanceForm> form = fields.required("form", AcceptanceReader::form);
        Field<Map<String, Interval>> intervals =
                fields.nullable("intervals", n -> n.map(key -> key, AcceptanceReader::interval));
        Field<Samples> samples = fields.nullable("samples", AcceptanceReader::samples);
        Field<String> drafter = fields.nullable("drafter", Node::text);
        Field<String> target = fields.nullable("target", Node::text);
        Field<Double> temperature = fields.nullable("temperature", Node::nonNegative);
        Field<String> engine = fields.nullable("engine", Node::text);
        Field<String> version = fields.nullable("engine_version", Node::text);
        Field<List<String>> conversions = fields.nullable("conversions", n -> n.list(Node::text));
        Field<String> source = fields.nullable("source", Node::text);
        return fields.build(() -> new Entry(
                workload.get(),
                method.get(),
                form.get(),
                intervals.or(Map.of()),
                samples.get(),
                drafter.get(),
                target.get(),
                temperature.get(),
                engine.get(),
                version.get(),
                conversions.or(List.of()),
                source.get()));
    }

    private static AcceptanceForm form(Node node) {
        AcceptanceForm form = FormReader.read(node);
        if (form == null) {
            throw node.mustBe("a form: one of " + String.join(", ", FormReader.FORMS));
        }
        return form;
    }

    private static Interval interval(Node node) {
        Fields fields = node.fields().ignoreUnknown();
        Field<Double> lo = fields.required("lo", Node::number);
        Field<Double> hi = fields.required("hi", Node::number);
        Field<Double> level = fields.required("level", Node::number);
        return fields.build(() -> new Interval(lo.get(), hi.get(), level.get()));
    }

    private static Samples samples(Node node) {
        Fields fields = node.fields().ignoreUnknown();
        Field<Long> rounds = fields.nullable("rounds", n -> n.longInteger(0, Long.MAX_VALUE));
        Field<Long> requests = fields.nullable("requests", n -> n.longInteger(0, Long.MAX_VALUE));
        Field<Long> tokens = fields.nullable("tokens", n -> n.longInteger(0, Long.MAX_VALUE));
        return fields.build(() -> new Samples(rounds.get(), requests.get(), tokens.get()));
    }
}
