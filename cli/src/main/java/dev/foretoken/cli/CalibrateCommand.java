package dev.foretoken.cli;

import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** {@code foretoken calibrate ...}: measured figures for scenarios. */
@Command(
        name = "calibrate",
        description = "Measured figures for scenarios: kernel timings, profiles, round times of a server, acceptance.",
        synopsisSubcommandLabel = "COMMAND",
        mixinStandardHelpOptions = true,
        subcommands = {
            CalibrateAcceptance.class,
            CalibrateImport.class,
            CalibrateFit.class,
            CalibrateTiming.Gpu.class,
            CalibrateTiming.Host.class,
            CalibrateEndpoint.class
        })
final class CalibrateCommand implements Runnable {
    @Spec
    private CommandSpec spec;

    @Override
    public void run() {
        throw new CommandLine.ParameterException(
                spec.commandLine(),
                "calibrate what? One of " + String.join(", ", spec.subcommands().keySet())
                        + "; calibrate COMMAND --help says more");
    }
}
