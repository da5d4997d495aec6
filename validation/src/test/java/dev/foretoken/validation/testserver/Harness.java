package dev.foretoken.validation.testserver;

import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.foretoken.validation.client.ApiKey;
import dev.foretoken.validation.client.Endpoint;
import dev.foretoken.validation.client.Load;
import dev.foretoken.validation.client.LoadRunner;
import dev.foretoken.validation.client.PlannedRequest;
import dev.foretoken.validation.client.RealTime;
import dev.foretoken.validation.client.RequestSource;
import dev.foretoken.validation.client.RunPlan;
import dev.foretoken.validation.client.RunResult;
import dev.foretoken.validation.client.StreamClient;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/** Runs of the client against the fake server. */
public final class Harness {
    private Harness() {}

    public static ObjectNode body(PlannedRequest r) {
        ObjectNode b = JsonMapper.builder().build().createObjectNode();
        b.put("model", "fake-model");
        b.put("prompt", r.prompt());
        b.put("max_tokens", r.maxTokens());
        b.put("user", Long.toString(r.index()));
        b.put("stream", true);
        b.putObject("stream_options").put("include_usage", true).put("continuous_usage_stats", true);
        b.put("return_spec_tokens_details", true);
        return b;
    }

    /** Prompts of so many words. */
    public static RequestSource fixed(int isl, int osl) {
        String prompt = "word ".repeat(isl).strip();
        return (index, phase) -> new PlannedRequest(index, phase, "test", prompt, osl);
    }

    public record Outcome(RunResult run, FakeServer server, VirtualTime clock) {}

    /** A run on the virtual clock; the server is closed but its truth stays readable. */
    public static Outcome virtual(EngineTruth truth, FakeServer.Behaviour behaviour, RunPlan plan, RequestSource source)
            throws Exception {
        VirtualTime clock = new VirtualTime();
        try (FakeServer server = new FakeServer(truth, behaviour, clock);
                StreamClient client = new StreamClient(
                        new Endpoint(server.uri(), "fake-model", ApiKey.NONE), clock, Duration.ofHours(1))) {
            LoadRunner runner =
                    new LoadRunner(client, clock, plan, source, "/v1/completions", Harness::body, null, 0, Set.of());
            CompletableFuture<RunResult> result = runner.start();
            Thread driver = new Thread(() -> clock.drive(server, client.counters()), "virtual-time");
            driver.start();
            try {
                while (true) {
                    try {
                        return new Outcome(result.get(1, TimeUnit.SECONDS), server, clock);
                    } catch (java.util.concurrent.TimeoutException e) {
                        if (clock.failure() != null) {
                            throw clock.failure();
                        }
                    }
                }
            } finally {
                clock.stop();
                driver.join();
            }
        }
    }

    /** A run in real time. */
    public static RunResult real(
            EngineTruth truth, FakeServer.Behaviour behaviour, RunPlan plan, RequestSource source, Duration idle)
            throws Exception {
        try (RealTime time = new RealTime();
                FakeServer server = new FakeServer(truth, behaviour, time);
                StreamClient client =
                        new StreamClient(new Endpoint(server.uri(), "fake-model", ApiKey.NONE), time, idle)) {
            return new LoadRunner(client, time, plan, source, "/v1/completions", Harness::body, null, 0, Set.of())
                    .start()
                    .get(2, TimeUnit.MINUTES);
        }
    }

    public static RunPlan plan(Load load, int warmup, int measured) {
        return new RunPlan(load, warmup, measured, 1, Duration.ofHours(10));
    }
}
