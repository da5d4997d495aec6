package dev.foretoken.validation.client;

import java.util.concurrent.atomic.AtomicLong;

/** What a client has done so far; safe for use by several threads. */
public final class StreamCounters {
    final AtomicLong sent = new AtomicLong();
    final AtomicLong ended = new AtomicLong();
    final AtomicLong events = new AtomicLong();
    final AtomicLong bytes = new AtomicLong();
    final AtomicLong brokenOff = new AtomicLong();

    /** Requests sent. */
    public long sent() {
        return sent.get();
    }

    /** Requests whose end has been handled, with what follows from it. */
    public long ended() {
        return ended.get();
    }

    /** Events decoded. */
    public long events() {
        return events.get();
    }

    /** Streams that this client ended early. */
    public long brokenOff() {
        return brokenOff.get();
    }

    /** Bytes of streams received. */
    public long bytes() {
        return bytes.get();
    }
}
