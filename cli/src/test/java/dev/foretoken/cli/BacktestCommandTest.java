package dev.foretoken.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import dev.foretoken.formats.json.Json;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class BacktestCommandTest {
    private static final String HEADER = "case_id,source_group,source,gpu,tp,model,weight_dtype,engine,engine_version,"
            + "method,method_params,dataset_or_workload,isl,concurrency,metric,value,accept_len,note\n";

    @TempDir
    Path folder;

    @Test
    void bundledCasesPrintEveryWayAndSource() throws Exception {
        CliRun run = CliRun.of("backtest", "--quiet", "--json");
        assertEquals(0, run.exit(), run.err());
        JsonNode report = Json.mapper().readTree(run.out());
        assertEquals("foretoken/backtest/1", report.get("schema").asText());
        for (String way : List.of("IN_SAMPLE", "LEAVE_POINT_OUT", "LEAVE_METHOD_OUT")) {
            JsonNode covered = report.get("ways").get(way).get("covered");
            assertTrue(covered.get("n").asInt() > 100, way);
            assertTrue(covered.get("median_absolute_percent").asDouble() < 10, covered.toString());
            JsonNode signs = report.get("signs").get(way);
            assertTrue(
                    signs.get("wins_right").asInt() >= 0.8 * signs.get("wins").asInt(), signs.toString());
            assertTrue(
                    signs.get("losses_right").asInt()
                            >= 0.8 * signs.get("losses").asInt(),
                    signs.toString());
        }
        JsonNode timed = report.get("white_box");
        assertEquals(122, timed.get("rows").size());
        assertTrue(
                timed.get("speedups").get("median_absolute_percent").asDouble() < 20,
                timed.get("speedups").toString());
        assertTrue(
                timed.get("signs").get("wins_right").asInt()
                        >= 0.8 * timed.get("signs").get("wins").asInt(),
                timed.get("signs").toString());
        int covered = timed.get("rows").size();
        for (JsonNode n : timed.get("not_predicted")) {
            covered += n.asInt();
        }
        assertEquals(951, covered, "every row is predicted or has a reason");
        int dense = 0;
        for (JsonNode row : timed.get("rows")) {
            if (!row.get("speculative").asBoolean()
                    && row.get("source_group").asText().equals("specbundle")
                    && row.get("measured").asDouble() < 500) {
                dense++;
                assertTrue(Math.abs(row.get("error_percent").asDouble()) < 5, row.toString());
                assertTrue(row.get("assumptions").toString().contains("TP not stated"), row.toString());
            }
        }
        assertEquals(7, dense, "plain decoding of Llama-3.1-8B on one H200");
        for (JsonNode p : report.get("predictions")) {
            assertEquals(Math.abs(p.get("error_percent").asDouble()) > 20, p.has("remark"), p.toString());
        }
    }

    @Test
    void writesTablesAndCharts() throws Exception {
        Path out = folder.resolve("out");
        CliRun run = CliRun.of("backtest", "--out", out.toString(), "--format", "md");
        assertEquals(0, run.exit(), run.err());
        assertTrue(run.out().startsWith("# backtest"), run.out());
        assertTrue(Files.exists(out.resolve("backtest.json")));
        assertTrue(Files.exists(out.resolve("backtest-errors-by-source.csv")));
        assertTrue(Files.size(out.resolve("predicted-measured-row-left-out.png")) > 5000);
        assertTrue(Files.size(out.resolve("predicted-measured-kernel-timings.png")) > 5000);
        assertTrue(run.err().contains("files in"), run.err());
    }

    @Test
    void aUsersFile() throws Exception {
        Path file = folder.resolve("mine.csv");
        StringBuilder csv = new StringBuilder(HEADER);
        for (int c : new int[] {1, 2, 4, 8, 16}) {
            csv.append(String.format(
                    java.util.Locale.ROOT,
                    "ar-%d,me,,h100,1,m,bf16,vllm,1,AR,,w,512,%d,output_tok_s,%.3f,,%n",
                    c,
                    c,
                    1000.0 * c / (10 + 0.2 * c)));
            csv.append(String.format(
                    java.util.Locale.ROOT,
                    "mtp-%d,me,,h100,1,m,bf16,vllm,1,MTP,\"{\"\"k\"\":1}\",w,512,%d,output_tok_s,%.3f,1.8,%n",
                    c,
                    c,
                    1800.0 * c / (12 + 0.4 * c)));
        }
        csv.append("bad,me,,h100,1,m,bf16,vllm,1,AR,,w,512,1,output_tok_s,fast,,\n");
        Files.writeString(file, csv);
        CliRun run = CliRun.of("backtest", file.toString(), "--format", "csv", "--quiet");
        assertEquals(0, run.exit(), run.err());
        assertTrue(run.out().startsWith("case_id,"), run.out());
        CliRun table = CliRun.of("backtest", file.toString());
        assertTrue(table.out().contains("mine.csv:12: value is not a number: fast"), table.out());
    }

    @Test
    void refusesWhatIsNoCasesFile() throws Exception {
        Path file = folder.resolve("x.csv");
        Files.writeString(file, "a,b\n1,2\n");
        CliRun run = CliRun.of("backtest", file.toString());
        assertEquals(2, run.exit());
        assertTrue(run.err().contains("column case_id is missing"), run.err());
        assertEquals("", run.out());
        CliRun absent = CliRun.of("backtest", folder.resolve("nowhere.csv").toString());
        assertEquals(2, absent.exit());
        assertTrue(absent.err().contains("nowhere.csv"), absent.err());
        assertEquals(2, CliRun.of("backtest", folder.toString()).exit());
        Files.writeString(file, HEADER);
        assertEquals(2, CliRun.of("backtest", file.toString()).exit());
    }

    @Test
    void signsWithoutLossesAreSaidInWords() {
        assertEquals(
                "wins right 3 of 4, no row was measured as a loss",
                BacktestCommand.signs(new dev.foretoken.validation.backtest.BacktestReport.Signs(4, 3, 0, 0)));
        assertEquals(
                "no row was measured as a win, losses right 1 of 2",
                BacktestCommand.signs(new dev.foretoken.validation.backtest.BacktestReport.Signs(0, 0, 2, 1)));
    }
}
