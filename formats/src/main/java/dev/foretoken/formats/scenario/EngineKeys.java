package dev.foretoken.formats.scenario;

import dev.foretoken.formats.document.Node;
import dev.foretoken.sim.scenario.EngineSettings;
import java.lang.reflect.RecordComponent;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;

/** Engine flags under the keys that files use. */
public final class EngineKeys {
    private EngineKeys() {}

    /** The flags that are set, by key; nested keys with a dot. */
    public static Map<String, Object> values(EngineSettings settings) {
        Map<String, Object> values = new LinkedHashMap<>();
        for (RecordComponent c : EngineSettings.class.getRecordComponents()) {
            try {
                Object value = c.getAccessor().invoke(settings);
                if (value != null) {
                    values.put(key(c.getName()), value);
                }
            } catch (ReflectiveOperationException e) {
                throw new IllegalStateException("engine flag " + c.getName(), e);
            }
        }
        return values;
    }

    private static String key(String component) {
        return switch (component) {
            case "prefillPolicy" -> "prefill.policy";
            case "chunkTokens" -> "prefill.chunk_tokens";
            default -> component.replaceAll("([A-Z])", "_$1").toLowerCase(Locale.ROOT);
        };
    }

    /** Line of a key in the engine's map. */
    static int line(Node engine, String key) {
        Node at = engine;
        for (String part : key.split("\\.")) {
            Node child = at.at(part);
            if (child == null) {
                return at.line();
            }
            at = child;
        }
        return at.line();
    }
}
