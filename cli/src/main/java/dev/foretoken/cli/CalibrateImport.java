package dev.foretoken.cli;

import dev.foretoken.calibration.aiconfigurator.AiconfiguratorImport;
import dev.foretoken.calibration.aiconfigurator.Finding;
import dev.foretoken.formats.document.Nearest;
import dev.foretoken.report.table.Block;
import dev.foretoken.report.table.Column;
import dev.foretoken.report.table.NumberStyle;
import dev.foretoken.sim.hardware.LinkProfile;
import dev.foretoken.sim.profile.Curve;
import dev.foretoken.sim.profile.CurveFamily;
import dev.foretoken.sim.profile.Profile;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code foretoken calibrate import FORMAT PATH}: other people's kernel timings as profiles. */
@Command(
        name = "import",
        description = "Other people's kernel timings as profiles: every row that is left out or suspicious is named.",
        mixinStandardHelpOptions = true)
final class CalibrateImport implements Callable<Integer> {
    private static final String AICONFIGURATOR = "aiconfigurator";
    private static final List<String> FORMATS = List.of(AICONFIGURATOR);
    private static final String WHERE =
            "calibrate import aiconfigurator PATH reads the tables of NVIDIA's aiconfigurator"
                    + " (Apache-2.0): PATH is the wheel of the PyPI package aiconfigurator-core, or a folder it was unpacked into."
                    + " Get it with: python3 -m pip download --no-deps aiconfigurator-core==0.12.0 -d wheels"
                    + " ; then: foretoken calibrate import aiconfigurator wheels/aiconfigurator_core-0.12.0-*.whl -o my-catalogue";

    @Parameters(index = "0", arity = "0..1", paramLabel = "FORMAT", description = "aiconfigurator")
    private String format;

    @Parameters(index = "1", arity = "0..1", paramLabel = "PATH", description = "wheel or folder with the tables")
    private Path path;

    @Option(
            names = "--card",
            split = ",",
            paramLabel = "ID",
            description = "catalogue ids of the cards to import (default: every card that has tables)")
    private List<String> cards = List.of();

    @Option(
            names = "-o",
            paramLabel = "DIR",
            description = "catalogue folder to write profiles and links into (default: the folder of --out)")
    private Path output;

    @Mixin
    private Common common;

    @Override
    public Integer call() throws IOException {
        if (format == null) {
            throw new UserError("import what? " + WHERE);
        }
        if (!FORMATS.contains(format)) {
            throw new UserError("there is no format " + format + Nearest.phrase(format, FORMATS) + "; formats are "
                    + String.join(", ", FORMATS));
        }
        if (path == null) {
            throw new UserError("no PATH: " + WHERE);
        }
        if (!Files.exists(path)) {
            throw new UserError("no such file or folder: " + path + ". " + WHERE);
        }
        AiconfiguratorImport.Result result;
        try (Common.Progress progress = common.progress("import", AiconfiguratorImport.SHIPPED_CARDS.size() * 2L)) {
            long[] done = new long[1];
            result = AiconfiguratorImport.read(
                    path, cards, Workspace.beside(null).catalogue(), card -> progress.accept(done[0]++));
        } catch (IllegalArgumentException e) {
            throw new UserError(e.getMessage());
        }
        Path folder = output != null ? output : common.out();
        if (folder == null) {
            common.note("nothing was written: -o DIR writes the profiles into a catalogue folder");
        } else {
            int files = AiconfiguratorImport.write(result, folder).size();
            common.note(
                    files + " catalogue files in " + folder + "; to use them: export FORETOKEN_CATALOGUE=" + folder);
        }
        output(result).write();
        return Exit.OK;
    }

    private record FamilyRow(Profile profile, CurveFamily family) {
        long knots() {
            return family.curves().stream().mapToLong(Curve::size).sum();
        }
    }

    private BlockOutput output(AiconfiguratorImport.Result result) {
        List<FamilyRow> families = new ArrayList<>();
        result.profiles().forEach(p -> p.families().forEach(f -> families.add(new FamilyRow(p, f))));
        Block.Table<FamilyRow> profiles = new Block.Table<>(
                "Profiles",
                List.of(
                        Column.of(
                                "profile",
                                "",
                                "profile",
                                NumberStyle.TEXT,
                                Column.ALWAYS,
                                r -> r.profile().id()),
                        Column.of(
                                "op",
                                "",
                                "operation",
                                NumberStyle.TEXT,
                                Column.ALWAYS,
                                r -> r.family().op()),
                        Column.of(
                                "dtype",
                                "",
                                "dtype",
                                NumberStyle.TEXT,
                                9,
                                r -> r.family().dtype()),
                        Column.of(
                                "kernel",
                                "",
                                "kernel",
                                NumberStyle.TEXT,
                                5,
                                r -> r.family().kernel()),
                        Column.of(
                                "axis",
                                "",
                                "axis",
                                NumberStyle.TEXT,
                                4,
                                r -> r.family().axis()),
                        Column.of(
                                "curves",
                                "",
                                "curves",
                                NumberStyle.COUNT,
                                Column.ALWAYS,
                                r -> r.family().curves().size()),
                        Column.of("knots", "", "knots", NumberStyle.COUNT, Column.ALWAYS, FamilyRow::knots)),
                families,
                List.of());
        Block.Table<LinkProfile> links = new Block.Table<>(
                "Links",
                List.of(
                        Column.of("link", "", "link", NumberStyle.TEXT, Column.ALWAYS, LinkProfile::id),
                        Column.of("name", "", "name", NumberStyle.TEXT, 6, LinkProfile::name),
                        Column.of(
                                "curves",
                                "",
                                "curves",
                                NumberStyle.COUNT,
                                Column.ALWAYS,
                                l -> l.curves().size())),
                result.links(),
                List.of());
        Block.Table<Finding> findings = new Block.Table<>(
                "Rows that were left out, or deserve a look",
                List.of(
                        Column.of(
                                "action",
                                "",
                                "action",
                                NumberStyle.TEXT,
                                Column.ALWAYS,
                                f -> f.action().toString().toLowerCase(Locale.ROOT)),
                        Column.of("rows", "", "rows", NumberStyle.COUNT, Column.ALWAYS, Finding::rows),
                        Column.of("table", "", "table", NumberStyle.TEXT, 6, Finding::table),
                        Column.of("what", "", "what", NumberStyle.TEXT, 8, Finding::what),
                        Column.of("reason", "", "reason", NumberStyle.TEXT, Column.ALWAYS, Finding::reason)),
                result.findings(),
                List.of(
                        "rejected: the figures cannot be right; suspicious: kept, and not what serving would see; unused:"
                                + " right, and no model of this product uses them"));
        long rejected = rows(result, Finding.Action.REJECTED);
        long suspicious = rows(result, Finding.Action.SUSPICIOUS);
        return new BlockOutput(
                common,
                "import",
                String.format(
                        Locale.ROOT,
                        "import of %s · %d profiles, %,d curves, %,d knots · %d links · %,d rows rejected, %,d suspicious",
                        path.getFileName(),
                        result.profiles().size(),
                        families.stream()
                                .mapToLong(f -> f.family().curves().size())
                                .sum(),
                        families.stream().mapToLong(FamilyRow::knots).sum(),
                        result.links().size(),
                        rejected,
                        suspicious),
                List.of(profiles, links, findings),
                findings,
                json(result, families));
    }

    private static long rows(AiconfiguratorImport.Result result, Finding.Action action) {
        return result.findings().stream()
                .filter(f -> f.action() == action)
                .mapToLong(Finding::rows)
                .sum();
    }

    private static Map<String, Object> json(AiconfiguratorImport.Result result, List<FamilyRow> families) {
        Map<String, Object> root = new LinkedHashMap<>();
        List<Object> profiles = new ArrayList<>();
        for (FamilyRow f : families) {
            Map<String, Object> row = new LinkedHashMap<>();
            row.put("profile", f.profile().id());
            row.put("op", f.family().op());
            row.put("dtype", f.family().dtype());
            row.put("kernel", f.family().kernel());
            row.put("curves", f.family().curves().size());
            row.put("knots", f.knots());
            profiles.add(row);
        }
        root.put("profiles", profiles);
        root.put("links", result.links().stream().map(LinkProfile::id).toList());
        root.put("findings", result.findings());
        return root;
    }
}
