package dev.foretoken.formats.engine;

import dev.foretoken.formats.document.Field;
import dev.foretoken.formats.document.Fields;
import dev.foretoken.formats.document.Nearest;
import dev.foretoken.formats.document.Node;
import dev.foretoken.formats.scenario.EngineReader;
import dev.foretoken.formats.schema.SchemaVersion;
import dev.foretoken.sim.method.Methods;
import dev.foretoken.sim.model.Dtype;
import dev.foretoken.sim.scenario.EngineSettings;
import java.util.List;
import java.util.Map;

/** Reads {@code engines/ID.yaml}. */
public final class EngineEntryReader {
    public static final String SCHEMA = "foretoken/engine/1";

    /** Settings that are true or false: a launch flag may depend on them. */
    private static final List<String> SWITCHES =
            List.of("cuda_graphs", "overlap", "radix_cache", "extra_buffer", "custom_all_reduce");

    private EngineEntryReader() {}

    /** Binds the root of a file. */
    public static Engine read(Node root) {
        Fields fields = root.fields();
        fields.required("schema", n -> SchemaVersion.require(n, SCHEMA));
        Field<String> id = fields.required("id", Node::id);
        Field<String> name = fields.required("name", Node::name);
        Field<EngineSettings> defaults = fields.required("defaults", n -> EngineReader.read(n, List.of(), false));
        Field<Engine.GraphUnit> unit = fields.required("graph_unit", n -> n.oneOf(Engine.GraphUnit.class));
        Field<Engine.TreeWidth> width = fields.required("tree_width", n -> n.oneOf(Engine.TreeWidth.class));
        Field<Engine.StatePool> pool = fields.required("state_pool", n -> n.oneOf(Engine.StatePool.class));
        Field<Engine.Launch> launch = fields.required("launch", EngineEntryReader::launch);
        Field<String> forced = fields.optional("forced_acceptance", Node::text);
        Field<List<String>> notes = fields.optional("notes", n -> n.list(Node::text));
        Field<List<String>> sources = fields.required("sources", n -> n.nonEmptyList(Node::text));
        return fields.build(() -> new Engine(
                id.get(),
                name.get(),
                named(id.get(), defaults.get()),
                unit.get(),
                width.get(),
                pool.get(),
                launch.get(),
                forced.get(),
                notes.or(List.of()),
                sources.get()));
    }

    private static EngineSettings named(String id, EngineSettings settings) {
        return settings.overriddenBy(new EngineSettings(
                id, null, null, null, null, null, null, null, null, null, null, null, null, null, null, null, null));
    }

    private static Engine.Launch launch(Node node) {
        Fields fields = node.fields();
        Field<String> command = fields.required("command", Node::text);
        Field<List<String>> flags = fields.required("flags", n -> n.list(Node::text));
        Field<Map<String, String>> whenFalse = fields.optional("when_false", EngineEntryReader::switches);
        Field<Map<String, String>> whenTrue = fields.optional("when_true", EngineEntryReader::switches);
        Field<Map<String, List<String>>> methods =
                fields.required("methods", n -> n.map(EngineEntryReader::kind, flagList -> flagList.list(Node::text)));
        Field<Map<String, String>> kvCache = fields.optional(
                "kv_cache_names", n -> n.map(key -> Dtype.of(key).id(), Node::text));
        return fields.build(() -> new Engine.Launch(
                command.get(),
                flags.get(),
                whenFalse.or(Map.of()),
                whenTrue.or(Map.of()),
                methods.get(),
                kvCache.or(Map.of())));
    }

    private static Map<String, String> switches(Node node) {
        return node.map(EngineEntryReader::switchKey, Node::text);
    }

    private static String switchKey(String key) {
        if (SWITCHES.contains(key)) {
            return key;
        }
        throw new IllegalArgumentException(
                "must be one of " + String.join(", ", SWITCHES) + ", found " + key + Nearest.phrase(key, SWITCHES));
    }

    private static String kind(String key) {
        return Methods.byKind(key).kind();
    }
}
