package dev.foretoken.cli;

import dev.foretoken.cli.notebook.NotebookKit;
import dev.foretoken.validation.testserver.LlamaKit;
import java.io.IOException;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code foretoken notebook}: the Java notebook kernel of the project, to open or to execute its notebooks. */
@Command(
        name = "notebook",
        description = {
            "Java notebooks: opens notebooks/ in JupyterLab, or executes them with --run.",
            "The kernel is set up in a Python environment of the project (.venv-notebook, from PyPI). With --run there is no"
                    + " browser: exit 1 when a cell fails or shows no chart."
        },
        mixinStandardHelpOptions = true)
final class NotebookCommand implements Callable<Integer> {
    @Parameters(
            index = "0..*",
            paramLabel = "NOTEBOOK",
            description =
                    "with --run or --clean: first letters of names in notebooks/, or files of your own (default: all of notebooks/)")
    private List<String> names = List.of();

    @Option(
            names = "--run",
            description = "execute without a browser; with --out also write notebooks and charts there")
    private boolean run;

    @Option(names = "--setup", description = "only install what --run needs, with the small server of notebook 4")
    private boolean setup;

    @Option(names = "--clean", description = "remove outputs from the notebooks, as they are committed")
    private boolean clean;

    @Option(names = "--no-browser", description = "start JupyterLab and print its address instead of opening a browser")
    private boolean noBrowser;

    @Option(
            names = "--cell-limit",
            paramLabel = "S",
            defaultValue = "600",
            description = "with --run: longest time of one cell, seconds (default: ${DEFAULT-VALUE})")
    private int cellLimitS;

    @Mixin
    private Common common;

    @Override
    public Integer call() throws IOException {
        if ((run ? 1 : 0) + (setup ? 1 : 0) + (clean ? 1 : 0) > 1) {
            throw new UserError("give one of --run, --setup and --clean");
        }
        if (cellLimitS < 1) {
            throw new UserError("--cell-limit must be at least 1 second: " + cellLimitS);
        }
        NotebookKit kit = new NotebookKit(Notebook.root());
        if (kit.list().isEmpty()) {
            throw new UserError("no notebooks in " + kit.notebooks() + ": run this in a clone of the project");
        }
        List<Path> chosen = chosen(kit.list());
        String unfit = NotebookKit.unfit();
        if (unfit != null) {
            throw new UserError(Exit.FAILURE, unfit);
        }
        common.checkOut();
        boolean opens = !run && !setup && !clean;
        try {
            install(kit, opens);
            if (setup) {
                return Exit.OK;
            }
            int code =
                    run ? kit.run(chosen, common.out(), cellLimitS) : clean ? kit.clean(chosen) : kit.open(!noBrowser);
            return code == 0 ? Exit.OK : Exit.FAILURE;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new UserError(Exit.FAILURE, "interrupted");
        }
    }

    private void install(NotebookKit kit, boolean opens) throws InterruptedException {
        try {
            kit.install(opens, classpath(), common::note);
            if (setup) {
                new LlamaKit(Notebook.root()).install(common::note);
            }
        } catch (IOException e) {
            throw new UserError(Exit.FAILURE, "the notebook kernel cannot be set up: " + e.getMessage());
        }
    }

    /** The jar that runs, or the class path outside a jar. */
    private static String classpath() throws IOException {
        try {
            Path code = Path.of(Main.class
                    .getProtectionDomain()
                    .getCodeSource()
                    .getLocation()
                    .toURI());
            return Files.isRegularFile(code) ? code.toString() : System.getProperty("java.class.path");
        } catch (URISyntaxException e) {
            throw new IOException("the program's own place cannot be told", e);
        }
    }

    private List<Path> chosen(List<Path> all) {
        if (names.isEmpty()) {
            return all;
        }
        List<Path> chosen = new ArrayList<>();
        for (String name : names) {
            if (name.endsWith(".ipynb") && Files.isRegularFile(Path.of(name))) {
                chosen.add(Path.of(name).toAbsolutePath());
                continue;
            }
            List<Path> fit = all.stream()
                    .filter(n -> n.getFileName().toString().startsWith(name))
                    .toList();
            if (fit.isEmpty()) {
                throw new UserError("no notebook begins with " + name + "; there are "
                        + String.join(
                                ", ",
                                all.stream()
                                        .map(n -> n.getFileName().toString())
                                        .toList()));
            }
            chosen.addAll(fit);
        }
        return chosen;
    }
}
