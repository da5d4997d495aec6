package dev.foretoken.validation.testserver;

import dev.foretoken.sim.acceptance.RoundSampler;
import dev.foretoken.sim.random.Streams;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import org.apache.commons.rng.UniformRandomProvider;

/**
 * A synchronous engine: prompts first, one after another, then a decode round of all running requests; requests join at round
 * boundaries and an idle engine starts at once. It keeps the truth of every request. Time is passed in, so that a virtual
 * clock and the real one drive the same code. Callers hold the engine's monitor.
 */
public final class FakeEngine {
    /** Receives what the engine does to one request. */
    public interface Output {
        /** Tokens committed at the end of a round (or of the prefill); last when the answer is complete. */
        void tokens(Request request, int tokens, boolean last);
    }

    /** One request in the engine, with its truth. */
    public static final class Request {
        final long number;
        final String user;
        final int promptTokens;
        final int maxTokens;
        final Output output;
        final UniformRandomProvider rng;
        private long arrivedNs;
        private long firstTokenNs = -1;
        private long lastTokenNs;
        private int produced;
        private long rounds;
        private double share;
        private double state;
        final List<Integer> accepted = new ArrayList<>();
        boolean gone;

        Request(long number, String user, int promptTokens, int maxTokens, long seed, Output output) {
            this.number = number;
            this.user = user;
            this.promptTokens = promptTokens;
            this.maxTokens = maxTokens;
            this.output = output;
            this.rng = Streams.of(seed, "fake-acceptance", 0, number);
        }

        /** Order of arrival at the server, which need not be the order in which a client planned its requests. */
        public long number() {
            return number;
        }

        /** What the client called the request in {@code user}, empty if nothing. */
        public String user() {
            return user;
        }

        public long arrivedNs() {
            return arrivedNs;
        }

        public long firstTokenNs() {
            return firstTokenNs;
        }

        public long lastTokenNs() {
            return lastTokenNs;
        }

        public int produced() {
            return produced;
        }

        /** Decode rounds it took part in. */
        public long rounds() {
            return rounds;
        }
    }

    private final EngineTruth truth;
    private final RoundSampler sampler;
    private final Deque<Request> waiting = new ArrayDeque<>();
    private final List<Request> running = new ArrayList<>();
    private final List<Request> finished = new ArrayList<>();
    private List<Request> prefilling = List.of();
    private long stepEndNs = Long.MAX_VALUE;
    private boolean busy;
    private long verifySteps;
    private long acceptedDrafts;
    private long tokens;
    private long decodeRounds;
    private long decodeRoundNs;
    private final List<long[]> commits = new ArrayList<>();
    private final long[] acceptedByPosition;

    public FakeEngine(EngineTruth truth) {
        this.truth = truth;
        this.sampler = truth.law() == null ? null : truth.law().sampler();
        this.acceptedByPosition = new long[truth.draftLength()];
    }

    /** A request arrives. */
    synchronized void arrive(Request r, long nowNs) {
        r.arrivedNs = nowNs;
        waiting.add(r);
        if (!busy) {
            begin(nowNs);
        }
    }

    /** A client has gone: its request leaves at the next boundary. */
    synchronized void leave(Request r) {
        r.gone = true;
    }

    /** When the step in progress ends; Long.MAX_VALUE when idle. */
    synchronized long nextNs() {
        return stepEndNs;
    }

    /** Ends the step in progress at its time, delivers its tokens, begins the next. */
    synchronized void fire() {
        long now = stepEndNs;
        long before = tokens;
        List<Runnable> deliveries = new ArrayList<>();
        if (!prefilling.isEmpty()) {
            for (Request r : prefilling) {
                commit(r, 1, now, deliveries);
            }
            prefilling = List.of();
        } else {
            for (Request r : running) {
                r.rounds++;
                verifySteps++;
                int n = sampled(r);
                int kept = Math.min(n, r.maxTokens - r.produced);
                r.accepted.add(kept - 1);
                acceptedDrafts += kept - 1;
                for (int i = 0; i < kept - 1; i++) {
                    acceptedByPosition[i]++;
                }
                commit(r, kept, now, deliveries);
            }
        }
        running.removeIf(r -> r.produced >= r.maxTokens || r.gone);
        commits.add(new long[] {now, tokens - before});
        deliveries.forEach(Runnable::run);
        begin(now);
    }

    private int sampled(Request r) {
        if (sampler == null) {
            return 1;
        }
        r.state = sampler.nextState(r.share, r.state, r.rng);
        return sampler.tokens(r.share, r.state, r.rng.nextDouble());
    }

    private void commit(Request r, int n, long now, List<Runnable> deliveries) {
        r.produced += n;
        tokens += n;
        if (r.firstTokenNs < 0) {
            r.firstTokenNs = now;
        }
        r.lastTokenNs = now;
        boolean last = r.produced >= r.maxTokens;
        if (last) {
            finished.add(r);
        }
        deliveries.add(() -> r.output.tokens(r, n, last));
    }

    private void begin(long now) {
        waiting.removeIf(r -> r.gone);
        List<Request> admitted = new ArrayList<>();
        long prompt = 0;
        while (!waiting.isEmpty() && running.size() < truth.maxRunning()) {
            Request r = waiting.poll();
            if (sampler != null) {
                r.share = sampler.newRequest(r.rng);
                r.state = r.share;
            }
            running.add(r);
            admitted.add(r);
            prompt += r.promptTokens;
        }
        if (!admitted.isEmpty()) {
            prefilling = admitted;
            stepEndNs = now + Math.round(prompt * truth.prefillMsPerToken() * 1e6);
            busy = true;
        } else if (!running.isEmpty()) {
            long t = Math.round(truth.roundMs().applyAsDouble(running.size() * truth.width()) * 1e6);
            decodeRounds++;
            decodeRoundNs += t;
            stepEndNs = now + t;
            busy = true;
        } else {
            stepEndNs = Long.MAX_VALUE;
            busy = false;
        }
    }

    /** Requests that are complete, with their truth. */
    public synchronized List<Request> finished() {
        return List.copyOf(finished);
    }

    /** Tokens committed from one time to another, both included. */
    public synchronized long tokensBetween(long fromNs, long toNs) {
        return commits.stream()
                .filter(c -> c[0] >= fromNs && c[0] <= toNs)
                .mapToLong(c -> c[1])
                .sum();
    }

    /** Figures since the start. */
    public synchronized Totals totals() {
        return new Totals(
                verifySteps,
                acceptedDrafts,
                tokens,
                decodeRounds,
                decodeRoundNs,
                acceptedByPosition.clone(),
                running.size(),
                waiting.size(),
                finished.size());
    }

    public EngineTruth truth() {
        return truth;
    }

    /**
     * Counters.
     *
     * @param verifySteps rounds times requests
     * @param acceptedDrafts drafts accepted, after truncation at the token limit
     * @param tokens generated
     * @param decodeRounds rounds of the engine
     * @param decodeRoundNs their total time
     * @param acceptedByPosition rounds that accepted at least i + 1 drafts
     */
    public record Totals(
            long verifySteps,
            long acceptedDrafts,
            long tokens,
            long decodeRounds,
            long decodeRoundNs,
            long[] acceptedByPosition,
            int running,
            int waiting,
            int finished) {}
}
