package dev.foretoken.cli;

import dev.foretoken.calibration.acceptance.Evidence;
import dev.foretoken.calibration.study.AcceptanceStudy;
import dev.foretoken.calibration.study.Collected;
import dev.foretoken.calibration.study.DesignHints;
import dev.foretoken.calibration.study.EvidenceCollector;
import dev.foretoken.calibration.study.MarginalStudy;
import dev.foretoken.formats.acceptance.AcceptanceFile;
import dev.foretoken.formats.acceptance.AcceptanceWriter;
import dev.foretoken.formats.acceptance.readers.AcceptanceKey;
import dev.foretoken.formats.acceptance.readers.AcceptanceObservation;
import dev.foretoken.formats.acceptance.readers.AcceptanceReader;
import dev.foretoken.formats.acceptance.readers.AcceptanceReaders;
import dev.foretoken.formats.acceptance.readers.AcceptanceSource;
import dev.foretoken.formats.acceptance.readers.ReadReport;
import dev.foretoken.formats.acceptance.readers.SurvivalTally;
import dev.foretoken.formats.document.Nearest;
import dev.foretoken.formats.rounds.RoundLog;
import dev.foretoken.formats.rounds.RoundRecord.RoundDesign;
import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.function.LongConsumer;
import java.util.stream.Collectors;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code foretoken calibrate acceptance SOURCE... -o FILE}: logs, scrapes, histograms and traces to an acceptance file. */
@Command(
        name = "acceptance",
        description = {
            "Logs, /metrics scrapes, round logs, histograms, tables and marginal traces to an acceptance file.",
            "explore and simulate read it (acceptance: {file: FILE}); the parameters come with intervals."
        },
        footer = {
            "",
            "Several /metrics scrapes of one server are given in the order in which they were taken. What a source says",
            "itself wins over --workload, --method, --engine, --length, --budget and --top-k, which fill what it leaves open."
        },
        mixinStandardHelpOptions = true)
final class CalibrateAcceptance implements Callable<Integer> {
    /** How an entry of the file is given. */
    enum Form {
        auto,
        srt,
        plain
    }

    @Parameters(arity = "0..*", paramLabel = "SOURCE", description = "files to read; gzip is recognised")
    private List<Path> sources = List.of();

    @Option(
            names = "--marginals",
            paramLabel = "FILE",
            description = "drafter-marginal trace (foretoken/marginals/1): exact replay, and evidence for the fit")
    private List<Path> marginals = List.of();

    @Option(names = "-o", paramLabel = "FILE", description = "acceptance file to write, YAML or (.json) JSON")
    private Path output;

    @Option(names = "--reader", paramLabel = "NAME", description = "read every SOURCE as this kind instead of guessing")
    private String readerName;

    @Option(names = "--readers", description = "list the readers and what they read")
    private boolean listReaders;

    @Option(names = "--workload", paramLabel = "ID", description = "workload that the counts belong to")
    private String workload;

    @Option(names = "--method", paramLabel = "ID", description = "method id or kind that the counts belong to")
    private String method;

    @Option(names = "--engine", paramLabel = "NAME", description = "engine that counted")
    private String engine;

    @Option(names = "--engine-version", paramLabel = "VERSION", description = "its version")
    private String engineVersion;

    @Option(names = "--drafter", paramLabel = "ID", description = "drafter, noted in the file")
    private String drafter;

    @Option(names = "--target", paramLabel = "ID", description = "target model, noted in the file")
    private String target;

    @Option(
            names = "--length",
            paramLabel = "N",
            description = "chain length, or depth of a tree (block - 1, or steps)")
    private Integer length;

    @Option(
            names = "--budget",
            split = ",",
            paramLabel = "B",
            description = "tree nodes without the root; with --marginals a list of budgets to replay")
    private List<Integer> budgets = List.of();

    @Option(
            names = "--top-k",
            split = ",",
            paramLabel = "K",
            description = "candidates per depth; with --marginals a list to replay")
    private List<Integer> topKs = List.of();

    @Option(names = "--chain-seed", description = "trees hold the chain of first choices")
    private boolean chainSeed;

    @Option(
            names = "--eagle",
            description = "trees are EAGLE's dynamic ones (--length steps, --budget draft tokens - 1)")
    private boolean eagle;

    @Option(
            names = "--depth",
            paramLabel = "N",
            description = "positions of the fitted law (default: the deepest seen)")
    private Integer depth;

    @Option(
            names = "--ranks",
            paramLabel = "N",
            defaultValue = "24",
            description = "candidates per position of the fitted law (default: ${DEFAULT-VALUE})")
    private int ranks;

    @Option(
            names = "--form",
            paramLabel = "FORM",
            defaultValue = "auto",
            description =
                    "srt: the fitted law; plain: the counts or means as they are; auto (default): srt where the drafts"
                            + " are known, plain for n-gram")
    private Form form;

    @Option(
            names = "--level",
            paramLabel = "P",
            defaultValue = "0.9",
            description = "level of intervals (default: ${DEFAULT-VALUE})")
    private double level;

    @Option(
            names = "--next-rounds",
            paramLabel = "N",
            defaultValue = "2000",
            description = "size of the further runs that are compared (default: ${DEFAULT-VALUE} rounds)")
    private double nextRounds;

    @Mixin
    private Common common;

    @Override
    public Integer call() throws IOException {
        if (listReaders) {
            for (AcceptanceReader r : AcceptanceReaders.all()) {
                Common.print(String.format(Locale.ROOT, "%-20s %s%n", r.id(), r.description()));
            }
            return Exit.OK;
        }
        if (sources.isEmpty() && marginals.isEmpty()) {
            throw new UserError(
                    "nothing to read: give SOURCE files or --marginals FILE; --readers lists what can be read");
        }
        AcceptanceStudy.Options options = options();
        DesignHints hints = hints();
        AcceptanceKey known = new AcceptanceKey(workload, method, engine, engineVersion);
        SurvivalTally tally = new SurvivalTally();
        EvidenceCollector collector = new EvidenceCollector(hints);
        ReadReport read = new ReadReport();
        CountedTwice twice = new CountedTwice();
        readSources(known, read, tally, collector, twice);
        List<MarginalStudy> traces = new ArrayList<>();
        for (Path file : marginals) {
            requireFile(file);
            traces.add(MarginalStudy.read(file, known, new MarginalStudy.Trees(budgets, topKs, chainSeed)));
        }
        List<AcceptanceResult.Group> groups = study(merged(collector.groups(), traces), options);
        List<String> warnings = new ArrayList<>(twice.warnings());
        AcceptanceFile file = file(groups, read, traces, warnings);
        AcceptanceResult result = new AcceptanceResult(
                names(), read, tally.counts(), groups, traces, file, warnings, nextRounds, options.level());
        if (output != null) {
            if (file == null) {
                throw new UserError("nothing could be read that an acceptance file can hold: " + reasons(read, groups));
            }
            AcceptanceWriter.write(output, file);
            common.note("wrote " + output + "; in a scenario: acceptance: {file: " + output + "}");
        }
        result.output(common).write();
        if (common.format() != Common.Format.table) {
            warnings.forEach(w -> common.note("warning: " + w));
        }
        if (file == null) {
            common.note("foretoken: no acceptance could be worked out: " + reasons(read, groups));
            return Exit.BAD_INPUT;
        }
        if (output == null) {
            common.note("nothing was written: -o FILE writes the acceptance file");
        }
        return Exit.OK;
    }

    private AcceptanceStudy.Options options() {
        try {
            return new AcceptanceStudy.Options(depth, ranks, level, nextRounds);
        } catch (IllegalArgumentException e) {
            throw new UserError(e.getMessage());
        }
    }

    private DesignHints hints() {
        if (!sources.isEmpty() && (budgets.size() > 1 || topKs.size() > 1)) {
            throw new UserError(
                    "lists of --budget and --top-k are for --marginals: a SOURCE was counted at one design");
        }
        for (int b : budgets) {
            atLeastOne("--budget", b);
        }
        for (int k : topKs) {
            atLeastOne("--top-k", k);
        }
        if (length != null) {
            atLeastOne("--length", length);
        }
        return new DesignHints(
                length,
                budgets.size() == 1 ? budgets.get(0) : null,
                topKs.size() == 1 ? topKs.get(0) : null,
                chainSeed,
                eagle);
    }

    private static void atLeastOne(String option, int value) {
        if (value < 1) {
            throw new UserError(option + " must be at least 1: " + value);
        }
    }

    private static void requireFile(Path file) {
        if (Files.isDirectory(file)) {
            throw new UserError(file + " is a folder: name the files in it");
        }
        if (!Files.exists(file)) {
            throw new UserError("no such file: " + file);
        }
    }

    private void readSources(
            AcceptanceKey known, ReadReport read, SurvivalTally tally, EvidenceCollector collector, CountedTwice twice)
            throws IOException {
        Map<AcceptanceReader, List<AcceptanceSource>> byReader = new LinkedHashMap<>();
        long bytes = 0;
        for (Path p : sources) {
            requireFile(p);
            bytes += Files.size(p);
        }
        try (Common.Progress progress = common.progress("read", bytes)) {
            Counter counter = new Counter(progress);
            for (Path p : sources) {
                AcceptanceSource plain = AcceptanceSource.of(p, known);
                AcceptanceReader reader = reader(p, plain);
                byReader.computeIfAbsent(reader, r -> new ArrayList<>())
                        .add(new AcceptanceSource(
                                plain.name(), () -> new Counting(plain.opener().open(), counter), known));
                if (reader.id().equals("rounds")) {
                    missRanks(p, known, collector);
                }
            }
            for (Map.Entry<AcceptanceReader, List<AcceptanceSource>> e : byReader.entrySet()) {
                List<List<AcceptanceSource>> runs = e.getKey().scrapes()
                        ? List.of(e.getValue())
                        : e.getValue().stream().map(List::of).toList();
                for (List<AcceptanceSource> run : runs) {
                    String files = run.stream().map(AcceptanceSource::name).collect(Collectors.joining(", "));
                    AcceptanceReaders.read(e.getKey(), run, read, o -> {
                        tally.add(o);
                        collector.accept(o);
                        twice.add(e.getKey().id(), files, o);
                    });
                }
            }
        }
    }

    private AcceptanceReader reader(Path path, AcceptanceSource source) throws IOException {
        if (readerName != null) {
            List<String> ids =
                    AcceptanceReaders.all().stream().map(AcceptanceReader::id).toList();
            return AcceptanceReaders.byId(readerName)
                    .orElseThrow(() -> new UserError("there is no reader " + readerName
                            + Nearest.phrase(readerName, ids) + "; readers are " + String.join(", ", ids)));
        }
        Optional<AcceptanceReader> found = AcceptanceReaders.recognise(source);
        return found.orElseThrow(() -> new UserError(path + ": is no known source of acceptance; known are "
                + String.join(
                        ", ",
                        AcceptanceReaders.all().stream()
                                .map(AcceptanceReader::id)
                                .toList())
                + " (--readers says what they read, --reader NAME forces one)"));
    }

    /** Ranks at the first miss that a log of rounds carries beside its counts. */
    private void missRanks(Path file, AcceptanceKey known, EvidenceCollector collector) {
        RoundLog.read(file, (header, round) -> {
            RoundDesign d = round.design() != null ? round.design() : header.design();
            Integer walked = d != null && d.positions() != null ? d.positions() : length;
            if (round.firstMissRank() != null && round.firstMissRank() > 0 && walked != null) {
                AcceptanceKey own =
                        new AcceptanceKey(header.workload(), header.method(), header.engine(), header.version());
                collector.firstMiss(own.orElse(known), walked, round.firstMissRank());
            }
        });
    }

    /** Evidence of traces joins the counts of the same workload and method. */
    private static List<Collected> merged(List<Collected> counted, List<MarginalStudy> traces) {
        List<Collected> all = new ArrayList<>(counted);
        for (MarginalStudy t : traces) {
            Collected more = t.collected();
            int same = -1;
            for (int i = 0; i < all.size() && same < 0; i++) {
                AcceptanceKey k = all.get(i).key();
                boolean equal = String.valueOf(k.workload())
                                .equals(String.valueOf(more.key().workload()))
                        && String.valueOf(k.method())
                                .equals(String.valueOf(more.key().method()));
                same = equal ? i : same;
            }
            if (same < 0) {
                all.add(more);
                continue;
            }
            Collected c = all.get(same);
            List<Evidence> evidence = new ArrayList<>(c.evidence());
            evidence.addAll(more.evidence());
            all.set(
                    same,
                    new Collected(
                            c.key(),
                            evidence,
                            c.ordered() && more.ordered(),
                            c.rounds() + more.rounds(),
                            c.requests() + more.requests(),
                            c.tokens() + more.tokens(),
                            c.plain(),
                            c.unused()));
        }
        return all;
    }

    private List<AcceptanceResult.Group> study(List<Collected> collected, AcceptanceStudy.Options options) {
        List<AcceptanceResult.Group> groups = new ArrayList<>();
        try (Common.Progress progress = common.progress("fit", collected.size())) {
            long done = 0;
            for (Collected c : collected) {
                boolean ngram = "ngram".equals(c.key().method());
                boolean fit = form == Form.srt || form == Form.auto && !ngram;
                try {
                    groups.add(new AcceptanceResult.Group(
                            c, fit && !c.evidence().isEmpty() ? AcceptanceStudy.of(c, options) : null));
                } catch (IllegalArgumentException e) {
                    throw new UserError(c.key() + ": " + e.getMessage());
                }
                progress.accept(++done);
            }
        }
        return groups;
    }

    /** The acceptance file; null when nothing can be said. Of entries for one workload and method the largest is kept. */
    private AcceptanceFile file(
            List<AcceptanceResult.Group> groups, ReadReport read, List<MarginalStudy> traces, List<String> warnings) {
        Map<List<String>, AcceptanceResult.Group> kept = new LinkedHashMap<>();
        Set<String> notes = new LinkedHashSet<>(warnings);
        for (AcceptanceResult.Group g : groups) {
            if (g.form() == null) {
                continue;
            }
            AcceptanceKey k = g.collected().key();
            List<String> place = List.of(String.valueOf(id(k.workload())), String.valueOf(id(k.method())));
            AcceptanceResult.Group before = kept.get(place);
            if (before == null) {
                kept.put(place, g);
                continue;
            }
            boolean larger = g.collected().rounds() > before.collected().rounds();
            kept.put(place, larger ? g : before);
            notes.add("several engines or versions counted workload " + shown(k.workload()) + " and method "
                    + shown(k.method()) + ": the file holds the one with most rounds, without "
                    + (larger ? before : g).collected().key());
        }
        if (kept.isEmpty()) {
            return null;
        }
        List<AcceptanceFile.Entry> entries = new ArrayList<>();
        for (AcceptanceResult.Group g : kept.values()) {
            entries.add(entry(g, read, traces));
            if (g.method() == null) {
                String open = (kept.size() == 1 ? "the file" : "the entry of workload " + shown(g.workload()))
                        + " names no method: it will serve every speculative method of a scenario, also those of other"
                        + " drafters; give --method ID (or kind)";
                warnings.add(open);
                notes.add(open);
            }
        }
        return new AcceptanceFile(null, entries, List.copyOf(notes));
    }

    private AcceptanceFile.Entry entry(AcceptanceResult.Group g, ReadReport read, List<MarginalStudy> traces) {
        Collected c = g.collected();
        MarginalStudy trace = traces.isEmpty() ? null : traces.get(0);
        boolean counted = c.rounds() > 0;
        return new AcceptanceFile.Entry(
                id(c.key().workload()),
                id(c.key().method()),
                g.form(),
                g.study() == null ? Map.of() : g.study().fileIntervals(),
                counted
                        ? new AcceptanceFile.Samples(c.rounds(), c.requests() == 0 ? null : c.requests(), c.tokens())
                        : null,
                drafter != null ? drafter : trace == null ? null : trace.drafter(),
                target != null ? target : trace == null ? null : trace.target(),
                trace == null ? null : trace.temperature(),
                c.key().engine(),
                c.key().version(),
                List.copyOf(read.conversions()),
                String.join(", ", names()));
    }

    private List<String> names() {
        List<String> names = new ArrayList<>();
        sources.forEach(p -> names.add(p.getFileName().toString()));
        marginals.forEach(p -> names.add(p.getFileName().toString()));
        return names;
    }

    /** A name as an id of scenarios: what ids cannot hold becomes an underscore. */
    private static String id(String name) {
        return name == null ? null : name.strip().replaceAll("[^A-Za-z0-9._:/+-]+", "_");
    }

    private static String shown(String part) {
        return part == null ? "unknown" : part;
    }

    private static String reasons(ReadReport read, List<AcceptanceResult.Group> groups) {
        Set<String> reasons = new LinkedHashSet<>();
        groups.forEach(g -> reasons.addAll(g.collected().unused().keySet()));
        reasons.addAll(read.skipped().keySet());
        return reasons.isEmpty() ? "the sources hold no round" : String.join("; ", reasons);
    }

    /** Rounds by what counted them: the log and the counters of one run are the same rounds. */
    private static final class CountedTwice {
        /** Files and rounds by kind of source, by what they belong to. */
        private final Map<AcceptanceKey, Map<String, Seen>> seen = new LinkedHashMap<>();

        private static final class Seen {
            private final Set<String> files = new LinkedHashSet<>();
            private long rounds;
        }

        void add(String reader, String files, AcceptanceObservation o) {
            if (o.rounds() == null) {
                return;
            }
            AcceptanceKey k = o.key();
            Seen s = seen.computeIfAbsent(
                            new AcceptanceKey(k.workload(), k.method(), k.engine(), null), x -> new LinkedHashMap<>())
                    .computeIfAbsent(reader, r -> new Seen());
            s.files.add(files);
            s.rounds += o.rounds();
        }

        List<String> warnings() {
            List<String> out = new ArrayList<>();
            seen.forEach((key, kinds) -> {
                if (kinds.size() > 1) {
                    String each = kinds.entrySet().stream()
                            .map(e -> String.format(
                                    Locale.ROOT,
                                    "%s (%s, %,d rounds)",
                                    String.join(", ", e.getValue().files),
                                    e.getKey(),
                                    e.getValue().rounds))
                            .collect(Collectors.joining(" and "));
                    out.add("sources of different kinds count workload " + shown(key.workload()) + ", method "
                            + shown(key.method()) + ", engine " + shown(key.engine()) + ": " + each
                            + "; if they saw the same run, its rounds are counted more than once and the intervals are"
                            + " too narrow: give one source of a run");
                }
            });
            return out;
        }
    }

    /** Bytes read so far. */
    private static final class Counter {
        private final LongConsumer progress;
        private long bytes;

        Counter(LongConsumer progress) {
            this.progress = progress;
        }

        void add(long n) {
            bytes += Math.max(0, n);
            progress.accept(bytes);
        }
    }

    private static final class Counting extends FilterInputStream {
        private final Counter counter;

        Counting(InputStream in, Counter counter) {
            super(in);
            this.counter = counter;
        }

        @Override
        public int read() throws IOException {
            int b = super.read();
            counter.add(b < 0 ? 0 : 1);
            return b;
        }

        @Override
        public int read(byte[] buffer, int from, int most) throws IOException {
            int n = super.read(buffer, from, most);
            counter.add(n);
            return n;
        }
    }
}
