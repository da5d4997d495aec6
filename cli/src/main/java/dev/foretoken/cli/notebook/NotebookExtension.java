package dev.foretoken.cli.notebook;

import dev.foretoken.report.chart.Plot;
import dev.foretoken.report.table.Block;
import dev.foretoken.report.table.ResultBlocks;
import dev.foretoken.sim.result.Result;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Base64;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import javax.imageio.ImageIO;
import org.dflib.jjava.jupyter.Extension;
import org.dflib.jjava.jupyter.kernel.BaseKernel;
import org.dflib.jjava.jupyter.kernel.display.RenderContext;
import org.dflib.jjava.jupyter.kernel.display.Renderer;
import org.dflib.jjava.jupyter.kernel.display.mime.MIMEType;
import tech.tablesaw.api.Table;

/**
 * What the kernel loads from the jar: a cell that ends in a chart shows it (SVG and PNG), one that ends in a table, sentences, a
 * result or a Tablesaw table shows that (HTML and text).
 */
public final class NotebookExtension implements Extension {
    /** Rows of a grid that a result shows whole. */
    private static final int MOST_ROWS = 30;

    private final AtomicInteger charts = new AtomicInteger();

    @Override
    public void install(BaseKernel kernel) {
        register(kernel.getRenderer());
    }

    void register(Renderer renderer) {
        renderer.createRegistration(Plot.class)
                .preferring(MIMEType.IMAGE_PNG, MIMEType.IMAGE_SVG)
                .supporting(MIMEType.TEXT_PLAIN)
                .register(this::chart);
        renderer.createRegistration(Block.class)
                .preferring(MIMEType.TEXT_HTML)
                .supporting(MIMEType.TEXT_PLAIN)
                .register((block, context) -> blocks(List.of(block), context));
        renderer.createRegistration(Result.class)
                .preferring(MIMEType.TEXT_HTML)
                .supporting(MIMEType.TEXT_PLAIN)
                .register((result, context) -> blocks(ResultBlocks.of(result, MOST_ROWS), context));
        renderer.createRegistration(Table.class)
                .preferring(MIMEType.TEXT_HTML)
                .supporting(MIMEType.TEXT_PLAIN)
                .register((table, context) -> {
                    context.renderIfRequested(MIMEType.TEXT_HTML, () -> NotebookHtml.of(table));
                    context.renderIfRequested(MIMEType.TEXT_PLAIN, () -> table.shape());
                });
    }

    private void chart(Plot plot, RenderContext context) {
        context.renderIfRequested(MIMEType.IMAGE_SVG, () -> svg(plot));
        context.renderIfRequested(MIMEType.IMAGE_PNG, () -> png(plot));
        context.renderIfRequested(MIMEType.TEXT_PLAIN, plot::description);
    }

    private static void blocks(List<Block> blocks, RenderContext context) {
        context.renderIfRequested(MIMEType.TEXT_HTML, () -> NotebookHtml.of(blocks));
        context.renderIfRequested(MIMEType.TEXT_PLAIN, () -> NotebookHtml.text(blocks));
    }

    private String svg(Plot plot) {
        try {
            String svg = plot.svg("chart" + charts.incrementAndGet());
            return svg.replaceFirst("<svg ", "<svg style=\"max-width: 100%; height: auto\" ");
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static String png(Plot plot) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try {
            ImageIO.write(plot.image(), "png", bytes);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return Base64.getEncoder().encodeToString(bytes.toByteArray());
    }
}
