package dev.foretoken.cli;

import dev.foretoken.report.page.PageServer;
import java.io.IOException;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code foretoken serve}: the what-if page, on this machine only unless said otherwise. */
@Command(
        name = "serve",
        description =
                "A local what-if page: drag a budget and see throughput, latency, the draft tree and the best choice.",
        mixinStandardHelpOptions = true)
final class ServeCommand implements Callable<Integer> {
    @Option(
            names = "--host",
            paramLabel = "ADDRESS",
            description = "address to listen on (default: ${DEFAULT-VALUE}, this machine only)")
    private String host = "127.0.0.1";

    @Option(names = "--port", paramLabel = "PORT", description = "port, 0 for any free one (default: ${DEFAULT-VALUE})")
    private int port = PageServer.DEFAULT_PORT;

    @Mixin
    private Common common;

    @Override
    public Integer call() throws InterruptedException {
        if (port < 0 || port > 65535) {
            throw new UserError("--port must lie in 0..65535: " + port);
        }
        PageModel model = PageModel.beside(Path.of("scenario.yaml"));
        try (PageServer server = PageServer.start(host, port, model)) {
            Common.print(server.url() + "\n");
            common.note("the page is open to this machine's users; stop with Ctrl-C");
            new CountDownLatch(1).await();
        } catch (IOException e) {
            throw new UserError("cannot listen on " + host + " port " + port + ": " + e.getMessage());
        }
        return Exit.OK;
    }
}
