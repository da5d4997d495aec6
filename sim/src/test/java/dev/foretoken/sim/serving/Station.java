package dev.foretoken.sim.serving;

import dev.foretoken.sim.event.EventQueue;
import dev.foretoken.sim.random.CounterRandom;
import dev.foretoken.sim.random.CounterRandom.Purpose;
import java.util.function.IntToDoubleFunction;

/**
 * One exponential station on the event kernel, fed by Poisson arrivals or by N clients with exponential think times; its
 * completion rate depends on the number of customers. Completions are scheduled anew at every change of that number, which
 * the exponential law allows; a stale one is told by its number.
 */
final class Station {
    private static final double NS = 1e9;
    private static final int ARRIVAL = 0;
    private static final int COMPLETION = 1;

    private final EventQueue events = new EventQueue();
    private final double arrivalRate;
    private final int clients;
    private final double thinkS;
    private final IntToDoubleFunction completionRate;
    private final long stream;
    private long drawn;
    private long version;
    private int present;

    /** Customers times seconds, seconds, completions, and seconds with all clients present, since the last reading. */
    private double customerSeconds;

    private double allPresentSeconds;
    private double serving;
    private long completions;
    private long lastNs;
    private long readNs;

    private Station(double arrivalRate, int clients, double thinkS, IntToDoubleFunction completionRate, long seed) {
        this.arrivalRate = arrivalRate;
        this.clients = clients;
        this.thinkS = thinkS;
        this.completionRate = completionRate;
        stream = CounterRandom.streamKey(CounterRandom.runKey(seed, 0), Purpose.ARRIVAL, 0);
    }

    static Station open(double arrivalRate, double serviceRate, long seed) {
        Station s = new Station(arrivalRate, 0, 0, n -> serviceRate, seed);
        s.scheduleArrival(arrivalRate);
        return s;
    }

    static Station closed(int clients, double thinkS, IntToDoubleFunction completionRate, long seed) {
        Station s = new Station(0, clients, thinkS, completionRate, seed);
        for (int i = 0; i < clients; i++) {
            s.scheduleArrival(1 / thinkS);
        }
        return s;
    }

    private long exponentialNs(double rate) {
        return Math.round(-Math.log1p(-CounterRandom.uniform(stream, drawn++)) / rate * NS);
    }

    private void scheduleArrival(double rate) {
        events.schedule(events.nowNs() + exponentialNs(rate), 1, ARRIVAL);
    }

    private void step() {
        long payload = events.poll();
        double seconds = (events.nowNs() - lastNs) / NS;
        customerSeconds += present * seconds;
        if (present == clients) {
            allPresentSeconds += seconds;
        }
        serving += Math.min(present, 1) * seconds;
        lastNs = events.nowNs();
        if ((payload & 1) == ARRIVAL) {
            present++;
            if (clients == 0) {
                scheduleArrival(arrivalRate);
            }
        } else if (payload >> 1 != version) {
            return;
        } else {
            present--;
            completions++;
            if (clients > 0) {
                scheduleArrival(1 / thinkS);
            }
        }
        version++;
        if (present > 0) {
            long end = events.nowNs() + exponentialNs(completionRate.applyAsDouble(present));
            events.schedule(end, 0, (version << 1) | COMPLETION);
        }
    }

    /** Runs for so many completions: [seconds, customer seconds, completions, seconds all present, seconds not empty]. */
    double[] run(long more) {
        customerSeconds = 0;
        allPresentSeconds = 0;
        serving = 0;
        completions = 0;
        readNs = events.nowNs();
        while (completions < more) {
            step();
        }
        return new double[] {(events.nowNs() - readNs) / NS, customerSeconds, completions, allPresentSeconds, serving};
    }
}
