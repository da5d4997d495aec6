package dev.foretoken.formats.engine;

import dev.foretoken.formats.catalogue.Catalogue;
import dev.foretoken.formats.catalogue.CatalogueKind;
import dev.foretoken.sim.scenario.EngineSettings;
import java.util.LinkedHashMap;
import java.util.Map;

/** The engines of a catalogue. */
public final class Engines {
    private Engines() {}

    /** Default settings by engine id. */
    public static Map<String, EngineSettings> defaults(Catalogue catalogue) {
        Map<String, EngineSettings> defaults = new LinkedHashMap<>();
        for (String id : catalogue.ids(CatalogueKind.ENGINE)) {
            defaults.put(id, catalogue.engine(id).defaults());
        }
        return defaults;
    }
}
