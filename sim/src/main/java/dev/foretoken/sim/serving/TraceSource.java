package dev.foretoken.sim.serving;

import java.util.Iterator;
import java.util.List;

/**
 * Requests in order of arrival, readable more than once (each replication reads them anew) and as a stream: a source never
 * needs all requests in memory.
 */
public interface TraceSource {

    /** Name for messages, for example the file's. */
    String name();

    /** A new pass over the requests, by ascending arrival. An iterator that is also AutoCloseable is closed after use. */
    Iterator<TraceRequest> open();

    /** Requests that are in memory already. */
    static TraceSource of(String name, List<TraceRequest> requests) {
        List<TraceRequest> copy = List.copyOf(requests);
        return new TraceSource() {
            @Override
            public String name() {
                return name;
            }

            @Override
            public Iterator<TraceRequest> open() {
                return copy.iterator();
            }
        };
    }
}
