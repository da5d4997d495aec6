package dev.foretoken.report.table;

import dev.foretoken.sim.result.Result;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** A result of explore or simulate as text, Markdown or CSV. */
public final class ResultPrinter {
    /** Largest grid that text shows whole; of a larger one the best arm of each method. */
    public static final int MOST_TEXT_ROWS = 40;

    /** The same for a reader who asked for more. */
    public static final int MOST_VERBOSE_ROWS = 1_000;

    private ResultPrinter() {}

    /**
     * For a terminal.
     *
     * @param mostRows largest grid shown whole
     */
    public static void text(Result result, TextTables tables, int mostRows, Appendable out) throws IOException {
        out.append(SafeText.visible(headline(result))).append("\n\n");
        tables.write(ResultBlocks.of(result, mostRows), out);
    }

    /** Markdown, every point. */
    public static void markdown(Result result, Appendable out) throws IOException {
        out.append("# ").append(MarkdownTables.escape(headline(result))).append("\n\n");
        MarkdownTables.write(ResultBlocks.of(result, Integer.MAX_VALUE), out);
    }

    /** Every point as one row of comma-separated values. */
    public static void csv(Result result, Appendable out) throws IOException {
        CsvTables.write(ResultBlocks.grid(result.points(), Integer.MAX_VALUE), out);
    }

    /** Scenario, model, number of points, seed and the start of the scenario's hash. */
    public static String headline(Result result) {
        List<String> parts = new ArrayList<>();
        if (result.scenario() != null && !result.scenario().isBlank()) {
            parts.add(result.scenario());
        }
        parts.add(result.engine().equals(Result.ANALYTICAL) ? "analytical model" : result.engine());
        parts.add(String.format(Locale.ROOT, "%,d points", result.points().size()));
        parts.add("seed " + result.seed());
        if (result.scenarioHash() != null) {
            parts.add("scenario "
                    + result.scenarioHash()
                            .substring(0, Math.min(12, result.scenarioHash().length())));
        }
        return String.join(" · ", parts);
    }
}
