package dev.foretoken.benchmarks;

import dev.foretoken.cli.PageModel;
import dev.foretoken.report.page.PageServer;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Warmup;

/** One answer of the what-if page while the budget is dragged, over HTTP: figures, four charts, tree and scenario. */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.SampleTime)
@OutputTimeUnit(TimeUnit.MILLISECONDS)
@Warmup(iterations = 3, time = 5)
@Measurement(iterations = 5, time = 5)
@Fork(1)
public class PageBenchmark {
    private static final String SETTINGS = """
            {"gpu": "rtx-pro-6000-server", "tp": 4, "model": "qwen3.6-27b", "weights": "bf16", "engine": "sglang",
             "method": "ddtree",
             "parameters": {"block": 16, "budget": %d, "top_k": 8, "drafter": "qwen3.6-27b-dflash"},
             "isl": 512, "osl": 1024, "concurrency": 8, "acceptance": {"spine": 2.219, "kappa": 0.65, "band": 0.15}}
            """;

    private final HttpClient client = HttpClient.newHttpClient();
    private PageServer server;
    private int budget;

    @Setup
    public void start() throws IOException {
        server = PageServer.start("127.0.0.1", 0, PageModel.beside(Path.of("scenario.yaml")));
    }

    @TearDown
    public void stop() {
        server.close();
    }

    @Benchmark
    public String drag() throws IOException, InterruptedException {
        budget = 1 + (budget + 7) % 128;
        HttpRequest request = HttpRequest.newBuilder(URI.create(server.url() + "api/answer"))
                .header("Content-Type", "application/json")
                .POST(HttpRequest.BodyPublishers.ofString(SETTINGS.formatted(budget)))
                .build();
        HttpResponse<String> response = client.send(request, HttpResponse.BodyHandlers.ofString());
        if (response.statusCode() != 200) {
            throw new IllegalStateException(response.body());
        }
        return response.body();
    }
}
