package dev.foretoken.formats.engine;

import dev.foretoken.formats.document.Field;
import dev.foretoken.formats.document.Fields;
import dev.foretoken.formats.document.Node;
import dev.foretoken.formats.schema.SchemaVersion;
import dev.foretoken.sim.method.Methods;
import dev.foretoken.sim.model.Dtype;
import dev.foretoken.sim.scenario.EngineSettings;
import java.util.List;
import java.util.Map;

/** Reads {@code engines/ID.yaml}. */
public final class EngineReader {
    public static final String SCHEMA = "foretoken/engine/1";

    private EngineReader() {}

    /** Binds the root of a file. */
    public static Engine read(Node root) {
        Fields fields = root.fields();
        fields.required("schema", n -> SchemaVersion.require(n, SCHEMA));
        Field<String> id = fields.required("id", Node::id);
        Field<String> name = fields.required("name", Node::name);
        Field<EngineSettings> defaults = fields.required("defaults", EngineSettingsReader::read);
        Field<Engine.GraphUnit> unit = fields.required("graph_unit", n -> n.oneOf(Engine.GraphUnit.class));
        Field<Engine.TreeWidth> width = fields.required("tree_width", n -> n.oneOf(Engine.TreeWidth.class));
        Field<Engine.StatePool> pool = fields.required("state_pool", n -> n.oneOf(Engine.StatePool.class));
        Field<Engine.Launch> launch = fields.required("launch", EngineReader::launch);
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

    private static EngineSettings named(String id, EngineSettings s) {
        return new EngineSettings(
                id,
                s.version(),
                s.cudaGraphs(),
                s.graphBatchSizes(),
                s.overlap(),
                s.pageSize(),
                s.maxRunningRequests(),
                s.maxBatchedTokens(),
                s.memoryFraction(),
                s.prefixHitRate(),
                s.prefillPolicy(),
                s.chunkTokens(),
                s.stateBuffers(),
                s.stateShare(),
                s.radixCache(),
                s.extraBuffer(),
                s.attentionBackend());
    }

    private static Engine.Launch launch(Node node) {
        Fields fields = node.fields();
        Field<String> command = fields.required("command", Node::text);
        Field<List<String>> flags = fields.required("flags", n -> n.list(Node::text));
        Field<Map<String, String>> whenFalse = fields.optional("when_false", EngineReader::switches);
        Field<Map<String, String>> whenTrue = fields.optional("when_true", EngineReader::switches);
        Field<Map<String, List<String>>> methods =
                fields.required("methods", n -> n.map(EngineReader::kind, flagList -> flagList.list(Node::text)));
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
        return node.map(EngineReader::settingOrHardware, Node::text);
    }

    private static String settingOrHardware(String key) {
        if (EngineSettingsReader.SCALARS.contains(key) || key.equals("custom_all_reduce")) {
            return key;
        }
        throw new IllegalArgumentException("must be a key with true or false, found " + key);
    }

    private static String kind(String key) {
        return Methods.byKind(key).kind();
    }
}
