package dev.foretoken.cli;

import dev.foretoken.formats.catalogue.Catalogue;
import dev.foretoken.formats.catalogue.CatalogueFiles;
import dev.foretoken.formats.catalogue.CatalogueKind;
import dev.foretoken.formats.engine.LaunchCommand;
import dev.foretoken.formats.scenario.ScenarioFile;
import dev.foretoken.formats.scenario.ScenarioReader;
import dev.foretoken.formats.scenario.ScenarioResources;
import dev.foretoken.sim.explore.Explorer;
import dev.foretoken.sim.memory.MemoryPlan;
import dev.foretoken.sim.round.BlackBoxTimes;
import dev.foretoken.sim.round.RoundTimes;
import dev.foretoken.sim.scenario.Scenario;
import java.nio.file.Path;

/** What commands on a scenario share: the catalogue, the reader, and the source of round times. */
final class Workspace {
    private final Catalogue catalogue;

    Workspace(Catalogue catalogue) {
        this.catalogue = catalogue;
    }

    /** The bundled catalogue, with a user's own entries beside the scenario or where FORETOKEN_CATALOGUE points. */
    static Workspace beside(Path scenario) {
        return new Workspace(new Catalogue(CatalogueFiles.of(scenario, System.getenv(CatalogueFiles.VARIABLE))));
    }

    Catalogue catalogue() {
        return catalogue;
    }

    ScenarioFile read(Path file) {
        return new ScenarioReader(ScenarioResources.of(catalogue, path -> {
                    throw new UserError("traces of drafter marginals are read by calibrate acceptance: " + path);
                }))
                .read(file);
    }

    /** Round times of a scenario: its own knots, else kernels of its card. */
    RoundTimes times(Scenario scenario) {
        if (scenario.calibration().blackBox()) {
            return new BlackBoxTimes(scenario.calibration(), scenario.tpSizes(), memory(scenario));
        }
        throw new UserError(
                "this scenario has no calibration.round_times, and kernel profiles are not part of this version");
    }

    private BlackBoxTimes.MemoryLimit memory(Scenario scenario) {
        if (scenario.hardware() == null || scenario.target() == null) {
            return BlackBoxTimes.MemoryLimit.NONE;
        }
        return new MemoryPlan(
                catalogue.gpu(scenario.hardware().gpu()),
                catalogue.model(scenario.target().model()),
                scenario.target(),
                id -> catalogue.find(CatalogueKind.DRAFTER, id).orElse(null),
                id -> catalogue.find(CatalogueKind.MODEL, id).orElse(null));
    }

    Explorer.LaunchFlags launch(Scenario scenario) {
        return new LaunchCommand(catalogue.engine(scenario.engine().name()));
    }
}
