package dev.foretoken.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class CompletionCommandTest {
    @TempDir
    Path folder;

    @ParameterizedTest
    @ValueSource(strings = {"bash", "zsh"})
    void namesEveryCommand(String shell) {
        CliRun run = CliRun.of("completion", shell);
        assertEquals(0, run.exit(), run.err());
        Main.commandLine().getSubcommands().forEach((name, line) -> {
            if (!line.getCommandSpec().usageMessage().hidden()) {
                assertTrue(run.out().contains(name), name);
            }
        });
        assertTrue(run.out().contains("--marginals"), "options of commands below commands");
    }

    @Test
    void bashCompletesCommands() throws Exception {
        Assumptions.assumeTrue(Files.isExecutable(Path.of("/bin/bash")), "skipped: there is no bash");
        Path script = folder.resolve("completion.sh");
        Files.writeString(script, CliRun.of("completion", "bash").out());
        Path out = folder.resolve("out.txt");
        Process bash = new ProcessBuilder(
                        "/bin/bash",
                        "-c",
                        "source \"$1\"; COMP_WORDS=(foretoken calibrate acc); COMP_CWORD=2; _complete_foretoken;"
                                + " echo \"${COMPREPLY[@]}\"",
                        "bash",
                        script.toString())
                .redirectErrorStream(true)
                .redirectOutput(out.toFile())
                .start();
        assertTrue(bash.waitFor(60, TimeUnit.SECONDS));
        assertTrue(Files.readString(out).contains("acceptance"), Files.readString(out));
    }

    @Test
    void otherShellsAreRefused() {
        assertEquals(2, CliRun.of("completion", "fish").exit());
        assertEquals(2, CliRun.of("completion").exit());
    }
}
