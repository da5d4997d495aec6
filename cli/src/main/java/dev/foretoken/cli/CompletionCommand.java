package dev.foretoken.cli;

import picocli.AutoComplete;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/** {@code foretoken completion bash|zsh}: a completion script for the shell. */
@Command(
        name = "completion",
        description = {
            "Prints a completion script for bash or zsh.",
            "bash: source <(foretoken completion bash); zsh: the same with zsh."
        },
        mixinStandardHelpOptions = true)
final class CompletionCommand implements Runnable {
    /** Shells with a script. */
    enum Shell {
        bash,
        zsh
    }

    @Parameters(index = "0", paramLabel = "SHELL", description = "bash or zsh")
    private Shell shell;

    @Mixin
    private Common common;

    @Override
    public void run() {
        CommandLine line = Main.commandLine();
        // one script serves both shells: under zsh it turns on zsh's own emulation of bash completion
        String script = AutoComplete.bash(line.getCommandName(), line);
        Common.print(script);
    }
}
