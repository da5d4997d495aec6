package dev.foretoken.benchmarks;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.foretoken.validation.client.ApiKey;
import dev.foretoken.validation.client.Endpoint;
import dev.foretoken.validation.client.LagMeter;
import dev.foretoken.validation.client.Load;
import dev.foretoken.validation.client.LoadRunner;
import dev.foretoken.validation.client.PlannedRequest;
import dev.foretoken.validation.client.RealTime;
import dev.foretoken.validation.client.RequestRecord;
import dev.foretoken.validation.client.RunPlan;
import dev.foretoken.validation.client.RunResult;
import dev.foretoken.validation.client.StreamClient;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.net.URI;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.PriorityQueue;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * The streaming client in real time: many streams of one event every so often, each on its own phase. Prints how late events
 * were stamped (client's stamp minus the server's write, one monotonic clock), the CPU time of the client's two threads, and
 * the heap. Run it with {@code -Xmx512m}; arguments: streams (1000), gap in ms (50), seconds (20).
 */
public final class ClientBenchmark {
    /** The first quarter of every stream is left out: connections, compilation. */
    private static final int WARM_UP_SHARE = 4;

    private ClientBenchmark() {}

    public static void main(String[] args) throws Exception {
        int streams = args.length > 0 ? Integer.parseInt(args[0]) : 1000;
        int gapMs = args.length > 1 ? Integer.parseInt(args[1]) : 50;
        int seconds = args.length > 2 ? Integer.parseInt(args[2]) : 20;
        int events = seconds * 1000 / gapMs;
        try (PacedServer server = new PacedServer(streams, gapMs, events);
                RealTime time = new RealTime();
                StreamClient client = new StreamClient(
                        new Endpoint(server.uri(), "paced", ApiKey.NONE), time, Duration.ofSeconds(30))) {
            client.lag().start();
            long start = System.nanoTime();
            RunResult run = new LoadRunner(
                            client,
                            time,
                            new RunPlan(new Load.Trace(new long[streams]), 0, streams, 1, Duration.ofMinutes(10)),
                            (i, phase) -> new PlannedRequest(i, phase, "paced", Long.toString(i), events),
                            "/v1/completions",
                            ClientBenchmark::body,
                            null,
                            0,
                            Set.of())
                    .start()
                    .get(10, TimeUnit.MINUTES);
            double wall = (System.nanoTime() - start) / 1e9;
            report(run, server, client, wall);
        }
    }

    private static ObjectNode body(PlannedRequest r) {
        ObjectNode b = JsonNodeFactory.instance.objectNode();
        b.put("prompt", r.prompt());
        b.put("max_tokens", r.maxTokens());
        b.put("stream", true);
        return b;
    }

    private static void report(RunResult run, PacedServer server, StreamClient client, double wall) {
        List<Long> late = new ArrayList<>();
        long events = 0;
        for (RequestRecord r : run.records()) {
            long[] written = server.written.get(r.index());
            events += r.chunkNs().length;
            for (int i = r.chunkNs().length / WARM_UP_SHARE; i < r.chunkNs().length; i++) {
                late.add(run.originNs() + r.chunkNs()[i] - written[i]);
            }
        }
        long[] sorted = late.stream().mapToLong(Long::longValue).sorted().toArray();
        LagMeter.Summary lag = client.lag().summary();
        System.out.printf(
                Locale.ROOT,
                "%d streams complete of %d, %d events in %.1f s (%.0f/s)%n",
                run.measured().size(),
                run.records().size(),
                events,
                wall,
                events / wall);
        System.out.printf(
                Locale.ROOT,
                "stamp minus write: p50 %.3f ms, p99 %.3f ms, max %.1f ms; own estimate of lag p99 %.3f ms%n",
                sorted[sorted.length / 2] / 1e6,
                sorted[(int) (sorted.length * 0.99)] / 1e6,
                sorted[sorted.length - 1] / 1e6,
                lag.stampP99Ms());
        System.out.printf(
                Locale.ROOT,
                "CPU: client threads %.2f s of %.1f s, server thread %.2f s; heap %d MB used of %d MB%n",
                cpuSeconds("foretoken-streams") + cpuSeconds("SelectorManager") + cpuSeconds("foretoken-timer"),
                wall,
                cpuSeconds("paced-server"),
                (Runtime.getRuntime().totalMemory() - Runtime.getRuntime().freeMemory()) >> 20,
                Runtime.getRuntime().maxMemory() >> 20);
    }

    private static double cpuSeconds(String threadName) {
        ThreadMXBean threads = ManagementFactory.getThreadMXBean();
        return Thread.getAllStackTraces().keySet().stream()
                        .filter(t -> t.getName().contains(threadName))
                        .mapToLong(t -> Math.max(0, threads.getThreadCpuTime(t.getId())))
                        .sum()
                / 1e9;
    }

    /** Sends every stream one event per gap, each stream on its own phase, and notes when each was written. */
    private static final class PacedServer implements AutoCloseable {
        private final int gapMs;
        private final int events;
        private final ServerSocketChannel acceptor;
        private final Selector selector;
        private final Thread thread;
        private final PriorityQueue<Stream> due = new PriorityQueue<>((a, b) -> Long.compare(a.next, b.next));
        private final ConcurrentHashMap<Long, long[]> written = new ConcurrentHashMap<>();
        private final byte[] event;
        private volatile boolean closed;

        private static final class Stream {
            private final SocketChannel channel;
            private final long index;
            private final long[] at;
            private long next;
            private int sent;

            Stream(SocketChannel channel, long index, int events, long next) {
                this.channel = channel;
                this.index = index;
                this.at = new long[events];
                this.next = next;
            }
        }

        PacedServer(int streams, int gapMs, int events) throws IOException {
            this.gapMs = gapMs;
            this.events = events;
            selector = Selector.open();
            acceptor = ServerSocketChannel.open();
            acceptor.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), streams + 16);
            acceptor.configureBlocking(false);
            acceptor.register(selector, SelectionKey.OP_ACCEPT);
            String data =
                    "data: {\"id\":\"cmpl-1\",\"object\":\"text_completion\",\"created\":1796009872,\"model\":\"paced\","
                            + "\"choices\":[{\"text\":\" word\",\"index\":0,\"logprobs\":null,\"finish_reason\":null}]}\n\n";
            event = (Integer.toHexString(data.length()) + "\r\n" + data + "\r\n").getBytes(StandardCharsets.US_ASCII);
            thread = new Thread(this::loop, "paced-server");
            thread.setDaemon(true);
            thread.start();
        }

        URI uri() throws IOException {
            return URI.create("http://127.0.0.1:" + ((InetSocketAddress) acceptor.getLocalAddress()).getPort());
        }

        private void loop() {
            try {
                while (!closed) {
                    long now = System.nanoTime();
                    while (!due.isEmpty() && due.peek().next <= now) {
                        send(due.poll());
                        now = System.nanoTime();
                    }
                    long wait = due.isEmpty() ? 50 : Math.max(0, (due.peek().next - System.nanoTime()) / 1_000_000);
                    if (wait > 0) {
                        selector.select(wait);
                    } else {
                        // Never spins: on two cores a spinning server is what would be measured.
                        LockSupport.parkNanos(due.peek().next - System.nanoTime());
                        selector.selectNow();
                    }
                    var keys = selector.selectedKeys().iterator();
                    while (keys.hasNext()) {
                        SelectionKey k = keys.next();
                        keys.remove();
                        if (k.isAcceptable()) {
                            accept();
                        } else {
                            read(k);
                        }
                    }
                }
            } catch (IOException e) {
                throw new IllegalStateException(e);
            }
        }

        private void accept() throws IOException {
            for (SocketChannel c = acceptor.accept(); c != null; c = acceptor.accept()) {
                c.configureBlocking(false);
                c.setOption(StandardSocketOptions.TCP_NODELAY, true);
                c.register(selector, SelectionKey.OP_READ, new StringBuilder());
            }
        }

        private void read(SelectionKey k) throws IOException {
            ByteBuffer b = ByteBuffer.allocate(4096);
            SocketChannel c = (SocketChannel) k.channel();
            if (c.read(b) < 0) {
                k.cancel();
                c.close();
                return;
            }
            StringBuilder text = (StringBuilder) k.attachment();
            text.append(StandardCharsets.UTF_8.decode(b.flip()));
            int at = text.indexOf("\"prompt\":\"");
            int end = at < 0 ? -1 : text.indexOf("\"", at + 10);
            if (end < 0 || text.indexOf("}", end) < 0) {
                return;
            }
            long index = Long.parseLong(text.substring(at + 10, end));
            text.setLength(0);
            c.write(ByteBuffer.wrap(
                    "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n"
                            .getBytes(StandardCharsets.US_ASCII)));
            long phase = Math.floorMod(index * 7_919_111L, gapMs * 1_000_000L);
            due.add(new Stream(c, index, events, System.nanoTime() + 500_000_000L + phase));
        }

        private void send(Stream s) throws IOException {
            if (s.sent == events) {
                String last =
                        "data: {\"choices\":[{\"text\":\"\",\"finish_reason\":\"length\"}],\"usage\":{\"completion_tokens\":"
                                + events + ",\"prompt_tokens\":1}}\n\ndata: [DONE]\n\n";
                s.channel.write(ByteBuffer.wrap((Integer.toHexString(last.length()) + "\r\n" + last + "\r\n0\r\n\r\n")
                        .getBytes(StandardCharsets.US_ASCII)));
                written.put(s.index, Arrays.copyOf(s.at, events));
                return;
            }
            s.at[s.sent++] = System.nanoTime();
            s.channel.write(ByteBuffer.wrap(event));
            s.next += gapMs * 1_000_000L;
            due.add(s);
        }

        @Override
        public void close() throws IOException {
            closed = true;
            selector.wakeup();
            acceptor.close();
        }
    }
}
