package dev.foretoken.validation.session;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.foretoken.validation.client.Api;
import dev.foretoken.validation.client.ApiKey;
import dev.foretoken.validation.client.Endpoint;
import dev.foretoken.validation.client.Load;
import dev.foretoken.validation.client.PlannedRequest;
import dev.foretoken.validation.client.RealTime;
import dev.foretoken.validation.client.RequestOptions;
import dev.foretoken.validation.client.RunPlan;
import dev.foretoken.validation.testserver.Dialect;
import dev.foretoken.validation.testserver.EngineTruth;
import dev.foretoken.validation.testserver.FakeServer;
import dev.foretoken.validation.testserver.Faults;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** First contact and runs against the fake server in real time. */
class EndpointSessionTest {
    private static final EngineTruth SPEC =
            new EngineTruth(rows -> 4, 3, () -> new double[] {0.4, 0.3, 0.3}, 0.01, 4, 3);

    private static RunSpec spec(int concurrency, boolean speculative, String salt) {
        return new RunSpec(
                "run",
                new RunPlan(Load.Closed.of(concurrency), concurrency, 2 * concurrency + 6, 1, Duration.ofSeconds(60)),
                (i, p) -> new PlannedRequest(i, p, "chat", PromptBook.bundled().prompt("chat", 40, 5, salt, i), 40),
                new RequestOptions(Api.COMPLETIONS, 0, true, true, salt, 1),
                3,
                speculative,
                null,
                false,
                Map.of());
    }

    private static EndpointSession open(FakeServer server) {
        return EndpointSession.open(
                new Endpoint(server.uri(), null, ApiKey.NONE), EndpointSession.Limits.DEFAULT, s -> {});
    }

    @ParameterizedTest
    @EnumSource(Dialect.class)
    void recognisesEachEngineAndMeasuresIt(Dialect dialect) throws Exception {
        try (RealTime time = new RealTime();
                FakeServer server = new FakeServer(SPEC, FakeServer.Behaviour.of(dialect), time);
                EndpointSession session = open(server)) {
            String expected = switch (dialect) {
                case SGLANG -> "sglang";
                case VLLM -> "vllm";
                case LLAMA_CPP -> "llama.cpp";
            };
            assertEquals(expected, session.probed().adapter().id());
            assertEquals("fake-model", session.probed().model());
            assertEquals(Api.COMPLETIONS, session.probed().api());
            RunOutcome o = session.run(spec(4, true, PromptBook.newSalt()));
            assertEquals(14, o.measures().requests());
            assertEquals(0, o.measures().failed());
            assertTrue(
                    o.notes().stream().noneMatch(n -> n.contains("foreign")),
                    o.notes().toString());
            assertTrue(
                    o.notes().stream().noneMatch(n -> n.contains("speculation is off")),
                    o.notes().toString());
            double truth = 1
                    + (double) server.engine().totals().acceptedDrafts()
                            / server.engine().totals().verifySteps();
            assertEquals(truth, o.acceptance().acceptLength(), 0.12 * truth);
            assertTrue(o.acceptance().perRequest().size() >= 13, "per-request acceptance");
            assertTrue(server.lastBody().path("ignore_eos").asBoolean());
            if (dialect != Dialect.LLAMA_CPP) {
                assertTrue(
                        server.routes().keySet().stream().anyMatch(r -> r.contains("cache")),
                        server.routes().toString());
            } else {
                assertFalse(server.lastBody().path("cache_prompt").asBoolean(true));
            }
        }
    }

    @Test
    void waitsWhileTheModelLoads() throws Exception {
        try (RealTime time = new RealTime();
                FakeServer server = new FakeServer(
                        SPEC, FakeServer.Behaviour.of(Dialect.LLAMA_CPP).withFaults(new Faults(3, Map.of())), time);
                EndpointSession session = open(server)) {
            assertEquals("llama.cpp", session.probed().adapter().id());
            assertTrue(server.routes().get("/health") >= 4);
        }
    }

    @Test
    void anEndpointThatIsNotThereIsSaidSo() {
        var e = assertThrows(
                EndpointException.class,
                () -> EndpointSession.open(
                        Endpoint.of("http://127.0.0.1:9", null, ApiKey.NONE),
                        new EndpointSession.Limits(Duration.ofMillis(300), Duration.ofSeconds(1)),
                        s -> {}));
        assertTrue(e.getMessage().contains("127.0.0.1:9"), e.getMessage());
    }

    @Test
    void aModelThatIsNotServedIsNamedWithThoseThatAre() throws Exception {
        try (RealTime time = new RealTime();
                FakeServer server = new FakeServer(SPEC, FakeServer.Behaviour.of(Dialect.VLLM), time)) {
            var e = assertThrows(
                    EndpointException.class,
                    () -> EndpointSession.open(
                            new Endpoint(server.uri(), "other", ApiKey.NONE), EndpointSession.Limits.DEFAULT, s -> {}));
            assertTrue(e.getMessage().contains("fake-model"), e.getMessage());
        }
    }

    @Test
    void q12BatchesOutsideCapturedGraphsAndTooFewSlots() throws Exception {
        try (RealTime time = new RealTime();
                FakeServer server = new FakeServer(
                        SPEC, FakeServer.Behaviour.of(Dialect.SGLANG).withGraphBatch(2), time);
                EndpointSession session = open(server)) {
            RunOutcome o = session.run(spec(6, true, PromptBook.newSalt()));
            assertTrue(
                    o.notes().stream().anyMatch(n -> n.contains("largest captured CUDA graph (2)")),
                    o.notes().toString());
            assertTrue(
                    o.notes().stream().anyMatch(n -> n.contains("at most 4 requests at once")),
                    o.notes().toString());
        }
    }

    @Test
    void speculationSilentlyOffAndABaselineThatSpeculates() throws Exception {
        EngineTruth off = new EngineTruth(rows -> 4, 1, null, 0, 8, 3);
        try (RealTime time = new RealTime();
                FakeServer server = new FakeServer(off, FakeServer.Behaviour.of(Dialect.SGLANG), time);
                EndpointSession session = open(server)) {
            RunOutcome o = session.run(spec(2, true, PromptBook.newSalt()));
            assertTrue(
                    o.notes().stream().anyMatch(n -> n.startsWith("speculation is off")),
                    o.notes().toString());
        }
        try (RealTime time = new RealTime();
                FakeServer server = new FakeServer(SPEC, FakeServer.Behaviour.of(Dialect.VLLM), time);
                EndpointSession session = open(server)) {
            RunOutcome o = session.run(spec(2, false, PromptBook.newSalt()));
            assertTrue(
                    o.notes().stream().anyMatch(n -> n.startsWith("speculation is on")),
                    o.notes().toString());
        }
    }

    @Test
    void foreignTrafficIsFound() throws Exception {
        try (RealTime time = new RealTime();
                FakeServer server = new FakeServer(SPEC, FakeServer.Behaviour.of(Dialect.VLLM), time);
                EndpointSession session = open(server);
                EndpointSession other = open(server)) {
            List<Thread> threads = new ArrayList<>();
            Thread noise = new Thread(() -> other.run(spec(2, true, "noise")));
            threads.add(noise);
            noise.start();
            RunOutcome o = session.run(spec(2, true, PromptBook.newSalt()));
            noise.join();
            assertTrue(
                    o.notes().stream().anyMatch(n -> n.startsWith("foreign traffic")),
                    o.notes().toString());
        }
    }
}
