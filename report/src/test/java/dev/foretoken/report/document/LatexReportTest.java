package dev.foretoken.report.document;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.foretoken.report.OutputFiles;
import dev.foretoken.report.table.NumberStyle;
import dev.foretoken.sim.result.Result;
import java.io.File;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class LatexReportTest {
    @TempDir
    Path folder;

    @Test
    void namesEveryChartItWroteAndItsNumbersComeFromTheResult() throws Exception {
        List<Path> files = LatexReport.write(Reports.of(Reports.PLAIN), new OutputFiles(folder));
        String tex = Files.readString(files.get(files.size() - 1));
        for (Path f : files.subList(0, files.size() - 1)) {
            assertTrue(tex.contains("{" + f.getFileName() + "}"), f.toString());
            assertEquals("%PDF", new String(Files.readAllBytes(f), 0, 4, StandardCharsets.ISO_8859_1));
        }
        assertTrue(tex.contains("\\toprule"));
        assertTrue(tex.contains(
                "gives " + NumberStyle.RATE.show(Reports.PLAIN.best().get(0).outputTokS()) + " tok/s"));
        assertTrue(tex.contains("Threats to validity"));
    }

    @Test
    @Tag("latex")
    void buildsToAPdf() throws Exception {
        build(Reports.PLAIN);
    }

    @Test
    @Tag("latex")
    void hostileNamesBuildToo() throws Exception {
        String log = build(Reports.HOSTILE);
        assertFalse(log.contains("(/etc/passwd"), "a name was read as a file");
    }

    private String build(Result result) throws Exception {
        assumeTrue(onPath("pdflatex"), "pdflatex is not installed: the LaTeX source is not built");
        LatexReport.write(Reports.of(result), new OutputFiles(folder));
        for (int pass = 0; pass < 2; pass++) {
            Process p = new ProcessBuilder(
                            "pdflatex", "-no-shell-escape", "-interaction=nonstopmode", "-halt-on-error", "report.tex")
                    .directory(folder.toFile())
                    .redirectErrorStream(true)
                    .redirectOutput(folder.resolve("out.txt").toFile())
                    .start();
            assertTrue(p.waitFor(3, TimeUnit.MINUTES), "pdflatex takes too long");
            String out = Files.readString(folder.resolve("out.txt"), StandardCharsets.ISO_8859_1);
            assertEquals(0, p.exitValue(), out.substring(Math.max(0, out.length() - 3000)));
        }
        assertTrue(Files.size(folder.resolve("report.pdf")) > 50_000);
        return Files.readString(folder.resolve("report.log"), StandardCharsets.ISO_8859_1);
    }

    private static boolean onPath(String program) {
        return Arrays.stream(System.getenv("PATH").split(Pattern.quote(File.pathSeparator)))
                .anyMatch(dir -> Files.isExecutable(Path.of(dir, program)));
    }
}
