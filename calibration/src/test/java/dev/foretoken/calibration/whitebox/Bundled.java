package dev.foretoken.calibration.whitebox;

import dev.foretoken.formats.catalogue.Catalogue;
import dev.foretoken.formats.catalogue.CatalogueKind;
import dev.foretoken.formats.profile.ProfileCatalogue;
import dev.foretoken.sim.hardware.LinkProfile;
import dev.foretoken.sim.method.DraftWork;
import dev.foretoken.sim.model.Dtype;
import dev.foretoken.sim.model.TargetModel;
import dev.foretoken.sim.profile.Profile;
import dev.foretoken.sim.round.BlackBoxTimes;
import dev.foretoken.sim.round.GraphPadding;
import dev.foretoken.sim.scenario.Target;
import dev.foretoken.sim.whitebox.AttentionBackend;
import dev.foretoken.sim.whitebox.HostTerms;
import dev.foretoken.sim.whitebox.Kernels;
import dev.foretoken.sim.whitebox.Mode;
import dev.foretoken.sim.whitebox.RoundShape;
import dev.foretoken.sim.whitebox.WhiteBoxTimes;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.junit.jupiter.api.Assumptions;

/** What ships, for tests of the white box on real tables. */
final class Bundled {
    static final Catalogue CATALOGUE = Catalogue.bundled();
    private static final ProfileCatalogue PROFILES = ProfileCatalogue.bundled();
    private static final Map<String, Profile> LOADED = new ConcurrentHashMap<>();
    private static final Map<String, String> CARDS = Map.of(
            "rtx_pro_6000_server", "rtx-pro-6000-server",
            "b200_sxm", "b200",
            "b300_sxm", "b300",
            "gb200", "gb200",
            "h200_sxm", "h200",
            "h100_sxm", "h100",
            "l40s", "l40s",
            "a100_sxm", "a100");

    private Bundled() {}

    /** Catalogue id of one of the tables' systems. */
    static String card(String system) {
        return CARDS.get(system);
    }

    static Profile profile(String id) {
        return LOADED.computeIfAbsent(id, PROFILES::load);
    }

    static Kernels kernels(String card, String engine, boolean linked, AttentionBackend backend, Mode mode) {
        LinkProfile link =
                linked ? CATALOGUE.link(CATALOGUE.gpu(card).link().profiles().get(0)) : null;
        return Kernels.of(CATALOGUE.gpu(card), profile(card + "/" + engine), link, null, backend, null, mode);
    }

    /** A round of a width without drafter, states saved, overlap and graphs on. */
    static RoundShape plain(int width) {
        return new RoundShape(
                width, DraftWork.NONE, null, null, 1, null, false, true, true, GraphPadding.NONE, HostTerms.PUBLISHED);
    }

    /** The white box of a scenario on one card type. */
    static WhiteBoxTimes times(String card, String engine, String model, Dtype weights, String perNode) {
        TargetModel m = CATALOGUE.model(model);
        return new WhiteBoxTimes(new WhiteBoxTimes.Sources(
                CATALOGUE.gpu(card),
                profile(card + "/" + engine),
                CATALOGUE.link(CATALOGUE.gpu(card).link().profiles().get(0)),
                null,
                null,
                m,
                new Target(model, weights.id(), "bf16", "fp32", perNode),
                id -> CATALOGUE.find(CatalogueKind.DRAFTER, id).orElse(null),
                id -> CATALOGUE.find(CatalogueKind.MODEL, id).orElse(null),
                null,
                null,
                BlackBoxTimes.MemoryLimit.NONE));
    }

    /** A file of the shared data, or the test is skipped. */
    static Path shared(String name) {
        Path file = Path.of(System.getProperty("foretoken.root", ".."))
                .resolve("../shared/data")
                .resolve(name);
        Assumptions.assumeTrue(Files.isRegularFile(file), "no " + name + " beside the project: not compared");
        return file;
    }
}
