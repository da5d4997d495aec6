package dev.foretoken.report.document;

import dev.foretoken.formats.scenario.Effective;
import dev.foretoken.report.Hostile;
import dev.foretoken.report.SampleResults;
import dev.foretoken.sim.result.Result;
import java.io.IOException;
import java.io.StringWriter;
import java.util.List;

/** Reports for tests. */
final class Reports {
    static final Result PLAIN =
            SampleResults.of("a server", List.of("code", "prose"), List.of(1, 4), List.of(8, 16, 32));
    static final Result HOSTILE =
            SampleResults.of(Hostile.NAME, List.of(Hostile.NAME, "b"), List.of(1), List.of(8, 16));

    private Reports() {}

    static Report of(Result result) {
        String name = result.scenario();
        return new Report(
                name,
                "test",
                List.of(ResultChapter.of(
                        new RunFolder(
                                result, List.of(new Effective("engine.name", name, "scenario.yaml:3")), List.of()),
                        List.of())));
    }

    static String html(Report report) throws IOException {
        StringWriter out = new StringWriter();
        HtmlReport.write(report, out);
        return out.toString();
    }
}
