package dev.foretoken.cli;

import dev.foretoken.formats.catalogue.Catalogue;
import dev.foretoken.formats.json.Json;
import dev.foretoken.formats.scenario.ScenarioFile;
import dev.foretoken.report.page.WhatIfModel;
import dev.foretoken.sim.explore.Explorer;
import dev.foretoken.sim.result.Result;
import dev.foretoken.sim.result.Results;
import dev.foretoken.sim.round.RoundTimes;
import dev.foretoken.sim.scenario.Scenario;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** The model behind the what-if page: the reader and the exploration of the other commands, with round times kept between answers. */
public final class PageModel implements WhatIfModel {
    private static final int KEPT = 8;

    private final Workspace workspace;
    private final Map<List<Object>, RoundTimes> kept = new LinkedHashMap<>(16, 0.75f, true) {
        private static final long serialVersionUID = 1L;

        @Override
        protected boolean removeEldestEntry(Map.Entry<List<Object>, RoundTimes> eldest) {
            return size() > KEPT;
        }
    };

    private PageModel(Workspace workspace) {
        this.workspace = workspace;
    }

    /** With the bundled catalogue and a user's own entries beside {@code scenario}, a file that need not be there. */
    public static PageModel beside(Path scenario) {
        return new PageModel(Workspace.beside(scenario));
    }

    @Override
    public Catalogue catalogue() {
        return workspace.catalogue();
    }

    @Override
    public boolean hasProfile(String gpu, String engine) {
        return workspace.hasProfile(gpu, engine);
    }

    @Override
    public ScenarioFile read(String name, String text) {
        return workspace.readText(name, text);
    }

    @Override
    public synchronized Result explore(ScenarioFile file) {
        String hash = Json.hash(file.variants());
        List<Result> results = new ArrayList<>();
        for (Scenario s : file.variants()) {
            results.add(new Explorer(s, times(s), workspace.launch(s)).explore(Main.version(), hash, n -> {}));
        }
        return Results.concat(results, workspace.warnings(file));
    }

    /** Round times depend on what serves, not on methods, workloads and load. */
    private RoundTimes times(Scenario s) {
        List<Object> key = Arrays.asList(s.hardware(), s.target(), s.engine(), s.calibration());
        return kept.computeIfAbsent(key, k -> workspace.times(s));
    }
}
