package dev.foretoken.validation.testserver;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import dev.foretoken.validation.client.TimeSource;
import dev.foretoken.validation.testserver.Faults.Fault;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.net.URI;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;

/**
 * An OpenAI-compatible server on the loopback interface, port chosen by the system, that plays a {@link FakeEngine}. One
 * thread reads and accepts; in real time a second one ends the engine's steps when they are due; with a {@link VirtualTime}
 * the clock does. Words of a prompt count as its tokens.
 */
public final class FakeServer implements AutoCloseable {
    private static final JsonMapper MAPPER = JsonMapper.builder().build();
    private static final int MAX_REQUEST = 64 << 20;

    /**
     * How the server behaves on the wire.
     *
     * @param dialect events and figures
     * @param model name it lists
     * @param faults what goes wrong
     * @param splitWrites events are cut into pieces at odd places, inside characters and line ends too
     * @param crlf lines end with CRLF
     * @param roundsPerEvent rounds bundled in one event (stream interval, 1 = none)
     * @param graphBatch largest captured batch size reported, null = not reported
     */
    public record Behaviour(
            Dialect dialect,
            String model,
            Faults faults,
            boolean splitWrites,
            boolean crlf,
            int roundsPerEvent,
            Integer graphBatch) {
        /** No faults, plain wire. */
        public static Behaviour of(Dialect dialect) {
            return new Behaviour(dialect, "fake-model", Faults.NONE, false, false, 1, null);
        }

        public Behaviour withFaults(Faults f) {
            return new Behaviour(dialect, model, f, splitWrites, crlf, roundsPerEvent, graphBatch);
        }

        public Behaviour withWire(boolean split, boolean carriageReturns) {
            return new Behaviour(dialect, model, faults, split, carriageReturns, roundsPerEvent, graphBatch);
        }

        public Behaviour withRoundsPerEvent(int rounds) {
            return new Behaviour(dialect, model, faults, splitWrites, crlf, rounds, graphBatch);
        }

        public Behaviour withGraphBatch(Integer batch) {
            return new Behaviour(dialect, model, faults, splitWrites, crlf, roundsPerEvent, batch);
        }
    }

    private final FakeEngine engine;
    private final Behaviour behaviour;
    private final TimeSource time;
    private final boolean realTime;
    private final ServerSocketChannel acceptor;
    private final Selector selector;
    private final Thread reader;
    private final Thread pacer;
    private final ConcurrentLinkedQueue<Connection> wantWrite = new ConcurrentLinkedQueue<>();
    private final AtomicLong completions = new AtomicLong();
    private final AtomicLong httpRequests = new AtomicLong();
    private final AtomicLong received = new AtomicLong();
    private final AtomicLong events = new AtomicLong();
    private final AtomicLong ended = new AtomicLong();
    private final Map<String, Long> routes = new ConcurrentHashMap<>();
    private volatile String lastAuthorization;
    private volatile JsonNode lastBody;
    private volatile boolean closed;

    /** Starts a server. */
    public FakeServer(EngineTruth truth, Behaviour behaviour, TimeSource time) throws IOException {
        this(truth, behaviour, time, 0);
    }

    /** @param port on loopback, 0 = any free one */
    public FakeServer(EngineTruth truth, Behaviour behaviour, TimeSource time, int port) throws IOException {
        this.engine = new FakeEngine(truth);
        this.behaviour = behaviour;
        this.time = time;
        this.realTime = !(time instanceof VirtualTime);
        this.selector = Selector.open();
        this.acceptor = ServerSocketChannel.open();
        acceptor.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), 2048);
        acceptor.configureBlocking(false);
        acceptor.register(selector, SelectionKey.OP_ACCEPT);
        this.pacer = realTime ? new Thread(this::paceLoop, "fake-server-engine") : null;
        this.reader = new Thread(this::readLoop, "fake-server-reader");
        reader.setDaemon(true);
        if (pacer != null) {
            pacer.setDaemon(true);
            pacer.start();
        }
        reader.start();
    }

    /** Root address. */
    public URI uri() {
        try {
            InetSocketAddress at = (InetSocketAddress) acceptor.getLocalAddress();
            return URI.create("http://127.0.0.1:" + at.getPort());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    public FakeEngine engine() {
        return engine;
    }

    /** Completion requests received. */
    public long requestsReceived() {
        return received.get();
    }

    /** Events written, end markers included. */
    public long eventsWritten() {
        return events.get();
    }

    /** Responses of completions that have ended. */
    public long responsesEnded() {
        return ended.get();
    }

    /** Requests by route. */
    public Map<String, Long> routes() {
        return Map.copyOf(routes);
    }

    /** Authorization header of the last request, null if it had none. */
    public String lastAuthorization() {
        return lastAuthorization;
    }

    /** Body of the last completion request. */
    public JsonNode lastBody() {
        return lastBody;
    }

    void fireEngine() {
        engine.fire();
        selector.wakeup();
    }

    @Override
    public void close() {
        closed = true;
        selector.wakeup();
        LockSupport.unpark(pacer);
        try {
            reader.join(2000);
            if (pacer != null) {
                pacer.join(2000);
            }
            acceptor.close();
            for (SelectionKey key : selector.keys()) {
                key.channel().close();
            }
            selector.close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void paceLoop() {
        while (!closed) {
            long next = engine.nextNs();
            if (next == Long.MAX_VALUE) {
                LockSupport.park(this);
                continue;
            }
            long wait = next - time.nanoTime();
            if (wait > 0) {
                LockSupport.parkNanos(this, wait);
            } else {
                engine.fire();
            }
        }
    }

    private void readLoop() {
        while (!closed) {
            try {
                selector.select(200);
                for (Connection c = wantWrite.poll(); c != null; c = wantWrite.poll()) {
                    if (c.key.isValid()) {
                        c.key.interestOps(SelectionKey.OP_READ | SelectionKey.OP_WRITE);
                    }
                }
                var keys = selector.selectedKeys().iterator();
                while (keys.hasNext()) {
                    SelectionKey key = keys.next();
                    keys.remove();
                    if (!key.isValid()) {
                        continue;
                    }
                    if (key.isAcceptable()) {
                        accept();
                    } else if (key.attachment() instanceof Connection c) {
                        c.ready(key);
                    }
                }
            } catch (IOException
                    | java.nio.channels.ClosedSelectorException
                    | java.nio.channels.CancelledKeyException e) {
                if (closed) {
                    return;
                }
            }
        }
    }

    private void accept() throws IOException {
        for (SocketChannel channel = acceptor.accept(); channel != null; channel = acceptor.accept()) {
            channel.configureBlocking(false);
            channel.setOption(StandardSocketOptions.TCP_NODELAY, true);
            Connection c = new Connection(channel);
            c.key = channel.register(selector, SelectionKey.OP_READ, c);
        }
    }

    /** One keep-alive connection. */
    private final class Connection {
        private final SocketChannel channel;
        private final ByteBuffer in = ByteBuffer.allocate(1 << 16);
        private final Deque<ByteBuffer> out = new ArrayDeque<>();
        private byte[] request = new byte[0];
        private SelectionKey key;
        private Answer answer;

        Connection(SocketChannel channel) {
            this.channel = channel;
        }

        void ready(SelectionKey k) {
            try {
                if (k.isWritable()) {
                    flush();
                }
                if (k.isReadable()) {
                    in.clear();
                    int n = channel.read(in);
                    if (n < 0) {
                        gone();
                        return;
                    }
                    in.flip();
                    byte[] more = new byte[request.length + in.remaining()];
                    System.arraycopy(request, 0, more, 0, request.length);
                    in.get(more, request.length, in.remaining());
                    request = more;
                    takeRequests();
                }
            } catch (IOException e) {
                gone();
            }
        }

        private void gone() {
            Answer a = answer;
            if (a != null) {
                engine.leave(a.request);
                a.end();
            }
            drop();
        }

        void drop() {
            key.cancel();
            try {
                channel.close();
            } catch (IOException e) {
                // the peer is gone already
            }
        }

        void reset() {
            try {
                channel.setOption(StandardSocketOptions.SO_LINGER, 0);
            } catch (IOException e) {
                // closed already
            }
            drop();
            selector.wakeup();
        }

        private void takeRequests() throws IOException {
            while (true) {
                String head = new String(request, StandardCharsets.ISO_8859_1);
                int end = head.indexOf("\r\n\r\n");
                if (end < 0) {
                    return;
                }
                String headers = head.substring(0, end);
                int length = contentLength(headers);
                if (length > MAX_REQUEST) {
                    throw new IOException("request of " + length + " bytes");
                }
                int total = end + 4 + length;
                if (request.length < total) {
                    return;
                }
                String body = new String(request, end + 4, length, StandardCharsets.UTF_8);
                request = java.util.Arrays.copyOfRange(request, total, request.length);
                lastAuthorization = header(headers, "authorization");
                serve(headers.substring(0, headers.indexOf('\r') < 0 ? headers.length() : headers.indexOf('\r')), body);
            }
        }

        private void serve(String requestLine, String body) {
            String[] parts = requestLine.split(" ");
            String path = parts[1];
            routes.merge(path, 1L, Long::sum);
            if (httpRequests.incrementAndGet() <= behaviour.faults().loadingRequests()) {
                plain(503, "{\"error\":{\"code\":503,\"message\":\"Loading model\",\"type\":\"unavailable_error\"}}");
                return;
            }
            switch (path) {
                case "/v1/completions", "/v1/chat/completions" -> complete(path, body);
                default -> {
                    String page = FakePages.page(path, behaviour, engine.totals(), engine.truth());
                    if (page == null) {
                        plain(
                                404,
                                "{\"error\":{\"code\":404,\"message\":\"File Not Found\",\"type\":\"not_found_error\"}}");
                    } else {
                        plain(200, page);
                    }
                }
            }
        }

        private void complete(String path, String body) {
            JsonNode json;
            try {
                json = MAPPER.readTree(body);
            } catch (JsonProcessingException e) {
                plain(400, "{\"error\":{\"code\":400,\"message\":\"not JSON\",\"type\":\"invalid_request_error\"}}");
                return;
            }
            lastBody = json;
            long number = completions.getAndIncrement();
            Fault fault = behaviour.faults().byRequest().get(number);
            if (fault == Fault.HTTP_500_ECHOING_KEY) {
                plain(
                        500,
                        "{\"error\":{\"message\":\"Incorrect API key provided: " + lastAuthorization
                                + "\",\"code\":500}}");
                received.incrementAndGet();
                ended.incrementAndGet();
                return;
            }
            boolean chat = path.contains("chat");
            String prompt = chat
                    ? json.path("messages").path(0).path("content").asText()
                    : json.path("prompt").asText();
            int limit = json.path("max_completion_tokens")
                    .asInt(json.path("max_tokens").asInt(16));
            int words = prompt.isBlank() ? 1 : prompt.strip().split("\\s+").length;
            Answer a = new Answer(this, json, chat, fault);
            a.request = new FakeEngine.Request(
                    number,
                    json.path("user").asText(""),
                    words,
                    Math.max(1, limit),
                    engine.truth().seed(),
                    a);
            answer = a;
            if (json.path("stream").asBoolean(false)) {
                send("HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n");
            }
            engine.arrive(a.request, time.nanoTime());
            received.incrementAndGet();
            LockSupport.unpark(pacer);
        }

        private void plain(int status, String body) {
            byte[] bytes = body.getBytes(StandardCharsets.UTF_8);
            send("HTTP/1.1 " + status + " X\r\nContent-Type: application/json\r\nContent-Length: " + bytes.length
                    + "\r\n\r\n" + body);
        }

        void send(String text) {
            byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
            if (!behaviour.splitWrites()) {
                send(bytes, 0, bytes.length);
                return;
            }
            int third = Math.max(1, bytes.length / 3);
            for (int i = 0; i < bytes.length; i += third) {
                send(bytes, i, Math.min(third, bytes.length - i));
            }
        }

        private synchronized void send(byte[] bytes, int offset, int length) {
            ByteBuffer b = ByteBuffer.wrap(bytes, offset, length);
            try {
                if (out.isEmpty()) {
                    channel.write(b);
                }
                if (b.hasRemaining()) {
                    out.add(b);
                    wantWrite.add(this);
                    selector.wakeup();
                }
            } catch (ClosedChannelException e) {
                out.clear();
            } catch (IOException e) {
                out.clear();
            }
        }

        private synchronized void flush() throws IOException {
            while (!out.isEmpty()) {
                channel.write(out.peek());
                if (out.peek().hasRemaining()) {
                    return;
                }
                out.poll();
            }
            key.interestOps(SelectionKey.OP_READ);
        }
    }

    private static int contentLength(String headers) {
        String v = header(headers, "content-length");
        return v == null ? 0 : Integer.parseInt(v);
    }

    private static String header(String headers, String name) {
        for (String line : headers.split("\r\n")) {
            int colon = line.indexOf(':');
            if (colon > 0 && line.substring(0, colon).equalsIgnoreCase(name)) {
                return line.substring(colon + 1).strip();
            }
        }
        return null;
    }

    /** One completion on its way to a connection. */
    private final class Answer implements FakeEngine.Output {
        private final Connection connection;
        private final FakeEvents format;
        private final boolean stream;
        private final Fault fault;
        private FakeEngine.Request request;
        private int bundled;
        private int rounds;
        private int sentEvents;
        private boolean broken;

        Answer(Connection connection, JsonNode body, boolean chat, Fault fault) {
            this.connection = connection;
            this.format = new FakeEvents(behaviour.dialect(), behaviour.model(), body, chat);
            this.stream = body.path("stream").asBoolean(false);
            this.fault = fault;
        }

        @Override
        public void tokens(FakeEngine.Request r, int tokens, boolean last) {
            if (broken) {
                return;
            }
            bundled += tokens;
            boolean first = r.produced() == tokens;
            if (!first) {
                rounds++;
            }
            if (!last && !first && rounds % behaviour.roundsPerEvent() != 0) {
                return;
            }
            int n = bundled;
            bundled = 0;
            if (!stream) {
                if (last) {
                    connection.plain(200, format.whole(r));
                    end();
                }
                return;
            }
            if (first) {
                event(format.opening());
            }
            if (behaviour.dialect() == Dialect.LLAMA_CPP) {
                for (int i = 0; i < n && !broken; i++) {
                    event(format.tokens(r.produced() - n + i + 1, 1));
                    mayBreak();
                }
            } else {
                event(format.tokens(r.produced(), n));
                mayBreak();
            }
            if (last && !broken) {
                for (String e : format.closing(r, fault)) {
                    event(e);
                }
                finish();
            }
        }

        private void finish() {
            connection.answer = null;
            if (fault != Fault.NO_DONE) {
                event("[DONE]");
            }
            connection.send("0\r\n\r\n");
            end();
        }

        private void end() {
            connection.answer = null;
            ended.incrementAndGet();
        }

        private void event(String data) {
            if (data == null) {
                return;
            }
            String nl = behaviour.crlf() ? "\r\n" : "\n";
            String text = (behaviour.crlf() ? ": keep-alive" + nl + nl : "") + "data: " + data + nl + nl;
            int length = text.getBytes(StandardCharsets.UTF_8).length;
            connection.send(Integer.toHexString(length) + "\r\n" + text + "\r\n");
            sentEvents++;
            events.incrementAndGet();
        }

        private void mayBreak() {
            if (fault == null || sentEvents < 4) {
                return;
            }
            switch (fault) {
                case ERROR_CHUNK -> {
                    event(
                            "{\"error\":{\"object\":\"error\",\"message\":\"out of memory\",\"type\":\"BadRequestError\",\"param\":null,"
                                    + "\"code\":400}}");
                    breakOff();
                    finish();
                }
                case HANG -> {
                    breakOff();
                    connection.answer = null;
                }
                case RESET -> {
                    breakOff();
                    connection.reset();
                    end();
                }
                case TRUNCATE -> {
                    breakOff();
                    connection.send("40\r\ndata: {\"choices\":[{\"text\":\"cut he");
                    connection.drop();
                    end();
                }
                case SILENT_END -> {
                    breakOff();
                    connection.send("0\r\n\r\n");
                    end();
                }
                case DUPLICATE -> {
                    if (sentEvents == 4 || sentEvents == 5) {
                        event(format.repeated());
                    }
                }
                default -> {}
            }
        }

        private void breakOff() {
            broken = true;
            engine.leave(request);
        }
    }
}
