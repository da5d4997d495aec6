package dev.foretoken.report.document;

import dev.foretoken.report.chart.Plot;
import dev.foretoken.report.table.Block;
import java.util.List;

/**
 * What a report tells.
 *
 * @param title of the whole
 * @param version of the program
 * @param chapters one per run
 */
public record Report(String title, String version, List<Chapter> chapters) {
    public Report {
        chapters = List.copyOf(chapters);
        if (chapters.isEmpty()) {
            throw new IllegalArgumentException("a report needs at least one run");
        }
    }

    /** One run. */
    public record Chapter(String title, List<Section> sections) {
        public Chapter {
            sections = List.copyOf(sections);
        }
    }

    /**
     * A section.
     *
     * @param title heading
     * @param lead sentences before the parts
     * @param parts tables, sentences and charts
     */
    public record Section(String title, List<String> lead, List<Part> parts) {
        public Section {
            lead = List.copyOf(lead);
            parts = List.copyOf(parts);
        }
    }

    /** A part of a section. */
    public sealed interface Part {}

    /** A table or a list of sentences. */
    public record Data(Block block) implements Part {}

    /**
     * A chart.
     *
     * @param name parts of a file name
     * @param plot the chart
     */
    public record Drawing(List<String> name, Plot plot) implements Part {
        public Drawing {
            name = List.copyOf(name);
        }
    }
}
