package dev.foretoken.validation.client;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.foretoken.validation.client.RequestRecord.Status;
import dev.foretoken.validation.sse.SseDecoder;
import dev.foretoken.validation.sse.StreamChunk;
import java.io.IOException;
import java.net.ConnectException;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpTimeoutException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Flow;
import javax.net.ssl.SSLException;

/**
 * Streams completions from one endpoint over HTTP/1.1, without a thread per stream: the client's selector thread reads, one
 * worker decodes, and every event is stamped when its bytes are handed over. TLS certificates and host names are verified;
 * redirects are not followed, so the key never leaves the endpoint.
 */
public final class StreamClient implements AutoCloseable {
    private static final int MAX_ERROR_BODY = 1 << 16;
    private static final Duration CONNECT_LIMIT = Duration.ofSeconds(20);
    /** A connection that the server has closed fails within this time of the send. */
    private static final long STALE_NS = Duration.ofSeconds(1).toNanos();

    private final Endpoint endpoint;
    private final TimeSource time;
    private final Duration idleLimit;
    private final ExecutorService worker;
    private final HttpClient http;
    private final StreamCounters counters;
    private final LagMeter lag;
    private final Set<Stream> active = ConcurrentHashMap.newKeySet();
    private volatile boolean closed;

    /**
     * @param idleLimit a stream that is silent for longer is given up
     */
    public StreamClient(Endpoint endpoint, TimeSource time, Duration idleLimit) {
        this(endpoint, time, idleLimit, new StreamCounters());
    }

    /** @param counters what this client counts its doings in */
    public StreamClient(Endpoint endpoint, TimeSource time, Duration idleLimit, StreamCounters counters) {
        this.counters = counters;
        this.endpoint = endpoint;
        this.time = time;
        this.idleLimit = idleLimit;
        this.worker = Executors.newSingleThreadExecutor(task -> {
            Thread thread = new Thread(task, "foretoken-streams");
            thread.setDaemon(true);
            return thread;
        });
        this.http = HttpClient.newBuilder()
                .version(HttpClient.Version.HTTP_1_1)
                .followRedirects(HttpClient.Redirect.NEVER)
                .connectTimeout(CONNECT_LIMIT)
                .executor(worker)
                .build();
        this.lag = new LagMeter(time, worker);
        scheduleWatch();
    }

    public Endpoint endpoint() {
        return endpoint;
    }

    public StreamCounters counters() {
        return counters;
    }

    /** How late this client itself is. */
    public LagMeter lag() {
        return lag;
    }

    /**
     * Sends a request. The future completes on the worker thread and never exceptionally.
     *
     * @param body JSON of the request, stream already asked for
     * @param originNs monotonic time that counts as 0 in the record
     * @param intendedNs intended send time, ns since the origin
     */
    CompletableFuture<RequestRecord> send(
            PlannedRequest request, String path, ObjectNode body, int segment, long originNs, long intendedNs) {
        HttpRequest http1 = request(path)
                .timeout(idleLimit)
                .header("Content-Type", "application/json")
                .header("Accept", "text/event-stream")
                .POST(HttpRequest.BodyPublishers.ofByteArray(body.toString().getBytes(StandardCharsets.UTF_8)))
                .build();
        long sent = time.nanoTime();
        Stream stream = new Stream(request, segment, originNs, intendedNs, sent - originNs);
        counters.sent.incrementAndGet();
        lag.sent(sent - originNs - intendedNs);
        active.add(stream);
        launch(stream, http1);
        return stream.result;
    }

    private void launch(Stream stream, HttpRequest http1) {
        CompletableFuture<HttpResponse<Void>> exchange = http.sendAsync(http1, stream::subscriber);
        stream.exchange = exchange;
        var unused = exchange.whenCompleteAsync(
                (response, failure) -> {
                    if (stream.sendAgain(failure)) {
                        launch(stream, http1);
                    } else {
                        stream.finished(failure);
                    }
                },
                worker);
    }

    /** To be called when everything that follows from the end of a request has been done. */
    void endHandled() {
        counters.ended.incrementAndGet();
    }

    /** Ends every stream in flight: its record says cancelled and keeps what was measured. */
    public void cancelAll() {
        active.forEach(s -> s.breakOff(Status.CANCELLED, "ended by this client"));
    }

    /** Fetches a small page. */
    public HttpResponse<String> get(String path, Duration limit) throws IOException, InterruptedException {
        return http.send(request(path).timeout(limit).GET().build(), HttpResponse.BodyHandlers.ofString());
    }

    /** Posts JSON (or nothing, when null) to a control route. */
    public HttpResponse<String> post(String path, String json, Duration limit)
            throws IOException, InterruptedException {
        HttpRequest.BodyPublisher body = json == null
                ? HttpRequest.BodyPublishers.noBody()
                : HttpRequest.BodyPublishers.ofString(json, StandardCharsets.UTF_8);
        return http.send(
                request(path)
                        .timeout(limit)
                        .header("Content-Type", "application/json")
                        .POST(body)
                        .build(),
                HttpResponse.BodyHandlers.ofString());
    }

    private HttpRequest.Builder request(String path) {
        HttpRequest.Builder b = HttpRequest.newBuilder(endpoint.resolve(path));
        if (endpoint.key().present()) {
            b.header("Authorization", endpoint.key().authorization());
        }
        return b;
    }

    private void scheduleWatch() {
        if (closed) {
            return;
        }
        long period = Math.min(Duration.ofSeconds(1).toNanos(), Math.max(1_000_000, idleLimit.toNanos() / 4));
        time.at(time.nanoTime() + period, () -> {
            long now = time.nanoTime();
            for (Stream s : active) {
                if (now - s.lastByteNs > idleLimit.toNanos()) {
                    s.breakOff(Status.TIMED_OUT, "nothing came for " + idleLimit.toMillis() + " ms");
                }
            }
            scheduleWatch();
        });
    }

    @Override
    public void close() {
        closed = true;
        cancelAll();
        worker.shutdown();
    }

    /** One response on its way. Runs on the worker thread except where said. */
    private final class Stream {
        private final PlannedRequest request;
        private final int segment;
        private final long originNs;
        private final long intendedNs;
        private final long sentNs;
        private final TokenLedger ledger;
        private final SseDecoder decoder;
        private final CompletableFuture<RequestRecord> result = new CompletableFuture<>();
        private final StringBuilder errorBody = new StringBuilder();
        private volatile long lastByteNs;
        private volatile CompletableFuture<?> exchange;
        private volatile Status broken;
        private volatile String brokenBecause;
        private volatile Flow.Subscription subscription;
        private int httpStatus;
        private long stamp;
        private boolean again;

        Stream(PlannedRequest request, int segment, long originNs, long intendedNs, long sentNs) {
            this.request = request;
            this.segment = segment;
            this.originNs = originNs;
            this.intendedNs = intendedNs;
            this.sentNs = sentNs;
            this.lastByteNs = originNs + sentNs;
            this.ledger = new TokenLedger(request, endpoint.key()::redact);
            this.decoder = new SseDecoder(this::event);
        }

        private void event(String name, byte[] bytes, int offset, int length) {
            if (name.isEmpty() || name.equals("message") || name.equals("error")) {
                ledger.book(StreamChunk.parse(bytes, offset, length), stamp);
            }
            counters.events.incrementAndGet();
        }

        HttpResponse.BodySubscriber<Void> subscriber(HttpResponse.ResponseInfo info) {
            httpStatus = info.statusCode();
            lastByteNs = time.nanoTime();
            return new Lines();
        }

        /** Any thread. */
        void breakOff(Status status, String because) {
            if (broken != null || result.isDone()) {
                return;
            }
            brokenBecause = because;
            broken = status;
            counters.brokenOff.incrementAndGet();
            Flow.Subscription s = subscription;
            if (s != null) {
                s.cancel();
            }
            CompletableFuture<?> e = exchange;
            if (e != null) {
                e.cancel(true);
            }
        }

        /**
         * Servers close idle connections, now and then just when a request goes out on one: without a byte of an answer it is
         * sent once more, at its old intended time.
         */
        boolean sendAgain(Throwable failure) {
            Throwable cause = failure instanceof CompletionException ? failure.getCause() : failure;
            boolean stale = cause instanceof IOException
                    && !(cause instanceof ConnectException)
                    && !(cause instanceof HttpTimeoutException)
                    && !(cause instanceof SSLException)
                    && time.nanoTime() - originNs - sentNs < STALE_NS;
            if (again || closed || broken != null || httpStatus != 0 || !stale) {
                return false;
            }
            again = true;
            ledger.odd("sent again: the server had closed the connection");
            return true;
        }

        void finished(Throwable failure) {
            active.remove(this);
            long end = time.nanoTime() - originNs;
            Status status = broken;
            String because = brokenBecause;
            if (status == null && httpStatus != 0 && httpStatus != 200) {
                status = Status.HTTP_ERROR;
                because = "HTTP " + httpStatus + ": " + errorText();
            } else if (status == null && failure != null) {
                Throwable cause = failure instanceof CompletionException ? failure.getCause() : failure;
                status = cause instanceof HttpTimeoutException ? Status.TIMED_OUT : Status.CONNECTION_LOST;
                because = cause instanceof ConnectException
                        ? "cannot connect to " + endpoint.base()
                        : cause.getClass().getSimpleName() + ": " + cause.getMessage();
            }
            if (status == null || status == Status.CONNECTION_LOST) {
                decoder.finish();
            }
            RequestRecord record;
            try {
                record = ledger.settle(status, because, segment, intendedNs, sentNs, end);
            } catch (RuntimeException e) {
                result.completeExceptionally(e);
                return;
            }
            result.complete(record);
        }

        private String errorText() {
            StreamChunk parsed = StreamChunk.parse(errorBody.toString());
            return parsed.kind() == StreamChunk.Kind.ERROR
                    ? parsed.error()
                    : errorBody.toString().strip();
        }

        /** Body of the response. */
        private final class Lines implements HttpResponse.BodySubscriber<Void> {
            private final CompletableFuture<Void> body = new CompletableFuture<>();

            @Override
            public CompletionStage<Void> getBody() {
                return body;
            }

            @Override
            public void onSubscribe(Flow.Subscription s) {
                subscription = s;
                s.request(Long.MAX_VALUE);
            }

            @Override
            public void onNext(List<ByteBuffer> buffers) {
                long now = time.nanoTime();
                lastByteNs = now;
                stamp = now - originNs;
                try {
                    for (ByteBuffer b : buffers) {
                        counters.bytes.addAndGet(b.remaining());
                        if (httpStatus == 200) {
                            decoder.feed(b);
                        } else if (errorBody.length() < MAX_ERROR_BODY) {
                            errorBody.append(StandardCharsets.UTF_8.decode(b));
                        }
                    }
                } catch (IllegalStateException e) {
                    breakOff(Status.TRUNCATED, e.getMessage());
                }
            }

            @Override
            public void onError(Throwable failure) {
                body.completeExceptionally(failure);
            }

            @Override
            public void onComplete() {
                body.complete(null);
            }
        }
    }
}
