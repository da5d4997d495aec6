package dev.foretoken.cli;

import dev.foretoken.formats.catalogue.Catalogue;
import dev.foretoken.formats.catalogue.CatalogueFiles;
import dev.foretoken.formats.catalogue.CatalogueKind;
import dev.foretoken.formats.engine.LaunchCommand;
import dev.foretoken.formats.scenario.ScenarioFile;
import dev.foretoken.formats.scenario.ScenarioReader;
import dev.foretoken.formats.scenario.ScenarioResources;
import dev.foretoken.sim.explore.LaunchFlags;
import dev.foretoken.sim.memory.MemoryPlan;
import dev.foretoken.sim.round.BlackBoxTimes;
import dev.foretoken.sim.round.RoundTimes;
import dev.foretoken.sim.scenario.Scenario;
import java.nio.charset.StandardCharsets;
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
        return reader().read(file);
    }

    /** A scenario that is no file of its own. */
    ScenarioFile readText(String name, String text) {
        return reader().read(name, text.getBytes(StandardCharsets.UTF_8), Path.of(""));
    }

    private ScenarioReader reader() {
        return new ScenarioReader(ScenarioResources.of(catalogue, path -> {
            throw new UserError("traces of drafter marginals are read by calibrate acceptance: " + path);
        }));
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
        MemoryPlan plan = plan(scenario);
        return plan == null ? BlackBoxTimes.MemoryLimit.NONE : plan;
    }

    /** Memory of the scenario's cards, null without card or model. */
    MemoryPlan plan(Scenario scenario) {
        if (scenario.hardware() == null || scenario.target() == null) {
            return null;
        }
        return new MemoryPlan(
                catalogue.gpu(scenario.hardware().gpu()),
                catalogue.model(scenario.target().model()),
                scenario.target(),
                id -> catalogue.find(CatalogueKind.DRAFTER, id).orElse(null),
                id -> catalogue.find(CatalogueKind.MODEL, id).orElse(null));
    }

    LaunchFlags launch(Scenario scenario) {
        return new LaunchCommand(catalogue.engine(scenario.engine().name()));
    }
}
