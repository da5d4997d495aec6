package dev.foretoken.cli;

import dev.foretoken.cli.demo.DemoFiles;
import dev.foretoken.cli.demo.DemoReport;
import dev.foretoken.formats.scenario.ScenarioFile;
import dev.foretoken.report.chart.ExploreCharts;
import dev.foretoken.report.chart.Plot;
import dev.foretoken.sim.profile.Profile;
import dev.foretoken.sim.result.Result;
import dev.foretoken.sim.round.RoundTimes;
import dev.foretoken.sim.scenario.Scenario;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;

/** What notebooks call: scenarios, results and their charts, parameters from the environment, and checks. */
public final class Notebook {
    private Notebook() {}

    /** Root of the project: where the launcher says, else the working folder. */
    public static Path root() {
        return Path.of(System.getProperty("foretoken.root", "."))
                .toAbsolutePath()
                .normalize();
    }

    /** A parameter of the notebook: the environment's value, or the default where it has none. */
    public static String parameter(String name, String standard) {
        String value = System.getenv(name);
        return value == null || value.isBlank() ? standard : value.strip();
    }

    /**
     * A parameter that is a list of numbers, such as {@code 8,16,32}.
     *
     * @throws IllegalArgumentException naming the variable when a part is no whole number
     */
    public static List<Integer> numbers(String name, String standard) {
        String value = parameter(name, standard);
        try {
            return Arrays.stream(value.split(","))
                    .map(String::strip)
                    .map(Integer::valueOf)
                    .toList();
        } catch (NumberFormatException e) {
            throw new IllegalArgumentException(name + " must be whole numbers with commas between: " + value, e);
        }
    }

    /** A scenario file; a relative path starts at the root of the project. */
    public static ScenarioFile scenario(String file) {
        Path path = root().resolve(file);
        return Workspace.beside(path).read(path);
    }

    /** A scenario that is no file of its own. */
    public static ScenarioFile scenarioText(String yaml) {
        return Workspace.beside(root().resolve("notebook.yaml")).readText("notebook.yaml", yaml);
    }

    /** What {@code explore} computes. */
    public static Result explore(ScenarioFile file) {
        return ExploreCommand.explore(workspace(), file, new Common());
    }

    /** What {@code explore --simulate N} says of the first best arms: what the simulation gives beside the formula. */
    public static List<String> confirm(ScenarioFile file, Result result, int arms) throws IOException {
        return Confirmation.of(workspace(), file.variants(), result, arms, new Common());
    }

    /** Round times of a scenario: its own knots, else kernels of its card. */
    public static RoundTimes times(Scenario scenario) {
        return workspace().times(scenario);
    }

    /** A profile of the catalogue, such as {@code rtx-pro-6000-server/sglang}. */
    public static Profile profile(String id) {
        return workspace().profile(id);
    }

    /** What {@code demo} computes; its founding case is worked out from the result and the scenario given. */
    public static DemoReport demo(ScenarioFile founding, Result grid) {
        Scenario scenario = founding.variants().get(0);
        return DemoReport.of(
                Main.version(),
                id -> id.equals(DemoFiles.FOUNDING)
                        ? grid
                        : explore(scenarioText(new String(DemoFiles.scenario(id), StandardCharsets.UTF_8))),
                scenario,
                times(scenario));
    }

    /**
     * The first chart of a result whose name begins so, such as {@code "budget", "code", "tp1"}.
     *
     * @throws IllegalArgumentException naming the charts there are when none does
     */
    public static Plot chart(Result result, String... name) {
        List<String> wanted = List.of(name);
        List<ExploreCharts.Named> all = ExploreCharts.of(result);
        return all.stream()
                .filter(c -> c.name().size() >= wanted.size()
                        && c.name().subList(0, wanted.size()).equals(wanted))
                .findFirst()
                .map(c -> c.plot().get())
                .orElseThrow(() -> new IllegalArgumentException("no chart " + wanted + "; there are "
                        + all.stream().map(ExploreCharts.Named::name).toList()));
    }

    /**
     * Ends the cell with an error unless something holds.
     *
     * @throws IllegalStateException with what should hold
     */
    public static void check(boolean holds, String what) {
        if (!holds) {
            throw new IllegalStateException("does not hold: " + what);
        }
    }

    private static Workspace workspace() {
        return Workspace.beside(root().resolve("notebook.yaml"));
    }
}
