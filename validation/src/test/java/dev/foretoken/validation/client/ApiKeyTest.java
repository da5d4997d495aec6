package dev.foretoken.validation.client;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.foretoken.validation.testserver.Dialect;
import dev.foretoken.validation.testserver.EngineTruth;
import dev.foretoken.validation.testserver.FakeServer;
import dev.foretoken.validation.testserver.Faults;
import dev.foretoken.validation.testserver.Faults.Fault;
import dev.foretoken.validation.testserver.Harness;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ApiKeyTest {
    private static final String SECRET = "sk-very-secret-0123456789";

    @TempDir
    Path dir;

    @Test
    void comesFromTheFileThenTheEnvironment() throws Exception {
        Path file = dir.resolve("key");
        Files.writeString(file, SECRET + "\n");
        assertTrue(ApiKey.find(Map.of(), file).present());
        assertTrue(ApiKey.find(Map.of(ApiKey.VARIABLE, SECRET), null).present());
        assertFalse(ApiKey.find(Map.of(ApiKey.VARIABLE, "  "), null).present());
        var e = assertThrows(
                IllegalArgumentException.class, () -> ApiKey.find(Map.of(ApiKey.VARIABLE, SECRET + " x"), null));
        assertFalse(e.getMessage().contains(SECRET));
        assertThrows(IllegalArgumentException.class, () -> ApiKey.find(Map.of(), dir.resolve("none")));
    }

    @Test
    void reachesTheServerButNoTextThatIsKept() throws Exception {
        ApiKey key = ApiKey.find(Map.of(ApiKey.VARIABLE, SECRET), null);
        assertFalse(key.toString().contains(SECRET));
        Path file = dir.resolve("run.jsonl");
        try (RealTime time = new RealTime();
                FakeServer server = new FakeServer(
                        new EngineTruth(rows -> 1, 1, null, 0, 8, 1),
                        FakeServer.Behaviour.of(Dialect.VLLM)
                                .withFaults(new Faults(0, Map.of(0L, Fault.HTTP_500_ECHOING_KEY))),
                        time);
                StreamClient client =
                        new StreamClient(new Endpoint(server.uri(), null, key), time, Duration.ofSeconds(5));
                RunJournal journal = RunJournal.create(
                        file,
                        new RunHeader(
                                RunHeader.SCHEMA,
                                "r",
                                "f",
                                0,
                                0,
                                client.endpoint().toString(),
                                "m",
                                null,
                                "closed 1",
                                0,
                                2,
                                "s",
                                Map.of(),
                                List.of()))) {
            RunResult run = new LoadRunner(
                            client,
                            time,
                            new RunPlan(Load.Closed.of(1), 0, 2, 1, Duration.ofSeconds(30)),
                            Harness.fixed(3, 4),
                            "/v1/completions",
                            Harness::body,
                            journal,
                            0,
                            Set.of())
                    .start()
                    .get();
            assertEquals("Bearer " + SECRET, server.lastAuthorization());
            assertTrue(
                    run.records().get(0).error().contains("[api key]"),
                    run.records().get(0).error());
        }
        assertFalse(Files.readString(file).contains(SECRET));
    }

    @Test
    void endpointsRefuseCredentialsInTheUrl() {
        var e = assertThrows(
                IllegalArgumentException.class,
                () -> Endpoint.of("https://me:" + SECRET + "@host/v1", null, ApiKey.NONE));
        assertFalse(e.getMessage().contains(SECRET));
        assertThrows(IllegalArgumentException.class, () -> Endpoint.of("ftp://host", null, ApiKey.NONE));
        assertThrows(IllegalArgumentException.class, () -> Endpoint.of("localhost:8000", null, ApiKey.NONE));
        assertEquals(
                "http://localhost:8000",
                Endpoint.of("http://localhost:8000/v1/", null, ApiKey.NONE)
                        .base()
                        .toString());
    }
}
