package dev.foretoken.cli;

import dev.foretoken.calibration.study.MarginalTrace;
import dev.foretoken.formats.catalogue.Catalogue;
import dev.foretoken.formats.catalogue.CatalogueFiles;
import dev.foretoken.formats.catalogue.CatalogueKind;
import dev.foretoken.formats.document.Nearest;
import dev.foretoken.formats.engine.Engine;
import dev.foretoken.formats.engine.LaunchCommand;
import dev.foretoken.formats.profile.ProfileCatalogue;
import dev.foretoken.formats.profile.ProfileReader;
import dev.foretoken.formats.scenario.Effective;
import dev.foretoken.formats.scenario.ScenarioFile;
import dev.foretoken.formats.scenario.ScenarioReader;
import dev.foretoken.formats.scenario.ScenarioResources;
import dev.foretoken.sim.explore.LaunchFlags;
import dev.foretoken.sim.hardware.Gpu;
import dev.foretoken.sim.hardware.LinkProfile;
import dev.foretoken.sim.memory.MemoryPlan;
import dev.foretoken.sim.method.Method;
import dev.foretoken.sim.model.Drafter;
import dev.foretoken.sim.profile.Profile;
import dev.foretoken.sim.result.Best;
import dev.foretoken.sim.result.Result;
import dev.foretoken.sim.result.Results;
import dev.foretoken.sim.round.BlackBoxTimes;
import dev.foretoken.sim.round.RoundTimes;
import dev.foretoken.sim.scenario.Calibration;
import dev.foretoken.sim.scenario.EngineSettings;
import dev.foretoken.sim.scenario.MethodSpec;
import dev.foretoken.sim.scenario.Scenario;
import dev.foretoken.sim.whitebox.AttentionBackend;
import dev.foretoken.sim.whitebox.DatasheetProfile;
import dev.foretoken.sim.whitebox.WhiteBoxTimes;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** What commands on a scenario share: the catalogue, the reader, and the source of round times. */
final class Workspace {
    /** Link profile of a pair of cards without peer access. */
    private static final String WITHOUT_PEERS = "pcie5-slow";

    private static final String SOURCE = ".source";
    /** Words by which a source says that its figures are not those of the scenario's server. */
    private static final Pattern STAND_IN = Pattern.compile("stand-?in|placeholder", Pattern.CASE_INSENSITIVE);

    private static final String EAGLE3 = "eagle3";
    private static final Pattern ACCEPTANCE = Pattern.compile("workloads\\.(.+?)\\.acceptance(?:\\.(.+))?");

    private final Catalogue catalogue;
    private final ProfileCatalogue profiles;
    private final Map<String, Profile> read = new ConcurrentHashMap<>();
    private final CatalogueFiles files;

    Workspace(CatalogueFiles files) {
        this.files = files;
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

    /** Hash of the program's version and of the content of every file that simulations of these scenarios read. */
    String inputs(List<Scenario> variants) throws IOException {
        return RunInputs.hash(Main.version(), variants, files.folders());
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
                link(scenario),
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

    /** The profile that the scenario names, else the card's newest for the engine; read once. */
    private Profile profile(Scenario scenario, Gpu gpu) {
        String key = scenario.calibration().profile() + " " + gpu.id() + " "
                + scenario.engine().name();
        return read.computeIfAbsent(key, k -> readProfile(scenario, gpu));
    }

    private Profile readProfile(Scenario scenario, Gpu gpu) {
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
    private LinkProfile link(Scenario scenario) {
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
            s.methods().forEach(m -> {
                unserved(s, m).ifPresent(warnings::add);
                port(s, m).ifPresent(warnings::add);
                drafter(s, m).ifPresent(warnings::add);
                oneDraftTime(s, m).ifPresent(warnings::add);
            });
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

    /** One result of a scenario's variants with what its reader must know: warnings, what it rests on, doubts. */
    Result told(List<Result> variants, ScenarioFile file) {
        Result result = Results.concat(variants, warnings(file));
        return result.with(doubted(result.best(), file), basis(file));
    }

    /** What a scenario's figures rest on: round times, links, and each acceptance with its source. */
    private List<String> basis(ScenarioFile file) {
        Set<String> basis = new LinkedHashSet<>();
        Map<String, Effective> effective = new LinkedHashMap<>();
        file.effective().forEach(e -> effective.put(e.key(), e));
        Effective times = effective.get("calibration" + SOURCE);
        for (Scenario s : file.variants()) {
            basis.add(roundTimes(s) + (times == null ? "" : "; " + times.value()));
            boolean several = s.tpSizes().stream().anyMatch(tp -> tp > 1);
            if (!s.calibration().blackBox() && several && defaultLink(s) != null) {
                basis.add("all-reduces: link profile " + defaultLink(s) + ", "
                        + catalogue.link(defaultLink(s)).name());
            }
        }
        effective.forEach((key, e) -> {
            Matcher m = ACCEPTANCE.matcher(key);
            if (!m.matches() || key.endsWith(SOURCE)) {
                return;
            }
            Effective source = effective.get(key + SOURCE);
            String method = m.group(2) == null ? "any method" : m.group(2);
            basis.add("acceptance of " + method + " on " + m.group(1) + ": " + e.value() + " (" + e.origin() + ")"
                    + (source == null ? "" : "; " + source.value()));
        });
        return List.copyOf(basis);
    }

    /** Best arms, doubted where their acceptance, or the runner-up's, is said to be a stand-in. */
    private static List<Best> doubted(List<Best> best, ScenarioFile file) {
        Map<String, String> sources = new LinkedHashMap<>();
        file.effective().forEach(e -> {
            if (e.key().endsWith(SOURCE)) {
                sources.put(e.key(), e.value());
            }
        });
        Map<String, String> kinds = new LinkedHashMap<>();
        file.variants().forEach(s -> s.methods().forEach(m -> kinds.put(m.id(), m.kind())));
        return best.stream()
                .map(b -> {
                    if (b.doubts() == null) {
                        return b;
                    }
                    Best doubted = b;
                    for (String method : List.of(b.method(), b.runnerUp())) {
                        if (standIn(sources, b.workload(), method, kinds.get(method))) {
                            doubted = doubted.doubted("the acceptance of " + method + " is a stand-in");
                        }
                    }
                    String times = sources.getOrDefault("calibration" + SOURCE, "");
                    return STAND_IN.matcher(times).find()
                            ? doubted.doubted("the round times are placeholders")
                            : doubted;
                })
                .toList();
    }

    private static boolean standIn(Map<String, String> sources, String workload, String method, String kind) {
        String prefix = "workloads." + workload + ".acceptance";
        for (String key : new String[] {prefix + "." + method, prefix + "." + kind, prefix}) {
            String source = sources.get(key + SOURCE);
            if (source != null) {
                return STAND_IN.matcher(source).find();
            }
        }
        return false;
    }

    private String roundTimes(Scenario s) {
        if (s.calibration().blackBox()) {
            return "round times: " + s.calibration().roundTimes().size()
                    + " knots of a server's own autoregressive rounds, given in the scenario";
        }
        Profile p = profile(s, catalogue.gpu(s.hardware().gpu()));
        return "round times: profile " + p.id() + ", from " + p.source().name()
                + (p.source().version() == null ? "" : " " + p.source().version())
                + (p.source().measured() ? ", timed on this card" : "");
    }

    /** SGLang's public port of DDTree runs with settings of its own, whatever its rivals run with. */
    private static Optional<String> port(Scenario s, MethodSpec m) {
        EngineSettings e = s.engine().overriddenBy(m.engine());
        boolean own = s.engine().name().equals("sglang") && m.kind().startsWith("ddtree");
        boolean overlap = !Boolean.FALSE.equals(e.overlap());
        boolean backend =
                !s.calibration().blackBox() && !AttentionBackend.TRITON.id().equals(e.attentionBackend());
        return own && (overlap || backend)
                ? Optional.of(m.id() + " is computed " + (overlap ? "with overlap scheduling" : "")
                        + (overlap && backend ? " and " : "")
                        + (backend ? "on " + e.attentionBackend() + " attention" : "")
                        + ", which SGLang's public port of DDTree cannot do: give it engine: {overlap: false, page_size: 1,"
                        + " attention_backend: triton}; keep it if your build can")
                : Optional.empty();
    }

    /** What is odd about a method's drafter where its passes are priced from kernels. */
    private Optional<String> drafter(Scenario s, MethodSpec m) {
        List<Object> ids = m.values().getOrDefault(Method.DRAFTER, List.of());
        if (s.calibration().blackBox() || ids.isEmpty() || ids.get(0) == null) {
            return Optional.empty();
        }
        String id = ids.get(0).toString();
        Optional<Drafter> drafter = catalogue.find(CatalogueKind.DRAFTER, id);
        if (drafter.isEmpty()) {
            if (catalogue.ids(CatalogueKind.MODEL).contains(id)) {
                return Optional.empty();
            }
            List<String> known = new ArrayList<>(catalogue.ids(CatalogueKind.DRAFTER));
            known.addAll(catalogue.ids(CatalogueKind.MODEL));
            return Optional.of(
                    "the drafter " + id + " of " + m.id() + " is not in the catalogue" + Nearest.phrase(id, known));
        }
        int block = drafter.get().block();
        int asked = m.values().getOrDefault("block", List.of()).stream()
                .filter(Integer.class::isInstance)
                .mapToInt(b -> (Integer) b)
                .max()
                .orElse(0);
        return block > 0 && asked > block
                ? Optional.of(m.id() + " drafts blocks of " + asked + " with " + id
                        + ", which was trained on blocks of " + block)
                : Optional.empty();
    }

    /** One draft time for several lengths of a method that drafts step by step makes long chains look free. */
    private static Optional<String> oneDraftTime(Scenario s, MethodSpec m) {
        List<Object> steps = m.values().getOrDefault("steps", List.of());
        Double ms = Calibration.lookup(s.calibration().draftMs(), m.id(), m.kind());
        return s.calibration().blackBox() && steps.size() > 1 && ms != null && ms > 0
                ? Optional.of(
                        "draft_ms charges " + m.id() + " " + ms + " ms per round whether it drafts " + steps.get(0)
                                + " or " + steps.get(steps.size() - 1)
                                + " steps: give each length as a method of its own with its draft_ms")
                : Optional.empty();
    }

    /** What keeps a method from running on the scenario's engine as it is given. */
    private Optional<String> unserved(Scenario s, MethodSpec m) {
        Engine engine = catalogue.engine(s.engine().name());
        List<String> flags = engine.launch().methods().get(m.kind());
        boolean tree = flags != null
                && m.kind().equals(EAGLE3)
                && m.values().getOrDefault(Method.TOP_K, List.of()).stream().anyMatch(k -> !Objects.equals(k, 1));
        if (tree && flags.stream().noneMatch(f -> f.contains("{" + Method.TOP_K + "}"))) {
            return Optional.of(engine.name() + " serves " + m.kind() + " as a chain of its steps: the tree of " + m.id()
                    + " is computed as if it were served; give top_k: 1 for the chain");
        }
        return Optional.empty();
    }

    LaunchFlags launch(Scenario scenario) {
        return new LaunchCommand(catalogue.engine(scenario.engine().name()));
    }
}
