package dev.foretoken.validation.backtest;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.foretoken.validation.backtest.BacktestReport.Prediction;
import dev.foretoken.validation.backtest.BacktestReport.Way;
import dev.foretoken.validation.compare.ErrorSummary;
import java.io.IOException;
import java.io.Reader;
import java.io.StringReader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** The bundled public cases: errors by way and source. */
class BacktestTest {
    private static BacktestReport report;
    private static CasesFile.Content cases;

    @BeforeAll
    static void run() throws IOException {
        Path file = Path.of(System.getProperty("foretoken.root", "..")).resolve("scenarios/cases/public.csv");
        try (Reader in = Files.newBufferedReader(file)) {
            cases = CasesFile.read("public.csv", in);
        }
        report = new Backtest(cases).run();
        if (Boolean.getBoolean("backtest.print")) {
            print();
        }
    }

    private static void print() {
        report.ways()
                .forEach((w, e) ->
                        System.out.println(w + " " + e + " " + report.signs().get(w)));
        report.sources().forEach(System.out::println);
        report.predictions().stream().filter(p -> p.remark() != null).forEach(System.out::println);
        report.unpredicted().stream()
                .collect(java.util.stream.Collectors.groupingBy(
                        u -> u.way() + " " + u.sourceGroup() + " " + u.reason(),
                        java.util.TreeMap::new,
                        java.util.stream.Collectors.counting()))
                .forEach((k, n) -> System.out.println(n + " " + k));
    }

    @Test
    void everyRowIsReadAndAccountedFor() {
        assertEquals(951, report.rowsRead());
        assertEquals(List.of(), report.leftOut());
        for (Way way : Way.values()) {
            long predicted =
                    report.predictions().stream().filter(p -> p.way() == way).count();
            long not = report.unpredicted().stream().filter(u -> u.way() == way).count();
            assertEquals(951 - report.autoregressive(), predicted + not, way.toString());
        }
        report.unpredicted().forEach(u -> assertTrue(!u.reason().isBlank(), u.toString()));
    }

    @Test
    void oneAcceptLengthAndOneDraftTermPerCurveOfTheLargeMoe() {
        List<ErrorSummary.Pair> covered = report.predictions().stream()
                .filter(p ->
                        p.way() == Way.LEAVE_POINT_OUT && p.sourceGroup().startsWith("rtx6k-q397") && !p.extrapolated())
                .map(p -> ErrorSummary.Pair.of(1 + p.errorPercent() / 100, 1))
                .toList();
        assertTrue(covered.size() >= 100, "covered points: " + covered.size());
        ErrorSummary e = ErrorSummary.of(covered);
        assertTrue(e.medianAbsolutePercent() <= 5, e.toString());
        assertTrue(Math.abs(e.worstPercent()) <= 15, e.toString());
    }

    @Test
    void mediansOutOfSamplePerSource() {
        for (BacktestReport.SourceErrors s : report.sources()) {
            ErrorSummary e = s.errors().covered();
            if (e != null && e.n() >= 5) {
                assertTrue(e.medianAbsolutePercent() <= 10, s.toString());
            }
        }
    }

    @Test
    void winsAndLossesOutOfSample() {
        BacktestReport.Signs s = report.signs().get(Way.LEAVE_POINT_OUT);
        assertTrue(s.wins() > 100 && s.losses() > 20, s.toString());
        assertTrue(s.winsRight() >= 0.8 * s.wins(), s.toString());
        assertTrue(s.lossesRight() >= 0.8 * s.losses(), s.toString());
    }

    @Test
    void missesAreExplainedOrSaidUnexplained() {
        for (Prediction p : report.predictions()) {
            assertEquals(Math.abs(p.errorPercent()) > 20, p.remark() != null, p.toString());
        }
    }

    @Test
    void rangesAreReadAndBadRowsNamed() throws IOException {
        String head = String.join(",", CasesFile.REQUIRED) + "\n";
        CasesFile.Content c = CasesFile.read(
                "mine.csv",
                new StringReader(head + "a,g,card,1,m,bf16,vllm,AR,1,output_tok_s,28-40\n"
                        + "b,g,card,1,m,bf16,vllm,AR,1,output_tok_s,fast\n"
                        + "c,g,card,1,m,bf16,vllm,AR,x,output_tok_s,3\n"));
        assertEquals(34, c.rows().get(0).value());
        assertTrue(c.rows().get(0).range());
        assertEquals(2, c.left().size());
        assertTrue(
                c.left().get(0).startsWith("mine.csv:3: value is not a number: fast"),
                c.left().get(0));
        var e = assertThrows(
                IllegalArgumentException.class, () -> CasesFile.read("x.csv", new StringReader("case_id,gpu\n")));
        assertTrue(e.getMessage().contains("source_group"));
    }

    /** One curve by hand: AR 20 + rows/4 ms, accept length 2, draft 3 ms, width 3. */
    @Test
    void aPerfectCurveIsPredictedExactly() throws IOException {
        StringBuilder csv = new StringBuilder(String.join(",", CasesFile.REQUIRED) + ",method_params\n");
        for (int c : new int[] {1, 2, 4, 8, 16, 32}) {
            csv.append("ar")
                    .append(c)
                    .append(",g,card,1,m,bf16,vllm,AR,")
                    .append(c)
                    .append(",output_tok_s,")
                    .append(1000.0 * c / (20 + c / 4.0))
                    .append(",\n");
        }
        for (int c : new int[] {1, 2, 4, 8}) {
            csv.append("s")
                    .append(c)
                    .append(",g,card,1,m,bf16,vllm,MTP,")
                    .append(c)
                    .append(",output_tok_s,")
                    .append(1000.0 * c * 2 / (20 + 3 * c / 4.0 + 3))
                    .append(",\"{\"\"nextn\"\": 2}\"\n");
        }
        BacktestReport r = new Backtest(CasesFile.read("x", new StringReader(csv.toString()))).run();
        List<Prediction> lopo = r.predictions().stream()
                .filter(p -> p.way() == Way.LEAVE_POINT_OUT)
                .toList();
        assertEquals(4, lopo.size());
        lopo.forEach(p -> assertEquals(0, p.errorPercent(), 1e-3));
    }
}
