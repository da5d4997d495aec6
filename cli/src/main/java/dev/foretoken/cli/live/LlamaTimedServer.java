package dev.foretoken.cli.live;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.foretoken.calibration.host.ForcedSpeculation;
import dev.foretoken.calibration.host.LoopLoad;
import dev.foretoken.calibration.host.Prompts;
import dev.foretoken.calibration.host.RunCost;
import dev.foretoken.calibration.host.TimedServer;
import dev.foretoken.formats.json.Json;
import dev.foretoken.validation.client.ApiKey;
import dev.foretoken.validation.client.Endpoint;
import dev.foretoken.validation.client.RealTime;
import dev.foretoken.validation.client.StreamClient;
import dev.foretoken.validation.testserver.LlamaKit;
import dev.foretoken.validation.testserver.LlamaServer;
import java.io.IOException;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;

/** The llama.cpp server of a kit, started anew for every setting. Answers are not streamed: only the server's time counts. */
public final class LlamaTimedServer implements TimedServer {
    /** Layers of the drafter, of the target's thirty. */
    public static final int DRAFTER_LAYERS = 4;

    private static final int SLOTS = 8;
    private static final int CONTEXT_PER_SLOT = 512;
    private static final int WARM_TOKENS = 4;
    private static final Duration START = Duration.ofMinutes(3);
    private static final Duration ANSWER = Duration.ofMinutes(10);

    private final LlamaKit kit;

    public LlamaTimedServer(LlamaKit kit) {
        this.kit = kit;
    }

    @Override
    public List<RunCost> run(ForcedSpeculation speculation, List<LoopLoad> loads, Finished finished)
            throws IOException, InterruptedException {
        List<RunCost> costs = new ArrayList<>();
        try (LlamaServer server = LlamaServer.start(kit, options(speculation), START);
                RealTime time = new RealTime();
                StreamClient client = new StreamClient(new Endpoint(server.uri(), null, ApiKey.NONE), time, ANSWER)) {
            answer(client, 0, LoopLoad.SHORT_PROMPT, WARM_TOKENS);
            for (LoopLoad load : loads) {
                double cpu = server.cpuSeconds();
                long start = System.nanoTime();
                Drafts drafts = closedLoop(client, load);
                RunCost cost = new RunCost(
                        server.cpuSeconds() - cpu,
                        (System.nanoTime() - start) * 1e-9,
                        drafts.promptTokens / (double) load.requests(),
                        drafts.drafted,
                        drafts.accepted);
                costs.add(cost);
                finished.load(load, cost);
            }
        }
        return costs;
    }

    private LlamaServer.Options options(ForcedSpeculation s) throws IOException, InterruptedException {
        LlamaServer.Speculation speculation = switch (s.kind()) {
            case NONE -> null;
            case NGRAM -> new LlamaServer.Speculation(null, s.drafts(), s.survival());
            case DRAFT_MODEL -> new LlamaServer.Speculation(kit.drafter(DRAFTER_LAYERS), s.drafts(), s.survival());
        };
        return new LlamaServer.Options(SLOTS, CONTEXT_PER_SLOT, speculation);
    }

    private static final class Drafts {
        private long promptTokens;
        private long drafted;
        private long accepted;

        synchronized void add(JsonNode timings) {
            promptTokens += timings.path("prompt_n").asLong();
            drafted += timings.path("draft_n").asLong();
            accepted += timings.path("draft_n_accepted").asLong();
        }
    }

    private static Drafts closedLoop(StreamClient client, LoopLoad load) throws IOException, InterruptedException {
        Drafts drafts = new Drafts();
        AtomicInteger next = new AtomicInteger();
        ExecutorService clients = Executors.newFixedThreadPool(load.concurrency(), task -> {
            Thread t = new Thread(task, "foretoken-loop");
            t.setDaemon(true);
            return t;
        });
        try {
            List<Future<Void>> all = new ArrayList<>();
            for (int i = 0; i < load.concurrency(); i++) {
                all.add(clients.submit(() -> {
                    for (int r = next.getAndIncrement(); r < load.requests(); r = next.getAndIncrement()) {
                        drafts.add(answer(client, r, load.counts(), load.outputTokens()));
                    }
                    return null;
                }));
            }
            for (Future<Void> f : all) {
                f.get();
            }
        } catch (ExecutionException e) {
            throw e.getCause() instanceof IOException io ? io : new IOException(e.getCause());
        } finally {
            clients.shutdownNow();
        }
        return drafts;
    }

    /** One request; the server's timings of it. */
    private static JsonNode answer(StreamClient client, int request, int counts, int tokens)
            throws IOException, InterruptedException {
        ObjectNode body = JsonNodeFactory.instance.objectNode();
        body.put("prompt", Prompts.counting(request, counts));
        body.put("n_predict", tokens);
        body.put("temperature", 0);
        body.put("ignore_eos", true);
        body.put("cache_prompt", false);
        body.put("stream", false);
        HttpResponse<String> r = client.post("/completion", body.toString(), ANSWER);
        if (r.statusCode() != 200) {
            throw new IOException("the llama.cpp server answered HTTP " + r.statusCode() + ": "
                    + r.body().strip());
        }
        JsonNode timings = Json.mapper().readTree(r.body()).path("timings");
        if (timings.path("predicted_n").asInt() != tokens) {
            throw new IOException("the llama.cpp server generated "
                    + timings.path("predicted_n").asInt() + " tokens instead of " + tokens);
        }
        return timings;
    }
}
