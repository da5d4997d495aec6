package dev.foretoken.cli;

import dev.foretoken.formats.scenario.ScenarioFile;
import dev.foretoken.report.gallery.Gallery;
import dev.foretoken.sim.explore.Explorer;
import dev.foretoken.sim.result.Result;
import dev.foretoken.sim.scenario.Scenario;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** {@code foretoken gallery DIR}: draws the charts of docs/gallery again. */
@Command(
        name = "gallery",
        description = "Draws the charts of the documentation.",
        hidden = true,
        mixinStandardHelpOptions = true)
final class GalleryCommand implements Callable<Integer> {
    @Parameters(index = "0", paramLabel = "DIR", description = "folder to write to")
    private Path folder;

    @Override
    public Integer call() throws IOException {
        Workspace workspace = Workspace.beside(Path.of("scenario.yaml"));
        Gallery.write(folder, new Gallery.Model() {
            @Override
            public Scenario read(String name, byte[] text) {
                ScenarioFile file = workspace.readText(name, new String(text, StandardCharsets.UTF_8));
                return file.variants().get(0);
            }

            @Override
            public Result explore(Scenario s) {
                return new Explorer(s, workspace.times(s), workspace.launch(s)).explore(Main.version(), null, n -> {});
            }
        });
        return Exit.OK;
    }
}
