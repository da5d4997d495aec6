package dev.foretoken.sim.explore;

import dev.foretoken.sim.scenario.EngineSettings;
import java.lang.reflect.RecordComponent;
import java.util.StringJoiner;

/** Engine flags as people read them. */
final class EngineFlags {
    private EngineFlags() {}

    /** The given flags only: "overlap false, page_size 1". */
    static String describe(EngineSettings settings) {
        StringJoiner out = new StringJoiner(", ");
        for (RecordComponent c : EngineSettings.class.getRecordComponents()) {
            try {
                Object value = c.getAccessor().invoke(settings);
                if (value != null) {
                    out.add(c.getName().replaceAll("([A-Z])", "_$1").toLowerCase(java.util.Locale.ROOT) + " " + value);
                }
            } catch (ReflectiveOperationException e) {
                throw new IllegalStateException("engine flag " + c.getName(), e);
            }
        }
        return out.toString();
    }
}
