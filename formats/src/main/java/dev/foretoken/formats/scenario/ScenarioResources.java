package dev.foretoken.formats.scenario;

import dev.foretoken.formats.catalogue.Catalogue;
import dev.foretoken.sim.acceptance.AcceptanceForm;
import dev.foretoken.sim.scenario.EngineSettings;
import java.nio.file.Path;
import java.util.Map;

/**
 * What a scenario refers to.
 *
 * @param catalogue cards, models, drafters, links
 * @param engines default flags by engine id
 * @param acceptanceFiles reads acceptance files
 * @param traces reads drafter-marginal traces
 */
public record ScenarioResources(
        Catalogue catalogue, Map<String, EngineSettings> engines, AcceptanceFiles acceptanceFiles, Traces traces) {

    /** Reads acceptance files. */
    public interface AcceptanceFiles {
        /**
         * Forms by method id or kind; key "" is the bare form.
         *
         * @param workload id of the workload that asks
         */
        Map<String, AcceptanceForm> read(Path file, String workload);
    }

    /** Reads drafter-marginal traces. */
    public interface Traces {
        AcceptanceForm read(Path file);
    }
}
