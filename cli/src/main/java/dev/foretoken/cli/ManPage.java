package dev.foretoken.cli;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.IllegalFormatException;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import picocli.CommandLine;
import picocli.CommandLine.Model.ArgSpec;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Model.PositionalParamSpec;

/**
 * The commands as one page for man(1), in the macros of man(7). Options that every command takes stand once; text that roff
 * would take for requests or escapes is escaped.
 */
final class ManPage {
    private static final String[][] ENVIRONMENT = {
        {"FORETOKEN_API_KEY", "key for a server's Authorization header"},
        {"FORETOKEN_CATALOGUE", "folder with cards, models, drafters, links and profiles of your own"},
        {"FORETOKEN_HEAP", "heap of the launcher's Java virtual machine (default: 1g)"},
        {"FORETOKEN_JAVA_OPTS", "further options of the launcher's Java virtual machine"},
        {"FORETOKEN_TIMING", "binary of the native timing tool, where it is not in its usual place"},
        {"COLUMNS", "width of tables"},
        {"NO_COLOR", "no colour in usage messages, whatever its value"},
    };

    private static final String[][] EXITS = {
        {"0", "ok"},
        {"1", "failure"},
        {"2", "bad usage or input"},
        {"3", "outside tolerance"},
        {"4", "endpoint unreachable or refusing"},
        {"5", "no GPU, or the timing tool cannot run"},
    };

    private final StringBuilder out = new StringBuilder();
    private final Set<String> common = new HashSet<>();

    private ManPage() {}

    /** The page of a command and all its subcommands that are not hidden. */
    static String of(CommandSpec root, String version) {
        ManPage page = new ManPage();
        CommandSpec shared = CommandSpec.forAnnotatedObject(new Common()).mixinStandardHelpOptions(true);
        shared.options().forEach(o -> page.common.addAll(List.of(o.names())));
        page.write(root, version, shared);
        return page.out.toString();
    }

    private void write(CommandSpec root, String version, CommandSpec shared) {
        String name = root.name();
        out.append(".TH ")
                .append(name.toUpperCase(Locale.ROOT))
                .append(" 1 \"\" \"")
                .append(escape(name + " " + version))
                .append("\"\n.nh\n.ad l\n");
        section("NAME");
        line(name + " - " + String.join(" ", plain(root.usageMessage().description())));
        section("SYNOPSIS");
        out.append("\\fB")
                .append(escape(name))
                .append("\\fR \\fICOMMAND\\fR [\\fIoption\\fR...] [\\fIargument\\fR...]\n");
        section("DESCRIPTION");
        line("Results go to standard output (--format table, json, csv or md), everything else to standard error.");
        out.append(".PP\n");
        line("In a clone of the project the launcher also knows \"" + name + " test [--quick]\": every test.");
        section("COMMANDS");
        for (CommandSpec command : commands(root)) {
            command(command);
        }
        section("COMMON OPTIONS");
        shared.options().forEach(this::option);
        section("EXIT STATUS");
        for (String[] exit : EXITS) {
            entry("\\fB" + exit[0] + "\\fR", List.of(exit[1]));
        }
        section("ENVIRONMENT");
        for (String[] variable : ENVIRONMENT) {
            entry("\\fB" + escape(variable[0]) + "\\fR", List.of(variable[1]));
        }
    }

    /** Commands below a command in the order of its help, each before its own. */
    static List<CommandSpec> commands(CommandSpec parent) {
        List<CommandSpec> all = new ArrayList<>();
        Set<CommandSpec> seen = new HashSet<>();
        for (CommandLine line : parent.subcommands().values()) {
            CommandSpec spec = line.getCommandSpec();
            if (!spec.usageMessage().hidden() && seen.add(spec)) {
                all.add(spec);
                all.addAll(commands(spec));
            }
        }
        return all;
    }

    private void command(CommandSpec command) {
        out.append(".SS \"").append(escape(command.qualifiedName())).append("\"\n");
        plain(command.usageMessage().description()).forEach(this::line);
        for (PositionalParamSpec p : command.positionalParameters()) {
            if (!p.hidden()) {
                entry("\\fI" + escape(p.paramLabel()) + "\\fR", plain(p.description()));
            }
        }
        for (OptionSpec o : command.options()) {
            if (!o.hidden() && !common.contains(o.longestName())) {
                option(o);
            }
        }
        List<String> footer = plain(command.usageMessage().footer()).stream()
                .filter(l -> !l.isBlank())
                .toList();
        if (!footer.isEmpty()) {
            out.append(".PP\n");
            footer.forEach(this::line);
        }
    }

    private void option(OptionSpec o) {
        List<String> names = new ArrayList<>();
        for (String n : o.names()) {
            names.add("\\fB" + escape(n) + "\\fR");
        }
        String label = takesValue(o) ? " \\fI" + escape(o.paramLabel()) + "\\fR" : "";
        entry(String.join(", ", names) + label, plain(o.description()));
    }

    private static boolean takesValue(ArgSpec o) {
        return o.arity().max() > 0;
    }

    private void section(String title) {
        out.append(".SH \"").append(title).append("\"\n");
    }

    private void entry(String head, List<String> text) {
        out.append(".TP\n").append(head).append('\n');
        text.forEach(this::line);
    }

    private void line(String text) {
        if (text.isBlank()) {
            return;
        }
        String escaped = escape(text.strip());
        out.append(escaped.startsWith(".") || escaped.startsWith("'") ? "\\&" : "")
                .append(escaped)
                .append('\n');
    }

    /** Descriptions as usage messages show them: line breaks and percent signs resolved. */
    private static List<String> plain(String... description) {
        List<String> lines = new ArrayList<>();
        for (String d : description) {
            String text;
            try {
                text = String.format(Locale.ROOT, d);
            } catch (IllegalFormatException e) {
                text = d;
            }
            lines.addAll(text.lines().toList());
        }
        return lines;
    }

    /** Text that roff shows as itself. */
    static String escape(String text) {
        StringBuilder safe = new StringBuilder(text.length() + 8);
        text.codePoints().forEach(c -> {
            switch (c) {
                case '\\' -> safe.append("\\e");
                case '-' -> safe.append("\\-");
                case '"' -> safe.append("\\(dq");
                default -> {
                    if (c < 0x20 || c == 0x7f) {
                        safe.append(' ');
                    } else if (c < 0x7f) {
                        safe.append((char) c);
                    } else {
                        safe.append(String.format(Locale.ROOT, "\\[u%04X]", c));
                    }
                }
            }
        });
        return safe.toString();
    }
}
