package dev.foretoken.report.document;

import dev.foretoken.report.OutputFiles;
import dev.foretoken.report.document.Report.Chapter;
import dev.foretoken.report.document.Report.Data;
import dev.foretoken.report.document.Report.Drawing;
import dev.foretoken.report.document.Report.Part;
import dev.foretoken.report.document.Report.Section;
import dev.foretoken.report.table.Block;
import dev.foretoken.report.table.FittedTable;
import dev.foretoken.report.table.SafeText;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * A report as LaTeX source, {@code report.tex} with its charts beside it, that builds with pdfLaTeX, XeLaTeX or LuaLaTeX of a
 * stock TeX Live: article class, booktabs, float, longtable, graphicx.
 */
public final class LatexReport {
    /** Characters of a table line at the size tables are set in. */
    private static final int TABLE_WIDTH = 108;

    private static final int GAP = 2;

    /** Rows of one table; the rest is in the CSV and the HTML page. */
    private static final int MOST_ROWS = 200;

    private static final int MOST_CHARTS_PER_SECTION = 40;

    private static final int LONGEST_NAME = 120;

    private final OutputFiles files;
    private final StringBuilder out = new StringBuilder();
    private final List<Path> written = new ArrayList<>();

    private LatexReport(OutputFiles files) {
        this.files = files;
    }

    /** Writes source and charts; returns the files, the source last. */
    public static List<Path> write(Report report, OutputFiles files) throws IOException {
        LatexReport latex = new LatexReport(files);
        latex.document(report);
        latex.written.add(
                files.write("report.tex", o -> o.write(latex.out.toString().getBytes(StandardCharsets.UTF_8))));
        return List.copyOf(latex.written);
    }

    private void document(Report report) throws IOException {
        out.append("""
                \\documentclass[10pt,a4paper]{article}
                \\usepackage{iftex}
                \\ifPDFTeX
                  \\usepackage[utf8]{inputenc}
                  \\usepackage[T1]{fontenc}
                  \\usepackage{lmodern}
                \\else
                  \\usepackage{fontspec}
                \\fi
                \\usepackage{textcomp}
                \\usepackage[margin=2cm]{geometry}
                \\usepackage{array,booktabs,float,longtable,graphicx}
                \\usepackage[hidelinks]{hyperref}
                \\setlength{\\LTcapwidth}{\\linewidth}
                \\setlength{\\tabcolsep}{4pt}
                \\setlength{\\emergencystretch}{3em}
                \\raggedbottom
                % Starts a page when less than so much of this one is left: a longtable after a heading at the foot of a
                % page would put its own heading above the section's.
                \\newcommand{\\room}[1]{\\par\\begingroup\\dimen0=\\pagegoal\\advance\\dimen0 by -\\pagetotal
                  \\ifdim\\pagegoal<\\maxdimen\\ifdim\\dimen0<#1\\newpage\\fi\\fi\\endgroup}
                """);
        out.append("\\title{").append(text(report.title())).append("}\n");
        out.append("\\author{Foretoken ").append(text(report.version())).append("}\n\\date{}\n");
        out.append("\\begin{document}\n\\maketitle\n\\tableofcontents\n");
        for (Chapter chapter : report.chapters()) {
            out.append("\n\\clearpage\n\\section{")
                    .append(text(chapter.title()))
                    .append("}\n");
            for (Section section : chapter.sections()) {
                section(section);
            }
        }
        out.append("\n\\end{document}\n");
    }

    private static String text(String text) {
        return LatexText.escape(SafeText.cut(SafeText.visible(text), LONGEST_NAME));
    }

    private void section(Section section) throws IOException {
        out.append("\n\\room{12\\baselineskip}\n\\subsection{")
                .append(text(section.title()))
                .append("}\n");
        for (String sentence : section.lead()) {
            out.append(LatexText.escape(SafeText.visible(sentence))).append("\n\n");
        }
        int charts = 0;
        for (Part part : section.parts()) {
            if (part instanceof Drawing d) {
                charts++;
                if (charts <= MOST_CHARTS_PER_SECTION) {
                    figure(d);
                }
            } else if (part instanceof Data d && d.block() instanceof Block.Table<?> t) {
                table(t);
            } else if (part instanceof Data d && d.block() instanceof Block.Sentences s) {
                sentences(s);
            }
        }
        if (charts > MOST_CHARTS_PER_SECTION) {
            out.append(charts - MOST_CHARTS_PER_SECTION)
                    .append(" further charts of this kind are in the HTML report.\n\n");
        }
    }

    private void figure(Drawing d) throws IOException {
        String stem = files.stem(d.name().toArray(String[]::new));
        written.add(d.plot().writePdf(files, stem));
        out.append("\\begin{figure}[H]\n\\centering\n\\includegraphics[width=0.86\\linewidth]{")
                .append(stem)
                .append(".pdf}\n\\caption{")
                .append(text(d.plot().description()))
                .append("}\n\\end{figure}\n");
    }

    private void sentences(Block.Sentences block) {
        if (block.items().isEmpty()) {
            return;
        }
        if (!block.title().isEmpty()) {
            out.append("\\paragraph{").append(text(block.title())).append("}\n");
        }
        out.append("\\begin{itemize}\n");
        for (String item : block.items()) {
            out.append("\\item ")
                    .append(LatexText.escape(SafeText.visible(item)))
                    .append('\n');
        }
        out.append("\\end{itemize}\n\n");
    }

    private <T> void table(Block.Table<T> table) {
        List<T> rows = table.rows();
        List<String> notes = new ArrayList<>(table.notes());
        if (rows.size() > MOST_ROWS) {
            rows = rows.subList(0, MOST_ROWS);
            notes.add("The first " + MOST_ROWS + " of " + table.rows().size() + " rows.");
        }
        Block.Table<T> shown = new Block.Table<>(table.title(), table.columns(), rows, List.of());
        FittedTable fitted = FittedTable.fit(shown, TABLE_WIDTH, GAP);
        if (fitted.columns().isEmpty()) {
            return;
        }
        // Without room for a few rows a heading would be left alone at the foot of a page.
        out.append("\\room{8\\baselineskip}\n{\\scriptsize\n\\begin{longtable}{@{}");
        for (FittedTable.Cells c : fitted.columns()) {
            out.append(c.right() ? 'r' : 'l');
        }
        out.append("@{}}\n\\caption{").append(text(table.title())).append("}\\\\\n\\toprule\n");
        headings(fitted);
        out.append("\\midrule\n\\endfirsthead\n\\toprule\n");
        headings(fitted);
        out.append("\\midrule\n\\endhead\n\\bottomrule\n\\endlastfoot\n");
        for (int r = 0; r < rows.size(); r++) {
            for (int c = 0; c < fitted.columns().size(); c++) {
                out.append(c == 0 ? "" : " & ")
                        .append(LatexText.escape(fitted.columns().get(c).cells().get(r)));
            }
            out.append("\\\\\n");
        }
        out.append("\\end{longtable}}\n");
        if (fitted.dropped() > 0) {
            notes.add(fitted.dropped() + " further columns are in the HTML report and in the CSV.");
        }
        for (String note : notes) {
            out.append("{\\footnotesize ")
                    .append(LatexText.escape(SafeText.visible(note)))
                    .append("}\n\n");
        }
    }

    private void headings(FittedTable fitted) {
        for (int row = 0; row < 2; row++) {
            StringBuilder line = new StringBuilder();
            boolean any = false;
            for (FittedTable.Cells c : fitted.columns()) {
                String cell = row == 0 ? c.header() : c.unit();
                any |= !cell.isEmpty();
                line.append(line.length() == 0 ? "" : " & ").append(cell.isEmpty() ? "{}" : LatexText.escape(cell));
            }
            if (any) {
                out.append(line).append("\\\\\n");
            }
        }
    }
}
