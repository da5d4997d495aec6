package dev.foretoken.cli;

import dev.foretoken.formats.document.DocumentError;
import dev.foretoken.report.table.SafeText;
import dev.foretoken.validation.session.EndpointException;
import java.io.BufferedOutputStream;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.PrintStream;
import java.nio.charset.Charset;
import java.nio.file.NoSuchFileException;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.IVersionProvider;
import picocli.CommandLine.ParseResult;

/** The {@code foretoken} command. */
@Command(
        name = "foretoken",
        description = "Which method, draft-tree budget, top-k and TP at my concurrency, by how much, and how sure.",
        mixinStandardHelpOptions = true,
        versionProvider = Main.Version.class,
        synopsisSubcommandLabel = "COMMAND",
        commandListHeading = "%nCommands:%n",
        footer = {
            "",
            "Exit codes: 0 ok, 1 failure, 2 bad usage or input, 3 outside tolerance, 4 endpoint unreachable or refusing,",
            "5 no GPU or the timing tool cannot run. Results go to standard output, the rest to standard error."
        },
        subcommands = {
            ExploreCommand.class,
            SimulateCommand.class,
            CalibrateCommand.class,
            ValidateCommand.class,
            BacktestCommand.class,
            InitCommand.class,
            DemoCommand.class,
            ReportCommand.class,
            ServeCommand.class,
            GalleryCommand.class,
            NotebookCommand.class,
            CompletionCommand.class,
            ManCommand.class,
            WarmUpCommand.class
        })
public final class Main implements Runnable {

    /** Version from the jar's manifest. */
    public static final class Version implements IVersionProvider {
        @Override
        public String[] getVersion() {
            return new String[] {"foretoken " + version()};
        }
    }

    /** Version of the program, "dev" outside a jar. */
    public static String version() {
        String v = Main.class.getPackage().getImplementationVersion();
        return v == null ? "dev" : v;
    }

    @Override
    public void run() {
        CommandLine.usage(this, System.out);
    }

    public static void main(String[] args) {
        ReaderGone out = new ReaderGone(new FileOutputStream(FileDescriptor.out));
        System.setOut(new PrintStream(new BufferedOutputStream(out, 1 << 13), true, outputCharset()));
        int exit = commandLine().execute(args);
        System.out.flush();
        System.exit(exit == Exit.OK && out.gone() ? Exit.READER_GONE : exit);
    }

    /** The character set that Java prints to standard output in. */
    private static Charset outputCharset() {
        String name = System.getProperty("stdout.encoding", System.getProperty("sun.stdout.encoding"));
        return name == null || !Charset.isSupported(name) ? Charset.defaultCharset() : Charset.forName(name);
    }

    /** The command line, for the launcher and for tests. */
    public static CommandLine commandLine() {
        CommandLine line = new CommandLine(new Main());
        line.setCaseInsensitiveEnumValuesAllowed(true);
        line.setExecutionExceptionHandler(Main::handle);
        if (System.getenv("NO_COLOR") != null || System.console() == null) {
            line.setColorScheme(CommandLine.Help.defaultColorScheme(CommandLine.Help.Ansi.OFF));
        }
        return line;
    }

    /** A message with what a terminal would take for commands made visible: it may quote a file. */
    private static void print(String message) {
        message.lines().map(SafeText::visible).forEach(System.err::println);
    }

    private static int handle(Exception e, CommandLine line, ParseResult parsed) {
        if (e instanceof UserError user) {
            print("foretoken: " + user.getMessage());
            return user.exit();
        }
        if (e instanceof EndpointException) {
            print("foretoken: " + e.getMessage());
            return Exit.ENDPOINT;
        }
        if (e instanceof DocumentError) {
            print(e.getMessage());
            return Exit.BAD_INPUT;
        }
        if (e instanceof NoSuchFileException missing) {
            print("foretoken: no such file: " + missing.getFile());
            return Exit.BAD_INPUT;
        }
        print("foretoken: failed: " + e);
        boolean verbose = parsed.subcommand() != null && parsed.subcommand().hasMatchedOption("-v");
        if (verbose) {
            System.err.print(Common.stackTrace(e));
        } else {
            System.err.println("foretoken: run again with -v for the stack trace");
        }
        return Exit.FAILURE;
    }
}
