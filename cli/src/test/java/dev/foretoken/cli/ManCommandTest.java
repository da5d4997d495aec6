package dev.foretoken.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Model.PositionalParamSpec;

class ManCommandTest {
    @TempDir
    Path folder;

    private static String page() {
        CliRun run = CliRun.of("man");
        assertEquals(0, run.exit(), run.err());
        return run.out();
    }

    /** Text of the page under a heading, to the next one. */
    private static String section(String page, String heading) {
        int at = page.indexOf(heading + "\n");
        assertTrue(at >= 0, "no " + heading);
        String rest = page.substring(at + heading.length());
        var end = Pattern.compile("^\\.S[HS] ", Pattern.MULTILINE).matcher(rest);
        return end.find() ? rest.substring(0, end.start()) : rest;
    }

    @Test
    void hasEveryCommandOptionAndArgument() {
        String page = page();
        String common = section(page, ".SH \"COMMON OPTIONS\"");
        List<CommandSpec> commands = ManPage.commands(Main.commandLine().getCommandSpec());
        assertTrue(commands.size() >= 18, commands.size() + " commands");
        int options = 0;
        for (CommandSpec command : commands) {
            String own = section(page, ".SS \"" + ManPage.escape(command.qualifiedName()) + "\"");
            for (OptionSpec o : command.options()) {
                for (String name : o.names()) {
                    String shown = "\\fB" + ManPage.escape(name) + "\\fR";
                    assertTrue(
                            o.hidden() || own.contains(shown) || common.contains(shown),
                            command.qualifiedName() + " " + name);
                    options++;
                }
            }
            for (PositionalParamSpec p : command.positionalParameters()) {
                assertTrue(
                        own.contains("\\fI" + ManPage.escape(p.paramLabel()) + "\\fR"),
                        command.qualifiedName() + " " + p.paramLabel());
            }
        }
        assertTrue(options > 100, options + " options");
        assertTrue(section(page, ".SS \"foretoken explore\"").contains("\\fB\\-\\-simulate\\fR \\fIN\\fR"));
        assertFalse(page.contains("warm\\-up"), "hidden commands stay out");
        assertFalse(page.contains("${"), "variables are resolved");
    }

    @Test
    void escapesWhatRoffWouldRead() {
        assertEquals("a\\e b \\-\\-x \\(dqq\\(dq \\[u00D7]", ManPage.escape("a\\ b --x \"q\" \u00d7"));
    }

    @Test
    void groffReadsItWithoutWarnings() throws Exception {
        Path groff = Path.of("/usr/bin/groff");
        Assumptions.assumeTrue(Files.isExecutable(groff), "skipped: there is no groff");
        Path file = Files.writeString(folder.resolve("foretoken.1"), page());
        Path out = folder.resolve("out.txt");
        Path warnings = folder.resolve("warnings.txt");
        Process p = new ProcessBuilder(groff.toString(), "-man", "-Tutf8", "-ww", file.toString())
                .redirectOutput(out.toFile())
                .redirectError(warnings.toFile())
                .start();
        assertTrue(p.waitFor(60, TimeUnit.SECONDS));
        assertEquals(0, p.exitValue());
        assertEquals("", Files.readString(warnings));
        assertTrue(Files.size(out) > 5000);
    }
}
