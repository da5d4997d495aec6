package dev.foretoken.cli;

import picocli.CommandLine.Command;

/** Loads the classes that most commands need: what the launcher archives for quick starts. */
@Command(name = "warm-up", hidden = true)
final class WarmUpCommand implements Runnable {
    private static final String SCENARIO = "{\"schema\": \"foretoken/scenario/1\", \"engine\": {\"name\": \"sglang\"},"
            + " \"methods\": [{\"id\": \"ar\", \"kind\": \"autoregressive\"}, {\"id\": \"t\", \"kind\": \"ddtree\","
            + " \"block\": 8, \"budget\": [8]}], \"workloads\": [{\"id\": \"w\", \"isl\": 8, \"osl\": 8, \"acceptance\":"
            + " {\"per_position\": [0.8, 0.5], \"extend\": \"geometric\"}}], \"load\": [{\"kind\": \"closed\","
            + " \"concurrency\": [1, 2]}], \"calibration\": {\"round_times\": [{\"rows\": 1, \"ms\": 20}]}}";

    @Override
    public void run() {
        Workspace workspace = Workspace.beside(java.nio.file.Path.of("."));
        var file = workspace.readText("warm-up.json", SCENARIO);
        try {
            new ResultOutput(new Common())
                    .write(ExploreCommand.explore(workspace, file, new Common()), file.effective(), false);
        } catch (java.io.IOException e) {
            throw new java.io.UncheckedIOException(e);
        }
    }
}
