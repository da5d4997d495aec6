package dev.foretoken.validation.testserver;

import dev.foretoken.validation.client.ApiKey;
import dev.foretoken.validation.client.Endpoint;
import dev.foretoken.validation.client.StreamCounters;
import dev.foretoken.validation.session.EndpointSession;
import java.io.IOException;
import java.time.Duration;

/** A session with a fake server on a virtual clock that a thread of its own drives. */
public final class VirtualSession implements AutoCloseable {
    private static final long SETTLE_NS = 1_000_000;

    private final VirtualTime clock = new VirtualTime(SETTLE_NS);
    private final FakeServer server;
    private final EndpointSession session;
    private final Thread driver;

    public VirtualSession(EngineTruth truth, FakeServer.Behaviour behaviour) throws IOException {
        server = new FakeServer(truth, behaviour, clock);
        StreamCounters counters = new StreamCounters();
        Thread caller = Thread.currentThread();
        driver = new Thread(
                () -> {
                    clock.drive(server, counters);
                    if (clock.failure() != null) {
                        System.err.println(clock.failure().getMessage());
                        caller.interrupt();
                    }
                },
                "virtual-time");
        driver.setDaemon(true);
        driver.start();
        session = EndpointSession.open(
                new Endpoint(server.uri(), null, ApiKey.NONE),
                new EndpointSession.Limits(Duration.ofSeconds(5), Duration.ofDays(10)),
                s -> {},
                clock,
                counters);
    }

    public EndpointSession session() {
        return session;
    }

    public FakeServer server() {
        return server;
    }

    @Override
    public void close() throws InterruptedException {
        session.close();
        clock.stop();
        driver.join();
        server.close();
        if (clock.failure() != null) {
            throw clock.failure();
        }
    }
}
