package dev.foretoken.cli;

import dev.foretoken.calibration.study.MarginalTrace;
import dev.foretoken.formats.catalogue.Catalogue;
import dev.foretoken.formats.catalogue.CatalogueFiles;
import dev.foretoken.formats.catalogue.CatalogueKind;
import dev.foretoken.formats.engine.LaunchCommand;
import dev.foretoken.formats.profile.ProfileCatalogue;
import dev.foretoken.formats.profile.ProfileReader;
import dev.foretoken.formats.scenario.ScenarioFile;
import dev.foretoken.formats.scenario.ScenarioReader;
import dev.foretoken.formats.scenario.ScenarioResources;
import dev.foretoken.sim.explore.LaunchFlags;
import dev.foretoken.sim.hardware.Gpu;
import dev.foretoken.sim.hardware.LinkProfile;
import dev.foretoken.sim.memory.MemoryPlan;
import dev.foretoken.sim.profile.Profile;
import dev.foretoken.sim.round.BlackBoxTimes;
import dev.foretoken.sim.round.RoundTimes;
import dev.foretoken.sim.scenario.Scenario;
import dev.foretoken.sim.whitebox.DatasheetProfile;
import dev.foretoken.sim.whitebox.WhiteBoxTimes;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** What commands on a scenario share: the catalogue, the reader, and the source of round times. */
final class Workspace {
    /** Link profile of a pair of cards without peer access. */
    private static final String WITHOUT_PEERS = "pcie5-slow";

    private final Catalogue catalogue;
    private final ProfileCatalogue profiles;

    Workspace(CatalogueFiles files) {
        this.catalogue = new Catalogue(files);
        this.profiles = new ProfileCatalogue(files);
    }

    /** The bundled catalogue, with a user's own entries beside the scenario or where FORETOKEN_CATALOGUE points. */
    static Workspace beside(Path scenario) {
        return new Workspace(CatalogueFiles.of(scenario, System.getenv(CatalogueFiles.VARIABLE)));
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
        return new ScenarioReader(ScenarioResources.of(catalogue, MarginalTrace::load));
    }

    /** Round times of a scenario: its own knots, else kernels of its card. */
    RoundTimes times(Scenario scenario) {
        if (scenario.calibration().blackBox()) {
            return new BlackBoxTimes(scenario.calibration(), scenario.tpSizes(), memory(scenario));
        }
        Gpu gpu = catalogue.gpu(scenario.hardware().gpu());
        return new WhiteBoxTimes(new WhiteBoxTimes.Sources(
                gpu,
                profile(scenario, gpu),
                link(scenario, gpu),
                scenario.hardware().customAllReduce(),
                scenario.hardware().powerLimitW(),
                catalogue.model(scenario.target().model()),
                scenario.target(),
                id -> catalogue.find(CatalogueKind.DRAFTER, id).orElse(null),
                id -> catalogue.find(CatalogueKind.MODEL, id).orElse(null),
                null,
                scenario.calibration().prefillMsPerToken(),
                memory(scenario)));
    }

    /** The profile that the scenario names, else the card's newest for the engine. */
    private Profile profile(Scenario scenario, Gpu gpu) {
        String id = scenario.calibration().profile();
        if (id == null) {
            id = gpu.id() + "/" + scenario.engine().name();
            if (profiles.resolve(id).isEmpty()) {
                return DatasheetProfile.of(gpu, scenario.engine().name());
            }
        }
        Path file = Path.of(id);
        if (Files.isRegularFile(file)) {
            return ProfileReader.read(file);
        }
        return profiles.load(id);
    }

    /**
     * A profile by id.
     *
     * @throws IllegalArgumentException naming the nearest id when there is no such profile
     */
    Profile profile(String id) {
        return profiles.load(id);
    }

    /** True when kernel timings of a card under an engine are at hand. */
    boolean hasProfile(String gpu, String engine) {
        return profiles.resolve(gpu + "/" + engine).isPresent();
    }

    /** The link profile that the scenario names, else the card's usual one; null where one card is enough. */
    private LinkProfile link(Scenario scenario, Gpu gpu) {
        String id = defaultLink(scenario);
        return id == null ? null : catalogue.link(id);
    }

    /** Id of the link profile that a scenario runs with, null where one card is enough. */
    String defaultLink(Scenario scenario) {
        if (scenario.hardware().link() != null) {
            return scenario.hardware().link();
        }
        List<String> usual = catalogue.gpu(scenario.hardware().gpu()).link().profiles();
        if (Boolean.FALSE.equals(scenario.hardware().p2p()) && usual.contains(WITHOUT_PEERS)) {
            return WITHOUT_PEERS;
        }
        return usual.isEmpty() ? null : usual.get(0);
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

    /** What a reader of the result must know about the scenario: unused figures, and choices made for it. */
    List<String> warnings(ScenarioFile file) {
        List<String> warnings = new ArrayList<>(file.warnings());
        for (Scenario s : file.variants()) {
            if (!s.calibration().blackBox()
                    && s.calibration().profile() == null
                    && !hasProfile(s.hardware().gpu(), s.engine().name())) {
                warnings.add("no kernel timings of " + s.hardware().gpu() + " under "
                        + s.engine().name()
                        + " ship: round times are a roofline from the datasheet, uncalibrated; give"
                        + " calibration.round_times of your server, or a profile (" + String.join(", ", profiles.ids())
                        + ")");
            }
            boolean several = s.tpSizes().stream().anyMatch(tp -> tp > 1);
            if (!s.calibration().blackBox() && s.hardware().link() == null && several && defaultLink(s) != null) {
                warnings.add("hardware.link is not given: all-reduce times are those of " + defaultLink(s)
                        + "; published nodes of this card differ by 2x, so name or calibrate yours");
            }
        }
        return warnings;
    }

    LaunchFlags launch(Scenario scenario) {
        return new LaunchCommand(catalogue.engine(scenario.engine().name()));
    }
}
