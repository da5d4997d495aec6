package dev.foretoken.formats.scenario;

import dev.foretoken.sim.scenario.Scenario;
import java.util.List;

/**
 * A scenario file, read.
 *
 * @param variants one scenario per combination of axes that are neither TP, method, workload nor load; at least one
 * @param effective every value it runs with and where it came from
 * @param warnings figures that are not used, each a sentence
 */
public record ScenarioFile(List<Scenario> variants, List<Effective> effective, List<String> warnings) {
    public ScenarioFile {
        variants = List.copyOf(variants);
        effective = List.copyOf(effective);
        warnings = List.copyOf(warnings);
    }
}
