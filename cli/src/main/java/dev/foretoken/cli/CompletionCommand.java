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
            "Prints a completion script: bash: source <(foretoken completion bash);",
            "zsh: source <(foretoken completion zsh), after autoload -U +X compinit && compinit."
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
        String script = AutoComplete.bash(line.getCommandName(), line);
        if (shell == Shell.zsh) {
            // the script holds bash's own completion functions, which zsh offers under this name
            script = "autoload -U +X bashcompinit && bashcompinit\n" + script;
        }
        Common.print(script);
    }
}
