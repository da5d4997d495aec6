package dev.foretoken.cli;

import dev.foretoken.formats.catalogue.CatalogueKind;
import dev.foretoken.formats.document.Nearest;
import dev.foretoken.formats.io.AtomicFiles;
import dev.foretoken.formats.scenario.ScenarioTemplate;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code foretoken init}: writes a commented scenario for a card and a model. */
@Command(
        name = "init",
        description = "Writes a commented scenario for a card and a model.",
        mixinStandardHelpOptions = true)
final class InitCommand implements Callable<Integer> {
    @Parameters(
            index = "0",
            arity = "0..1",
            paramLabel = "FILE",
            description = "where to write it (default: scenario.yaml; - for standard output)")
    private Path file = Path.of("scenario.yaml");

    @Option(names = "--gpu", paramLabel = "CARD", description = "catalogue id (default: ${DEFAULT-VALUE})")
    private String gpu = "rtx-pro-6000-server";

    @Option(names = "--model", paramLabel = "MODEL", description = "catalogue id (default: ${DEFAULT-VALUE})")
    private String model = "qwen3.6-27b";

    @Option(names = "--engine", paramLabel = "ENGINE", description = "catalogue id (default: ${DEFAULT-VALUE})")
    private String engine = "sglang";

    @Option(names = "--force", description = "replace the file when it is there")
    private boolean force;

    @Mixin
    private Common common;

    @Override
    public Integer call() throws IOException {
        if (file.toString().toLowerCase(Locale.ROOT).matches(".*\\.json(\\.gz)?")) {
            throw new UserError("init writes YAML, with comments: choose a name that ends in .yaml instead of " + file);
        }
        if (Files.isDirectory(file)) {
            throw new UserError(file + " is a folder: give the name of a file");
        }
        Workspace workspace = Workspace.beside(file);
        known(workspace, CatalogueKind.GPU, gpu);
        known(workspace, CatalogueKind.MODEL, model);
        known(workspace, CatalogueKind.ENGINE, engine);
        String text;
        try {
            text = ScenarioTemplate.of(workspace.catalogue(), gpu, model, engine, workspace.hasProfile(gpu, engine));
        } catch (IllegalArgumentException e) {
            throw new UserError(e.getMessage());
        }
        if (file.toString().equals("-")) {
            Common.print(text);
            return Exit.OK;
        }
        if (Files.exists(file) && !force) {
            throw new UserError(file + " is there already: choose another name, or replace it with --force");
        }
        AtomicFiles.write(file, text);
        common.note("wrote " + file + "; next: foretoken explore " + file);
        return Exit.OK;
    }

    private static void known(Workspace workspace, CatalogueKind<?> kind, String id) {
        if (!workspace.catalogue().ids(kind).contains(id)) {
            throw new UserError("unknown " + kind.noun() + " " + id
                    + Nearest.phrase(id, workspace.catalogue().ids(kind)) + "; known are "
                    + String.join(", ", workspace.catalogue().ids(kind)));
        }
    }
}
