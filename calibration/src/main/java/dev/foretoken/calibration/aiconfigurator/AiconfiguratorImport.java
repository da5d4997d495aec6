package dev.foretoken.calibration.aiconfigurator;

import dev.foretoken.calibration.aiconfigurator.Finding.Action;
import dev.foretoken.formats.catalogue.Catalogue;
import dev.foretoken.formats.catalogue.CatalogueKind;
import dev.foretoken.formats.document.DocumentError;
import dev.foretoken.formats.document.Nearest;
import dev.foretoken.formats.io.AtomicFiles;
import dev.foretoken.formats.profile.ProfileWriter;
import dev.foretoken.formats.profile.Versions;
import dev.foretoken.sim.hardware.LinkCurve;
import dev.foretoken.sim.hardware.LinkCurve.Operation;
import dev.foretoken.sim.hardware.LinkProfile;
import dev.foretoken.sim.profile.CardState;
import dev.foretoken.sim.profile.CurveFamily;
import dev.foretoken.sim.profile.Profile;
import dev.foretoken.sim.profile.ProfileSource;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.Function;

/**
 * {@code calibrate import aiconfigurator PATH}: the kernel tables of a wheel or unpacked folder as profiles, one per card and
 * engine, and link profiles. Everything is read and checked before anything is written.
 */
public final class AiconfiguratorImport {
    /** Cards whose profiles ship with the product. */
    public static final List<String> SHIPPED_CARDS =
            List.of("rtx-pro-6000-server", "b200", "b300", "gb200", "h200", "h100", "l40s", "a100");

    private static final String PACKAGE = Wheel.PACKAGE;
    private static final String LICENCE = "Apache-2.0";
    private static final List<String> ENGINES = List.of("sglang", "vllm");
    private static final String SLOW_PAIR = "pcie5-slow";
    private static final String SLOW_PAIR_TABLE = "rtx_pro_6000_server/comm/vllm/0.19.0/" + CommTables.CUSTOM;

    private AiconfiguratorImport() {}

    /**
     * What an import yields.
     *
     * @param profiles kernel timings, one per card and engine
     * @param links all-reduce and gather curves by link
     * @param findings rows that were left out or deserve a look
     */
    public record Result(List<Profile> profiles, List<LinkProfile> links, List<Finding> findings) {
        public Result {
            profiles = List.copyOf(profiles);
            links = List.copyOf(links);
            findings = List.copyOf(findings);
        }
    }

    /**
     * Reads tables.
     *
     * @param path a wheel, or the folder it was unpacked into
     * @param cards catalogue ids to import; empty for every card that has tables
     * @param catalogue keeps names, notes and curves of links that tables do not hold
     * @param progress told about each card before it is read
     * @throws DocumentError when a table is damaged, of another layout, empty, or another card's
     */
    public static Result read(Path path, Collection<String> cards, Catalogue catalogue, Consumer<String> progress) {
        List<String> known =
                Cards.BY_SYSTEM.values().stream().map(Cards.Card::id).toList();
        for (String c : cards) {
            if (!known.contains(c)) {
                throw new IllegalArgumentException("the tables have no card " + c + Nearest.phrase(c, known));
            }
        }
        Findings findings = new Findings();
        List<Profile> profiles = new ArrayList<>();
        Map<String, LinkProfile> links = new LinkedHashMap<>();
        try (TableStore store = TableStore.open(path)) {
            List<String> systems = store.systems();
            for (String system : systems) {
                if (!Cards.BY_SYSTEM.containsKey(system)) {
                    findings.add(
                            store.label(system),
                            "all tables",
                            store.tables(system + "/").size(),
                            Action.UNUSED,
                            "no card of the catalogue (counted in tables)");
                }
            }
            for (Map.Entry<String, Cards.Card> e : Cards.BY_SYSTEM.entrySet()) {
                Cards.Card card = e.getValue();
                if (!systems.contains(e.getKey()) || (!cards.isEmpty() && !cards.contains(card.id()))) {
                    continue;
                }
                for (String engine : ENGINES) {
                    progress.accept(card.id() + " " + engine);
                    Profile p = profile(store, e.getKey(), card, engine, findings);
                    if (p != null) {
                        profiles.add(p);
                    }
                }
                otherEngines(store, e.getKey(), findings);
                link(store, e.getKey(), card, catalogue, findings).forEach(l -> links.put(l.id(), l));
            }
        }
        if (profiles.isEmpty() && links.isEmpty()) {
            throw new DocumentError(
                    path.toString(),
                    0,
                    "",
                    "holds no tables of " + (cards.isEmpty() ? "a known card" : String.join(", ", cards)));
        }
        return new Result(profiles, List.copyOf(links.values()), findings.list());
    }

    private static Profile profile(TableStore store, String system, Cards.Card card, String engine, Findings findings) {
        String version = newest(store.versions(system, "gemm", engine, GemmTables.TABLE), null);
        if (version == null) {
            return null;
        }
        List<CurveFamily> families = new ArrayList<>();
        List<String> tables = new ArrayList<>();
        List<String> notes = new ArrayList<>();
        add(
                store,
                system,
                "gemm",
                engine,
                version,
                GemmTables.TABLE,
                tables,
                notes,
                families,
                t -> GemmTables.read(store, t, card, findings));
        add(
                store,
                system,
                "attention",
                engine,
                version,
                AttentionTables.GENERATION,
                tables,
                notes,
                families,
                t -> AttentionTables.read(store, t, card, findings));
        add(
                store,
                system,
                "attention",
                engine,
                version,
                AttentionTables.CONTEXT,
                tables,
                notes,
                families,
                t -> AttentionTables.read(store, t, card, findings));
        add(
                store,
                system,
                "linear_attention",
                engine,
                version,
                GdnTables.TABLE,
                tables,
                notes,
                families,
                t -> GdnTables.read(store, t, card, findings));
        add(
                store,
                system,
                "moe",
                engine,
                version,
                MoeTables.TABLE,
                tables,
                notes,
                families,
                t -> MoeTables.read(store, t, card, findings));
        return new Profile(
                card.id(),
                engine,
                version,
                new ProfileSource(PACKAGE, Wheel.VERSION, LICENCE, tables, false),
                new CardState(card.device(), null, null, null, null),
                families,
                notes);
    }

    private static void add(
            TableStore store,
            String system,
            String family,
            String engine,
            String version,
            String table,
            List<String> tables,
            List<String> notes,
            List<CurveFamily> families,
            Function<String, List<CurveFamily>> reader) {
        String used = newest(store.versions(system, family, engine, table), version);
        if (used == null) {
            notes.add("No table " + table + " for " + engine + " " + version + " on this card.");
            return;
        }
        if (!used.equals(version)) {
            notes.add(table + " is of " + engine + " " + used + ".");
        }
        String path = system + "/" + family + "/" + engine + "/" + used + "/" + table;
        tables.add(path);
        families.addAll(reader.apply(path));
    }

    /** The newest version, not above a limit (null for none); null when there is none. */
    private static String newest(List<String> versions, String limit) {
        return versions.stream()
                .filter(v -> limit == null || Versions.compare(v, limit) <= 0)
                .max(Versions::compare)
                .orElse(null);
    }

    private static void otherEngines(TableStore store, String system, Findings findings) {
        int gemm = store.tables(system + "/gemm/trtllm/").size();
        if (gemm > 0) {
            findings.add(
                    store.label(system + "/gemm/trtllm"),
                    "bf16",
                    gemm,
                    Action.UNUSED,
                    "weights stay in the L2 cache up to 134 MB in these timings (counted in tables)");
        }
    }

    private static List<LinkProfile> link(
            TableStore store, String system, Cards.Card card, Catalogue catalogue, Findings findings) {
        List<LinkProfile> out = new ArrayList<>();
        List<LinkCurve> curves = new ArrayList<>();
        for (String engine : ENGINES) {
            String version = newest(store.versions(system, "comm", engine, CommTables.CUSTOM), null);
            if (version != null) {
                curves.addAll(CommTables.custom(
                        store, system + "/comm/" + engine + "/" + version + "/" + CommTables.CUSTOM, card, findings));
                break;
            }
        }
        String nccl = newest(store.versions(system, "comm", "nccl", CommTables.NCCL), null);
        if (nccl != null) {
            curves.addAll(
                    CommTables.nccl(store, system + "/comm/nccl/" + nccl + "/" + CommTables.NCCL, card, findings));
        }
        if (!curves.isEmpty()) {
            out.add(merge(card.link(), card.device() + " node", curves, catalogue));
        }
        if (store.tables(SLOW_PAIR_TABLE).size() == 1 && SLOW_PAIR_TABLE.startsWith(system + "/")) {
            out.add(merge(
                    SLOW_PAIR,
                    "PCIe 5.0 x16, slow pair",
                    CommTables.custom(store, SLOW_PAIR_TABLE, card, findings),
                    catalogue));
        }
        return out;
    }

    /** A link with measured all-reduces and gathers; name, notes and other operations as the catalogue has them. */
    private static LinkProfile merge(String id, String name, List<LinkCurve> curves, Catalogue catalogue) {
        LinkProfile known = catalogue.find(CatalogueKind.LINK, id).orElse(null);
        List<LinkCurve> all = new ArrayList<>(curves);
        List<String> sources = new ArrayList<>(List.of(PACKAGE + " " + Wheel.VERSION + " (" + LICENCE + ")"));
        if (known == null) {
            return new LinkProfile(id, name, all, List.of(), sources);
        }
        known.curves().stream().filter(c -> c.operation() == Operation.PEER).forEach(all::add);
        known.sources().stream().filter(s -> !sources.contains(s)).forEach(sources::add);
        return new LinkProfile(id, known.name(), all, known.notes(), sources);
    }

    /**
     * Writes profiles and links into a catalogue folder: {@code profiles/CARD/ENGINE-VERSION.json} with its parts, and
     * {@code links/ID.yaml}.
     *
     * @return every file written
     */
    public static List<Path> write(Result result, Path folder) {
        List<Path> written = new ArrayList<>();
        for (Profile p : result.profiles()) {
            written.addAll(ProfileWriter.writeInParts(p, profileFile(folder, p)));
        }
        for (LinkProfile l : result.links()) {
            Path file = folder.resolve("links").resolve(l.id() + ".yaml");
            store(file, LinkText.of(l));
            written.add(file);
        }
        return written;
    }

    /** Text of every file that {@link #write} writes, before compression. */
    public static Map<Path, String> texts(Result result, Path folder) {
        Map<Path, String> texts = new LinkedHashMap<>();
        for (Profile p : result.profiles()) {
            texts.putAll(ProfileWriter.texts(p, profileFile(folder, p)));
        }
        for (LinkProfile l : result.links()) {
            texts.put(folder.resolve("links").resolve(l.id() + ".yaml"), LinkText.of(l));
        }
        return texts;
    }

    private static Path profileFile(Path folder, Profile p) {
        return folder.resolve("profiles").resolve(p.card()).resolve(p.engine() + "-" + p.version() + ".json");
    }

    private static void store(Path file, String text) {
        try {
            AtomicFiles.write(file, text);
        } catch (IOException e) {
            throw new UncheckedIOException("cannot write " + file + ": " + e.getMessage(), e);
        }
    }
}
