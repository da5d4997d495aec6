package dev.foretoken.cli;

import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** {@code foretoken man}: the manual page, made from the commands themselves. */
@Command(
        name = "man",
        description = "Prints the manual page of all commands: foretoken man | man -l -",
        mixinStandardHelpOptions = true)
final class ManCommand implements Runnable {
    @Mixin
    private Common common;

    @Override
    public void run() {
        Common.print(ManPage.of(Main.commandLine().getCommandSpec(), Main.version()));
    }
}
