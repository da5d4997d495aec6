package dev.foretoken.cli.live;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import dev.foretoken.calibration.host.CalibrationPlan;
import dev.foretoken.calibration.host.ForcedSpeculation;
import dev.foretoken.calibration.host.ForcedSpeculation.Kind;
import dev.foretoken.calibration.host.LiveLoop;
import dev.foretoken.calibration.host.LoopLoad;
import dev.foretoken.calibration.host.LoopProgress;
import dev.foretoken.calibration.host.RunCost;
import dev.foretoken.calibration.host.TimedServer;
import dev.foretoken.formats.json.Json;
import dev.foretoken.report.OutputFiles;
import dev.foretoken.report.table.TextTables;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Output of a loop against a server whose costs are a plain formula, in which acceptance is worth a given factor. */
class LiveTablesTest {
    private static LiveLoop.Report right;
    private static LiveLoop.Report wrong;

    /**
     * A round costs 3 ms and 4 ms a row, drafting 2 ms a draft, a prompt 80 ms; runs differ by up to .4 %. Drafts are cut at the end
     * of an answer and accepted by the forced rates, walked round by round.
     *
     * @param accepts whether accepted drafts save rounds, as they should
     */
    private static TimedServer server(boolean accepts) {
        int[] runs = new int[1];
        Random luck = new Random(7);
        return (s, loads, finished) -> {
            List<RunCost> costs = new ArrayList<>();
            for (LoopLoad l : loads) {
                double seconds = l.requests() * 0.08 * l.counts() + rounds(s, l, accepts, luck);
                double noise = 1 + 0.004 * Math.sin(1.7 * ++runs[0]);
                RunCost cost = new RunCost(seconds * noise, 2 * seconds, 21 * l.counts(), 0, 0);
                costs.add(cost);
                finished.load(l, cost);
            }
            return costs;
        };
    }

    private static double rounds(ForcedSpeculation s, LoopLoad l, boolean accepts, Random luck) {
        int[] left = new int[l.concurrency()];
        int waiting = l.requests();
        double seconds = 0;
        while (true) {
            int rows = 0;
            int longest = 0;
            for (int i = 0; i < left.length; i++) {
                if (left[i] == 0 && waiting > 0) {
                    waiting--;
                    left[i] = l.outputTokens() - 1;
                }
                if (left[i] > 0) {
                    int draft = Math.min(s.drafts(), left[i] - 1);
                    rows += draft + 1;
                    longest = Math.max(longest, draft);
                    double u = luck.nextDouble();
                    int accepted = 0;
                    while (accepts && accepted < draft && u < s.survival().get(accepted)) {
                        accepted++;
                    }
                    left[i] -= 1 + accepted;
                }
            }
            if (rows == 0) {
                return seconds;
            }
            seconds += 0.003 + 0.004 * rows + (s.kind() == Kind.DRAFT_MODEL ? 0.002 * longest : 0);
        }
    }

    @BeforeAll
    static void run() throws Exception {
        right = LiveLoop.run(
                server(true),
                CalibrationPlan.standard(2),
                LiveLoop.settings(),
                LiveLoop.loads(),
                2,
                1,
                LoopProgress.NONE);
        wrong = LiveLoop.run(
                server(false),
                CalibrationPlan.standard(2),
                LiveLoop.settings(),
                LiveLoop.loads(),
                2,
                1,
                LoopProgress.NONE);
    }

    @Test
    void aServerThatKeepsItsWordIsPredictedAndOneThatDoesNotIsSaidToBeWrong() {
        assertTrue(LiveTables.good(right), () -> LiveTables.verdict(right).toString());
        assertFalse(LiveTables.good(wrong), () -> LiveTables.verdict(wrong).toString());
        assertTrue(wrong.signsRight() < wrong.signsDecided());
    }

    @Test
    void tablesSayErrorsSignsAndTheNoiseFloor() throws Exception {
        StringWriter out = new StringWriter();
        new TextTables(160, false).write(List.of(LiveTables.runs(wrong), LiveTables.plain(wrong)), out);
        assertTrue(out.toString().contains("WRONG"), out.toString());
        String verdict = String.join("\n", LiveTables.verdict(right));
        assertTrue(verdict.contains("median") && verdict.contains("noise floor"), verdict);
        assertTrue(verdict.contains("inside the calibrated range"), verdict);
    }

    @Test
    void jsonHoldsEveryRunWithItsBand() throws Exception {
        JsonNode json = Json.mapper().readTree(Json.pretty(LiveTables.json(right, Map.of("machine", "none"))));
        assertEquals(27, json.path("rows").size());
        assertEquals(3, json.path("plain").size());
        for (JsonNode row : json.path("rows")) {
            assertTrue(
                    row.path("band").get(0).asDouble() < row.path("band").get(1).asDouble());
            assertTrue(row.path("calibrated").asBoolean());
            assertEquals(
                    row.path("predicted_cpu_s").asDouble()
                                    / row.path("measured_cpu_s").asDouble()
                            - 1,
                    row.path("error").asDouble(),
                    1e-9);
        }
    }

    @Test
    void chartsAreDrawn(@TempDir Path folder) throws Exception {
        OutputFiles files = new OutputFiles(folder);
        LiveCharts.seconds(right).write(files, "seconds");
        LiveCharts.gains(right).write(files, "gains");
        LiveCharts.rounds(right).write(files, "rounds");
        for (String name : List.of("seconds", "gains", "rounds")) {
            assertTrue(Files.size(folder.resolve(name + ".png")) > 5_000, name);
            assertTrue(Files.readString(folder.resolve(name + ".svg")).contains("CPU"), name);
        }
    }

    @Test
    void settingsStayInsideTheCalibratedRange() {
        assertTrue(LiveLoop.settings().stream()
                .filter(s -> s.kind() == Kind.NGRAM)
                .map(ForcedSpeculation::drafts)
                .allMatch(k -> k >= CalibrationPlan.FEWEST_NGRAM_DRAFTS));
        assertTrue(right.rows().stream().allMatch(r -> r.predicted().calibrated()));
    }
}
