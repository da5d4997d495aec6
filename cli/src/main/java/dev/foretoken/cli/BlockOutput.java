package dev.foretoken.cli;

import dev.foretoken.formats.json.Json;
import dev.foretoken.formats.json.JsonFile;
import dev.foretoken.report.OutputFiles;
import dev.foretoken.report.chart.Plot;
import dev.foretoken.report.document.SavedChapter;
import dev.foretoken.report.table.Block;
import dev.foretoken.report.table.CsvTables;
import dev.foretoken.report.table.MarkdownTables;
import dev.foretoken.report.table.SafeText;
import dev.foretoken.report.table.TextTables;
import java.io.BufferedWriter;
import java.io.IOException;
import java.io.OutputStreamWriter;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;

/**
 * Output of commands whose result is tables: text, Markdown, one table as comma-separated values, or the whole result as JSON;
 * with --out also every table, the JSON and charts as files.
 */
final class BlockOutput {
    private final Common common;
    private final String name;
    private final String headline;
    private final List<Block> blocks;
    private final Block.Table<?> main;
    private final Object json;
    private final List<Block.Table<?>> fileTables = new ArrayList<>();
    private final Map<String, Supplier<Plot>> charts = new LinkedHashMap<>();

    /**
     * @param name of the JSON file of --out, without extension
     * @param headline first line for people
     * @param blocks tables and sentences, those without rows left out
     * @param main the table that --format csv prints
     * @param json the whole result
     */
    BlockOutput(Common common, String name, String headline, List<Block> blocks, Block.Table<?> main, Object json) {
        this.common = common;
        this.name = name;
        this.headline = headline;
        this.blocks = blocks.stream().filter(BlockOutput::filled).toList();
        this.main = main;
        this.json = named(name, json);
    }

    /** Maps of this command get a schema, records bring their own. */
    private static Object named(String name, Object json) {
        if (!(json instanceof Map<?, ?> map) || map.containsKey("schema")) {
            return json;
        }
        Map<Object, Object> all = new LinkedHashMap<>();
        all.put("schema", "foretoken/" + name + "-report/1");
        all.putAll(map);
        return all;
    }

    private static boolean filled(Block block) {
        return block instanceof Block.Table<?> t
                ? !t.rows().isEmpty()
                : !((Block.Sentences) block).items().isEmpty();
    }

    /** A table that only --out writes: people see it in another form. */
    BlockOutput file(Block.Table<?> table) {
        fileTables.add(table);
        return this;
    }

    /** A chart that --out writes, drawn only then. */
    BlockOutput chart(String stem, Supplier<Plot> plot) {
        charts.put(stem, plot);
        return this;
    }

    /** Prints the result and writes the files of --out. */
    void write() throws IOException {
        Writer out = new BufferedWriter(new OutputStreamWriter(System.out, StandardCharsets.UTF_8), 1 << 16);
        switch (common.format()) {
            case json -> out.write(Json.pretty(json));
            case csv -> CsvTables.write(main, out);
            case md -> {
                out.append("# ").append(MarkdownTables.escape(headline)).append("\n\n");
                MarkdownTables.write(blocks, out);
            }
            case table -> {
                out.append(SafeText.visible(headline)).append("\n\n");
                new TextTables(ResultOutput.width(), false).write(blocks, out);
            }
        }
        out.flush();
        if (common.out() != null) {
            files();
        }
    }

    private String title() {
        String words = name.replace('-', ' ');
        return Character.toUpperCase(words.charAt(0)) + words.substring(1);
    }

    private void files() throws IOException {
        OutputFiles files = new OutputFiles(common.out());
        JsonFile.write(common.out().resolve(name + ".json"), json);
        int count = 1;
        List<Block.Table<?>> tables = new ArrayList<>(fileTables);
        for (Block block : blocks) {
            if (block instanceof Block.Table<?> table) {
                tables.add(table);
            }
        }
        for (Block.Table<?> table : tables) {
            files.write(files.stem(name, table.title()) + ".csv", bytes -> {
                Writer text = new OutputStreamWriter(bytes, StandardCharsets.UTF_8);
                CsvTables.write(table, text);
                text.flush();
            });
            count++;
        }
        Map<String, Plot> drawn = new LinkedHashMap<>();
        try (Common.Progress progress = common.progress("charts", charts.size())) {
            for (Map.Entry<String, Supplier<Plot>> c : charts.entrySet()) {
                Plot plot = c.getValue().get();
                count += plot.write(files, files.stem(c.getKey())).size();
                drawn.put(c.getKey(), plot);
                progress.accept(drawn.size());
            }
        }
        SavedChapter.of(Main.version(), title(), headline, blocks, drawn).write(common.out());
        count++;
        common.note(count + " files in " + common.out());
    }
}
