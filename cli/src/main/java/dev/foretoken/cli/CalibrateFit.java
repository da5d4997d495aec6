package dev.foretoken.cli;

import dev.foretoken.calibration.aiconfigurator.LinkText;
import dev.foretoken.calibration.fit.Efficiency;
import dev.foretoken.calibration.fit.FitOptions;
import dev.foretoken.calibration.fit.FitResult;
import dev.foretoken.calibration.fit.KernelFit;
import dev.foretoken.calibration.fit.Overlay;
import dev.foretoken.calibration.fit.Rejected;
import dev.foretoken.calibration.fit.Residual;
import dev.foretoken.calibration.study.MeasuredLinks;
import dev.foretoken.formats.catalogue.CatalogueKind;
import dev.foretoken.formats.io.AtomicFiles;
import dev.foretoken.formats.profile.ProfileReader;
import dev.foretoken.formats.profile.ProfileWriter;
import dev.foretoken.formats.timings.KernelTimings;
import dev.foretoken.formats.timings.TimingsFile;
import dev.foretoken.report.chart.CalibrationCharts;
import dev.foretoken.report.table.Block;
import dev.foretoken.report.table.Column;
import dev.foretoken.report.table.NumberStyle;
import dev.foretoken.sim.hardware.LinkProfile;
import dev.foretoken.sim.profile.Profile;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code foretoken calibrate fit FILE... -o PROFILE}: kernel timings, with or without a published profile, to a profile. */
@Command(
        name = "fit",
        description = {
            "Kernel timings to a profile that explore and simulate read (calibration: {profile: FILE}).",
            "With a published profile (--base, or one among the FILEs) own measurements replace it term by term."
        },
        mixinStandardHelpOptions = true)
final class CalibrateFit implements Callable<Integer> {
    private static final int HEAD_BYTES = 4096;
    private static final int MOST_CURVES_PER_CHART = 8;
    private static final Set<String> CHARTED_AXES = Set.of("rows", "tokens", "sequences");

    @Parameters(arity = "1..*", paramLabel = "FILE", description = "kernel timings, and at most one profile")
    private List<Path> files;

    @Option(names = "-o", paramLabel = "PROFILE", description = "profile to write, NAME.json or NAME.json.gz")
    private Path output;

    @Option(
            names = "--base",
            paramLabel = "PROFILE",
            description = "published profile: an id such as b200/sglang, or a file")
    private String base;

    @Option(
            names = "--card",
            paramLabel = "ID",
            description = "catalogue id of the card (default: by the device's name)")
    private String card;

    @Option(
            names = "--engine",
            paramLabel = "ID",
            description = "engine of the profile (default: the base's, else own)")
    private String engine;

    @Option(names = "--engine-version", paramLabel = "VERSION", description = "engine version of the profile")
    private String version;

    @Option(
            names = "--link",
            paramLabel = "FILE",
            description =
                    "where measured all-reduces go as a link profile, ID.yaml (default: PROFILE's name with -link.yaml)")
    private Path link;

    @Mixin
    private Common common;

    /** Everything a run gave. */
    private record Outcome(FitResult fit, Profile profile, LinkProfile links, Overlay.Result overlay) {}

    @Override
    public Integer call() throws IOException {
        Workspace workspace = Workspace.beside(null);
        Map<String, KernelTimings> runs = new LinkedHashMap<>();
        Profile published = base == null ? null : published(workspace, base);
        for (Path file : files) {
            if (isProfile(file)) {
                if (published != null) {
                    throw new UserError("more than one profile to start from: " + file + " and another");
                }
                published = ProfileReader.read(file);
                continue;
            }
            KernelTimings run = TimingsFile.read(file);
            if (run.points().isEmpty()) {
                throw new UserError(file + " has no timings (status " + run.status() + ")"
                        + (run.warnings().isEmpty() ? "" : ": " + run.warnings().get(0)));
            }
            if (runs.put(file.getFileName().toString(), run) != null) {
                throw new UserError(
                        "two files are called " + file.getFileName() + ": rejected rows could not be told apart");
            }
        }
        if (runs.isEmpty()) {
            throw new UserError("no kernel timings among the files: calibrate gpu, or calibrate host, writes them");
        }
        Outcome outcome = fit(workspace, runs, published);
        output(runs, outcome).write();
        if (outcome.profile() == null && outcome.links() == null) {
            common.note("foretoken: no curve could be fitted: every row was rejected, see the reasons above");
            return Exit.BAD_INPUT;
        }
        write(outcome);
        return Exit.OK;
    }

    private Outcome fit(Workspace workspace, Map<String, KernelTimings> runs, Profile published) {
        long seed = common.seed() == null ? 1 : common.seed();
        String cardId = card != null ? card : cardOf(workspace, runs, published);
        String engineId = engine != null ? engine : published != null ? published.engine() : "own";
        String versionId = version != null ? version : published != null ? published.version() : null;
        try {
            FitResult fit = new KernelFit(new FitOptions(cardId, engineId, versionId, seed)).fit(runs);
            Overlay.Result overlay =
                    published == null || fit.profile() == null ? null : Overlay.over(published, fit.profile());
            Profile profile = overlay != null ? overlay.profile() : fit.profile();
            LinkProfile links = fit.links() == null ? null : MeasuredLinks.of(linkId(cardId), fit.links());
            return new Outcome(fit, profile, links, overlay);
        } catch (IllegalArgumentException e) {
            throw new UserError(e.getMessage());
        }
    }

    private Path linkFile() {
        if (link != null) {
            return link;
        }
        String name = output.getFileName().toString().replaceFirst("\\.json(\\.gz)?$", "");
        return output.resolveSibling(name + "-link.yaml");
    }

    private String linkId(String cardId) {
        return output == null && link == null
                ? cardId + "-measured"
                : linkFile().getFileName().toString().replaceFirst("\\.ya?ml$", "");
    }

    private void write(Outcome outcome) throws IOException {
        if (output == null) {
            common.note("nothing was written: -o PROFILE writes the profile");
            return;
        }
        if (outcome.profile() != null) {
            ProfileWriter.write(outcome.profile(), output);
            common.note("wrote " + output + "; in a scenario: calibration: {profile: " + output + "}");
        }
        if (outcome.links() != null) {
            AtomicFiles.write(
                    linkFile(), LinkText.of(outcome.links(), "Written by `calibrate fit`; medians of own timings."));
            common.note("wrote " + linkFile() + "; beside a scenario as links/"
                    + linkFile().getFileName() + " it is hardware: {link: "
                    + outcome.links().id() + "}");
        }
    }

    private static Profile published(Workspace workspace, String name) {
        Path file = Path.of(name);
        if (Files.isRegularFile(file)) {
            return ProfileReader.read(file);
        }
        try {
            return workspace.profile(name);
        } catch (IllegalArgumentException e) {
            throw new UserError(e.getMessage());
        }
    }

    private static boolean isProfile(Path file) throws IOException {
        if (Files.isDirectory(file)) {
            throw new UserError(file + " is a folder: name the files in it");
        }
        if (file.toString().endsWith(".json.gz")) {
            return true;
        }
        if (!Files.exists(file)) {
            throw new UserError("no such file: " + file);
        }
        try (var in = Files.newInputStream(file)) {
            return new String(in.readNBytes(HEAD_BYTES), StandardCharsets.UTF_8).contains(ProfileWriter.SCHEMA);
        }
    }

    /** The card that was timed: by the device's name, else the published profile's. */
    private static String cardOf(Workspace workspace, Map<String, KernelTimings> runs, Profile published) {
        KernelTimings run = runs.values().iterator().next();
        if (run.devices().isEmpty() || run.devices().get(0).name() == null) {
            return published != null ? published.card() : "host";
        }
        String name = run.devices().get(0).name();
        List<String> ids = List.copyOf(workspace.catalogue().ids(CatalogueKind.GPU));
        String found = catalogueId(name, ids);
        if (found == null && published == null) {
            throw new UserError(
                    "the device \"" + name + "\" is no card of the catalogue: say which id its profile is of"
                            + " with --card; cards are " + String.join(", ", ids));
        }
        if (found != null && published != null && !found.equals(published.card())) {
            throw new UserError("the timings are of " + name + " (" + found + "), the published profile is of "
                    + published.card() + ": curves of one card do not hold for another");
        }
        return found != null ? found : published.card();
    }

    /** Id of which every part stands in a device's name, the most specific of several; null when there is none. */
    private static String catalogueId(String device, List<String> ids) {
        Set<String> words = new LinkedHashSet<>(
                Arrays.asList(device.toLowerCase(Locale.ROOT).split("[^a-z0-9]+")));
        String best = null;
        for (String id : ids) {
            boolean all = words.containsAll(Arrays.asList(id.split("-")));
            if (all && (best == null || id.split("-").length > best.split("-").length)) {
                best = id;
            }
        }
        return best;
    }

    private BlockOutput output(Map<String, KernelTimings> runs, Outcome outcome) {
        FitResult fit = outcome.fit();
        Block.Table<Residual> residuals = residuals(fit.residuals());
        List<Block> blocks = new ArrayList<>();
        blocks.add(residuals);
        if (outcome.overlay() != null) {
            blocks.add(efficiencies(outcome.overlay().efficiencies()));
            blocks.add(new Block.Sentences(
                    "Over the published profile", outcome.overlay().lines()));
        }
        if (outcome.links() != null) {
            blocks.add(new Block.Sentences("Links", linkLines(outcome.links())));
        }
        blocks.add(new Block.Sentences(
                "Rejected rows",
                fit.rejected().stream()
                        .map(r -> r.id() + " (" + r.file() + "): " + r.reason())
                        .toList()));
        blocks.add(new Block.Sentences("Warnings of the timing tool", warnings(runs)));
        long points = runs.values().stream().mapToLong(r -> r.points().size()).sum();
        BlockOutput out = new BlockOutput(
                common,
                "fit",
                String.format(
                        Locale.ROOT,
                        "fit of %s · %,d points, %,d rejected, %,d curves%s",
                        String.join(", ", runs.keySet()),
                        points,
                        fit.rejected().size(),
                        fit.fits().size(),
                        outcome.profile() == null
                                ? ""
                                : " · profile " + outcome.profile().id()),
                blocks,
                residuals,
                json(outcome));
        out.file(rejected(fit.rejected()));
        charts(fit, out);
        return out;
    }

    private static List<String> warnings(Map<String, KernelTimings> runs) {
        List<String> all = new ArrayList<>();
        runs.forEach((file, run) -> {
            if (!run.status().equals("ok")) {
                all.add(file + ": status " + run.status());
            }
            run.warnings().forEach(w -> all.add(file + ": " + w));
            run.sanity().stream()
                    .filter(s -> !s.verdict().equals("ok"))
                    .forEach(s -> all.add(file + ": " + s.rule() + ": " + s.verdict() + ", expected " + s.expected()
                            + ", got " + s.got()));
        });
        return all;
    }

    private static List<String> linkLines(LinkProfile links) {
        List<String> lines = new ArrayList<>();
        links.curves()
                .forEach(c -> lines.add(String.format(
                        Locale.ROOT,
                        "%s over %d ranks by %s: %d sizes, %,d to %,d bytes, %.1f to %.1f us",
                        c.operation().toString().toLowerCase(Locale.ROOT),
                        c.ranks(),
                        c.implementation(),
                        c.knots().size(),
                        c.knots().get(0).bytes(),
                        c.knots().get(c.knots().size() - 1).bytes(),
                        c.knots().get(0).us(),
                        c.knots().get(c.knots().size() - 1).us())));
        lines.addAll(links.notes());
        return lines;
    }

    private static Block.Table<Residual> residuals(List<Residual> rows) {
        return new Block.Table<>(
                "Residuals by curve",
                List.of(
                        Column.of(
                                "range",
                                "",
                                "range",
                                NumberStyle.TEXT,
                                7,
                                r -> number(r.from()) + "–" + number(r.to())),
                        Column.of("knots", "", "knots", NumberStyle.COUNT, 8, Residual::knots),
                        Column.of("outliers", "", "outliers", NumberStyle.COUNT, 6, Residual::outliers),
                        Column.of("stairs", "", "stairs after", NumberStyle.TEXT, 8, r -> stairs(r.stairs())),
                        Column.of(
                                "median_residual",
                                "",
                                "median",
                                NumberStyle.PERCENT,
                                Column.ALWAYS,
                                Residual::medianResidual),
                        Column.of("worst_residual", "", "worst", NumberStyle.PERCENT, 9, Residual::worstResidual),
                        Column.of(
                                "held_out_error",
                                "",
                                "held out",
                                NumberStyle.PERCENT,
                                9,
                                r -> finite(r.heldOutError())),
                        Column.of("noise_scale", "", "noise", NumberStyle.FINE, 4, r -> finite(r.noiseScale())),
                        Column.of("curve", "", "curve", NumberStyle.TEXT, Column.ALWAYS, Residual::curve)),
                rows,
                List.of(
                        "median, worst: relative difference of fit and timing, in sample; held out: median at knots left out of"
                                + " the fit",
                        "noise: how much wider the knots scatter than their intervals say",
                        "range: of the axis (rows, tokens, sequences, bytes); what lies outside is extrapolated, and results"
                                + " that need it say so"));
    }

    private static Double finite(double value) {
        return Double.isFinite(value) ? value : null;
    }

    private static String stairs(double[] stairs) {
        if (stairs.length == 0) {
            return null;
        }
        List<String> at = new ArrayList<>();
        for (double s : stairs) {
            at.add(number(s));
        }
        return String.join(" ", at);
    }

    private static String number(double at) {
        return at == Math.rint(at) ? Long.toString((long) at) : Double.toString(at);
    }

    private static Block.Table<Efficiency> efficiencies(List<Efficiency> rows) {
        return new Block.Table<>(
                "Engine kernels against the timing tool's",
                List.of(
                        Column.of("op", "", "operation", NumberStyle.TEXT, Column.ALWAYS, Efficiency::op),
                        Column.of("dtype", "", "dtype", NumberStyle.TEXT, 9, Efficiency::dtype),
                        Column.of("engine_kernel", "", "engine", NumberStyle.TEXT, 7, Efficiency::engineKernel),
                        Column.of("own_kernel", "", "tool", NumberStyle.TEXT, 5, Efficiency::ownKernel),
                        Column.of("factor", "", "time", NumberStyle.RATIO, Column.ALWAYS, Efficiency::factor),
                        Column.of("low", "", "5 %", NumberStyle.RATIO, 8, Efficiency::low),
                        Column.of("high", "", "95 %", NumberStyle.RATIO, 8, Efficiency::high),
                        Column.of("points", "", "points", NumberStyle.COUNT, 6, Efficiency::points)),
                rows,
                List.of("time: of the engine's kernel over that of the timing tool's, at the points that both have"));
    }

    private static Block.Table<Rejected> rejected(List<Rejected> rows) {
        return new Block.Table<>(
                "Rejected rows",
                List.of(
                        Column.of("file", "", "file", NumberStyle.TEXT, 5, Rejected::file),
                        Column.of("id", "", "row", NumberStyle.TEXT, Column.ALWAYS, Rejected::id),
                        Column.of("reason", "", "reason", NumberStyle.TEXT, Column.ALWAYS, Rejected::reason)),
                rows,
                List.of());
    }

    /** Curves of one operation and dtype in one chart, those with most knots first. */
    private static void charts(FitResult fit, BlockOutput out) {
        Map<List<String>, List<FitResult.Fitted>> groups = new LinkedHashMap<>();
        fit.fits().stream()
                .filter(f -> CHARTED_AXES.contains(f.axis()))
                .forEach(f -> groups.computeIfAbsent(List.of(f.op(), f.dtype(), f.kernel()), k -> new ArrayList<>())
                        .add(f));
        groups.forEach((key, fits) -> {
            List<CalibrationCharts.Timing> timings = fits.stream()
                    .sorted((x, y) ->
                            Integer.compare(y.curve().size(), x.curve().size()))
                    .limit(MOST_CURVES_PER_CHART)
                    .map(CalibrateFit::timing)
                    .toList();
            out.chart(
                    "curve " + String.join(" ", key),
                    () -> CalibrationCharts.knots(
                            "Time of " + key.get(0) + ", " + key.get(1),
                            key.get(2)
                                    + (fits.size() > timings.size()
                                            ? ", " + timings.size() + " of " + fits.size() + " shapes"
                                            : ""),
                            timings));
        });
    }

    private static CalibrationCharts.Timing timing(FitResult.Fitted f) {
        List<Double> at = new ArrayList<>();
        List<Double> ms = new ArrayList<>();
        List<Double> low = new ArrayList<>();
        List<Double> high = new ArrayList<>();
        for (int i = 0; i < f.curve().size(); i++) {
            at.add(f.curve().at(i));
            ms.add(f.curve().medianUs(i) / 1000);
            low.add(f.curve().lowUs(i) / 1000);
            high.add(f.curve().highUs(i) / 1000);
        }
        return new CalibrationCharts.Timing(
                f.curve().shape().toString(),
                at,
                ms,
                low,
                high,
                Arrays.stream(f.curve().stairs()).boxed().toList());
    }

    private static Map<String, Object> json(Outcome outcome) {
        Map<String, Object> root = new LinkedHashMap<>();
        if (outcome.profile() != null) {
            root.put("profile", outcome.profile().id());
        }
        List<Object> residuals = new ArrayList<>();
        for (Residual r : outcome.fit().residuals()) {
            Map<String, Object> row = new LinkedHashMap<>();
            row.put("curve", r.curve());
            row.put("from", r.from());
            row.put("to", r.to());
            row.put("knots", r.knots());
            row.put("outliers", r.outliers());
            row.put("stairs", r.stairs());
            row.put("median_residual", finite(r.medianResidual()));
            row.put("worst_residual", finite(r.worstResidual()));
            if (finite(r.heldOutError()) != null) {
                row.put("held_out_error", r.heldOutError());
            }
            if (finite(r.noiseScale()) != null) {
                row.put("noise_scale", r.noiseScale());
            }
            residuals.add(row);
        }
        root.put("residuals", residuals);
        root.put("rejected", outcome.fit().rejected());
        if (outcome.overlay() != null) {
            root.put("efficiencies", outcome.overlay().efficiencies());
            root.put("overlay", outcome.overlay().lines());
        }
        if (outcome.links() != null) {
            root.put("links", outcome.links());
        }
        return root;
    }
}
