package dev.foretoken.formats.scenario;

import dev.foretoken.formats.acceptance.AcceptanceFile;
import dev.foretoken.formats.acceptance.AcceptanceReader;
import dev.foretoken.formats.catalogue.Catalogue;
import dev.foretoken.sim.acceptance.AcceptanceForm;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * What a scenario refers to.
 *
 * @param catalogue cards, models, drafters, links, engines
 * @param acceptanceFiles reads acceptance files
 * @param traces reads drafter-marginal traces
 */
public record ScenarioResources(Catalogue catalogue, AcceptanceFiles acceptanceFiles, Traces traces) {

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

    /** With acceptance files of this project's own format. */
    public static ScenarioResources of(Catalogue catalogue, Traces traces) {
        return new ScenarioResources(catalogue, ScenarioResources::acceptanceFile, traces);
    }

    private static Map<String, AcceptanceForm> acceptanceFile(Path path, String workload) {
        AcceptanceFile file = AcceptanceReader.read(path);
        Map<String, AcceptanceForm> forms = new LinkedHashMap<>();
        for (AcceptanceFile.Entry e : file.of(workload)) {
            forms.put(e.method() == null ? "" : e.method(), e.form());
        }
        return forms;
    }
}
