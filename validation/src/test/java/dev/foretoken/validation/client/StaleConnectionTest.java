package dev.foretoken.validation.client;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.foretoken.validation.testserver.Harness;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** A connection that the server closes as a request goes out on it. */
class StaleConnectionTest {
    private static final String ANSWER = "data: {\"choices\":[{\"text\":\"a\",\"finish_reason\":null}]}\n\n"
            + "data: {\"choices\":[{\"text\":\"b\",\"finish_reason\":\"length\"}],"
            + "\"usage\":{\"prompt_tokens\":1,\"completion_tokens\":2}}\n\ndata: [DONE]\n\n";

    /** Closes the first connections after reading their request, answers the later ones. */
    private static RequestRecord against(int closed, AtomicInteger connections) throws Exception {
        try (ServerSocket server = new ServerSocket(0, 8, InetAddress.getLoopbackAddress());
                RealTime time = new RealTime();
                StreamClient client = new StreamClient(
                        new Endpoint(
                                URI.create("http://127.0.0.1:" + server.getLocalPort()), "fake-model", ApiKey.NONE),
                        time,
                        Duration.ofSeconds(10))) {
            Thread thread = new Thread(() -> serve(server, closed, connections));
            thread.setDaemon(true);
            thread.start();
            RunResult run = new LoadRunner(
                            client,
                            time,
                            Harness.plan(Load.Closed.of(1), 0, 1),
                            Harness.fixed(1, 2),
                            "/v1/completions",
                            Harness::body,
                            null,
                            0,
                            Set.of())
                    .start()
                    .get(30, TimeUnit.SECONDS);
            return run.records().get(0);
        }
    }

    private static void serve(ServerSocket server, int closed, AtomicInteger connections) {
        try {
            while (true) {
                try (Socket s = server.accept()) {
                    int n = connections.incrementAndGet();
                    byte[] request = new byte[8192];
                    StringBuilder text = new StringBuilder();
                    while (!text.toString().endsWith("}")) {
                        int read = s.getInputStream().read(request);
                        if (read < 0) {
                            break;
                        }
                        text.append(new String(request, 0, read, StandardCharsets.UTF_8));
                    }
                    if (n > closed) {
                        s.getOutputStream()
                                .write(("HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nContent-Length: "
                                                + ANSWER.length() + "\r\n\r\n" + ANSWER)
                                        .getBytes(StandardCharsets.UTF_8));
                    }
                }
            }
        } catch (IOException e) {
            Thread.currentThread().interrupt(); // the socket was closed: the test is over
        }
    }

    @Test
    void isSentOnceMoreAndSaid() throws Exception {
        AtomicInteger connections = new AtomicInteger();
        RequestRecord r = against(1, connections);
        assertTrue(r.ok(), r.toString());
        assertEquals(2, connections.get());
        assertEquals(2L, r.completionTokens());
        assertTrue(
                r.anomalies().stream().anyMatch(a -> a.startsWith("sent again")),
                r.anomalies().toString());
        assertEquals(0, r.intendedNs(), "latency still counts from the intended send time");
    }

    @Test
    void isLostWhenItHappensAgain() throws Exception {
        AtomicInteger connections = new AtomicInteger();
        RequestRecord r = against(100, connections);
        assertEquals(RequestRecord.Status.CONNECTION_LOST, r.status());
        assertEquals(2, connections.get());
    }
}
