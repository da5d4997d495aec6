package dev.foretoken.sim.serving;

import dev.foretoken.sim.acceptance.AcceptanceLaw;
import dev.foretoken.sim.acceptance.RoundSampler;
import dev.foretoken.sim.event.EventQueue;
import dev.foretoken.sim.event.NanosecondRounder;
import dev.foretoken.sim.random.CounterRandom;
import dev.foretoken.sim.random.CounterRandom.Purpose;
import dev.foretoken.sim.round.RoundTimeModel;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * One run of one replica: arrivals, the scheduler's steps, and what each round commits. Events are step returns and
 * arrivals; at equal times steps return first, then requests arrive, then the scheduler plans, so that a request joins at
 * the boundary of a round and an idle engine starts at once.
 */
final class ServingEngine {
    /** Steps without any emitted token after which the run ends: the longest prompt in the smallest chunks needs fewer. */
    static final int STALLED_STEPS = 2_000_000;

    /** Requests refused in a row after which the run ends. */
    static final int REFUSED_IN_A_ROW = 10_000;

    private static final int STEP_RETURNS = 0;
    private static final int ARRIVAL = 1;
    private static final long LATENT_STRIDE = 0xD1B54A32D192ED03L;

    private final EventQueue events = new EventQueue();
    private final NanosecondRounder stepClock = new NanosecondRounder();
    private final EngineSetup setup;
    private final RoundOption[] options;
    private final List<ServedWorkload> workloads;
    private final ArrivalSource source;
    private final RunLog log;
    private final EngineListener[] listeners;
    private final EngineState state;
    private final RequestTable requests;
    private final Scheduler scheduler;
    private final SlotQueue inbox = new SlotQueue();
    private final long runKey;
    private final int depth;
    private final Step[] steps;
    private final RoundTimeTable[] roundTimes;
    private final RoundSampler[][] samplers;
    private final double[][] acceptLength;
    private final RoundSampler batchSampler;
    private final double[] shareUpTo;
    private final Map<String, Integer> workloadIndex = new HashMap<>();
    private final CounterRandom random = new CounterRandom();
    private final int maxWidth;
    private final long maxInSystem;

    private long scheduledSteps;
    private long returnedSteps;
    private long lastEndNs;
    private long batchRounds;
    private boolean planDue;
    private int stalledSteps;
    private int refusedInARow;
    private boolean finishedAny;
    private int emittedInStep;

    /**
     * @param maxInSystem largest number of requests in the system; more mean that the load never drains
     */
    ServingEngine(
            EngineSetup setup,
            ServedArm arm,
            List<ServedWorkload> workloads,
            ArrivalSource source,
            RunLog log,
            List<EngineListener> listeners,
            long runKey,
            long maxInSystem) {
        this(
                setup,
                Schedulers.byName(setup.scheduler()).create().get(),
                arm,
                workloads,
                source,
                log,
                listeners,
                runKey,
                maxInSystem);
    }

    /** The same with a scheduler of the caller's instead of the setup's. */
    ServingEngine(
            EngineSetup setup,
            Scheduler scheduler,
            ServedArm arm,
            List<ServedWorkload> workloads,
            ArrivalSource source,
            RunLog log,
            List<EngineListener> listeners,
            long runKey,
            long maxInSystem) {
        this.setup = setup;
        this.scheduler = scheduler;
        this.workloads = workloads;
        this.source = source;
        this.log = log;
        this.listeners = listeners.toArray(new EngineListener[0]);
        this.runKey = runKey;
        this.maxInSystem = maxInSystem;
        options = arm.options().toArray(new RoundOption[0]);
        maxWidth = arm.maxWidth();
        depth = setup.batchesInFlight();
        steps = new Step[depth];
        for (int i = 0; i < depth; i++) {
            steps[i] = new Step();
        }
        state = new EngineState(setup, arm, workloads, runKey, this::promptComplete);
        requests = state.requests;
        roundTimes = new RoundTimeTable[options.length];
        for (int o = 0; o < options.length; o++) {
            roundTimes[o] = new RoundTimeTable(options[o].rounds());
        }
        samplers = new RoundSampler[options.length][workloads.size()];
        acceptLength = new double[options.length][workloads.size()];
        shareUpTo = new double[workloads.size()];
        double total = workloads.stream().mapToDouble(ServedWorkload::share).sum();
        double sum = 0;
        for (int w = 0; w < workloads.size(); w++) {
            ServedWorkload workload = workloads.get(w);
            workloadIndex.put(workload.id(), w);
            sum += workload.share() / total;
            shareUpTo[w] = sum;
            for (int o = 0; o < options.length; o++) {
                AcceptanceLaw law = workload.laws().get(o);
                samplers[o][w] = law == null ? null : law.sampler();
                acceptLength[o][w] = law == null ? 1 : law.acceptLength();
            }
        }
        batchSampler = arm.batchLaw() == null ? null : arm.batchLaw().sampler();
        source.start(this);
    }

    /** Runs until the log has this many completed requests, or nothing is left to do. */
    void runUntil(long completedRequests) {
        while (log.completed() < completedRequests) {
            if (planDue && events.peekTimeNs() > events.nowNs()) {
                planDue = false;
                plan();
            } else if (events.isEmpty()) {
                if (requests.live() > 0) {
                    throw stuck("nothing is left to happen");
                }
                return;
            } else {
                long payload = events.poll();
                if ((payload & 1) == STEP_RETURNS) {
                    commit();
                } else {
                    source.arrive(this, (int) (payload >> 1));
                    if (returnedSteps == scheduledSteps) {
                        planDue = true;
                    }
                }
            }
        }
    }

    /** True when every request was served and none will come. */
    boolean drained() {
        return source.exhausted() && requests.live() == 0;
    }

    long preemptions() {
        return state.preemptions();
    }

    long peakPages() {
        return state.memory.peakPages();
    }

    long usedPages() {
        return state.memory.usedPages();
    }

    int inSystem() {
        return requests.live();
    }

    /** Checks that memory adds up (for tests). */
    void verify() {
        state.memory.verify(state.runningSlots, state.running);
    }

    // Arrivals.

    void scheduleArrival(long timeNs, int data) {
        events.schedule(timeNs, ARRIVAL, ((long) data << 1) | ARRIVAL);
    }

    /** The clock after a pause. */
    long afterMs(double ms) {
        return events.nowNs() + NanosecondRounder.toNs(ms);
    }

    /** A request whose workload and lengths are drawn. */
    void submitDrawn(long id, int client) {
        int w = drawWorkload(id);
        ServedWorkload workload = workloads.get(w);
        int isl = workload.isl().tokens(uniform(Purpose.ISL, id));
        int osl = workload.osl().tokens(uniform(Purpose.OSL, id));
        int slot = submit(id, client, w, isl, osl, hitTokens(isl), false);
        if (slot >= 0) {
            requests.meanIsl[slot] = workload.isl().mean();
            requests.meanOsl[slot] = workload.osl().mean();
        }
    }

    /** A request of which a share is already emitted: that part is cached context, the rest is its output. */
    void submitPartial(long id, int client, double emittedShare) {
        int w = drawWorkload(id);
        ServedWorkload workload = workloads.get(w);
        int isl = workload.isl().tokens(uniform(Purpose.ISL, id));
        int osl = workload.osl().tokens(uniform(Purpose.OSL, id));
        int emitted = (int) (osl * emittedShare);
        submit(id, client, w, isl + emitted, osl - emitted, hitTokens(isl) + emitted, true);
    }

    /** A request of a trace. */
    void submitTraced(long id, TraceRequest request) {
        int w;
        if (request.workload() == null) {
            w = drawWorkload(id);
        } else {
            Integer index = workloadIndex.get(request.workload());
            if (index == null) {
                throw new SimulationRefused(
                        SimulationRefused.Reason.BAD_LOAD,
                        "request " + id + " of the trace is of workload " + request.workload() + "; known: "
                                + workloads.stream().map(ServedWorkload::id).toList());
            }
            w = index;
        }
        int cached = request.cachedTokens() == TraceRequest.UNKNOWN ? hitTokens(request.isl()) : request.cachedTokens();
        submit(id, 0, w, request.isl(), request.osl(), cached, false);
    }

    private int hitTokens(int isl) {
        return (int) Math.round(isl * setup.prefixHitRate());
    }

    private double uniform(Purpose purpose, long id) {
        return CounterRandom.uniform(CounterRandom.streamKey(runKey, purpose, id), 0);
    }

    private int drawWorkload(long id) {
        if (shareUpTo.length == 1) {
            return 0;
        }
        double u = uniform(Purpose.WORKLOAD, id);
        int w = 0;
        while (w < shareUpTo.length - 1 && u >= shareUpTo[w]) {
            w++;
        }
        return w;
    }

    /** Takes a request in: its slot, -1 when it is refused. */
    private int submit(long id, int client, int workload, int isl, int osl, int cached, boolean partial) {
        long now = events.nowNs();
        log.arrived(now);
        for (EngineListener listener : listeners) {
            listener.arrived(now);
        }
        if (!everFits(isl, osl)) {
            refuse(isl, osl, client);
            return -1;
        }
        refusedInARow = 0;
        if (requests.live() >= maxInSystem) {
            throw new SimulationRefused(
                    SimulationRefused.Reason.NEVER_DRAINS,
                    "requests arrive faster than they are served: after " + show(now) + " s " + requests.live()
                            + " wait or run and " + log.completed() + " are done");
        }
        int slot = requests.take();
        requests.id[slot] = id;
        requests.client[slot] = client;
        requests.workload[slot] = workload;
        requests.isl[slot] = isl;
        requests.osl[slot] = osl;
        requests.cached[slot] = Math.min(cached, isl - 1);
        requests.prefilled[slot] = requests.cached[slot];
        requests.target[slot] = isl;
        requests.meanIsl[slot] = isl;
        requests.meanOsl[slot] = osl;
        requests.partial[slot] = partial;
        requests.arrivalNs[slot] = now;
        requests.roundKey[slot] = CounterRandom.streamKey(runKey, Purpose.ROUND, id);
        requests.share[slot] = 0;
        requests.state[slot] = Double.NaN;
        for (RoundSampler[] byWorkload : samplers) {
            if (byWorkload[workload] != null) {
                requests.share[slot] = byWorkload[workload].newRequest(random.reset(latentKey(id)));
                break;
            }
        }
        inbox.addLast(slot);
        return slot;
    }

    private long latentKey(long id) {
        return CounterRandom.streamKey(runKey, Purpose.LATENT, id);
    }

    private boolean everFits(int isl, int osl) {
        MemoryLimits limits = setup.memory();
        return limits.slotsFor(maxWidth) <= limits.stateSlots()
                && (limits.kvPages() == MemoryLimits.UNLIMITED
                        || limits.pagesFor(largestKv(isl, osl)) <= limits.kvPages());
    }

    /** KV tokens of a request in its last round. */
    private long largestKv(int isl, int osl) {
        return (long) isl + osl - 2 + (osl > 1 ? maxWidth : 1);
    }

    private void refuse(int isl, int osl, int client) {
        log.refused();
        if (++refusedInARow >= REFUSED_IN_A_ROW || !log.toleratesRefusal()) {
            MemoryLimits limits = setup.memory();
            String need = limits.slotsFor(maxWidth) > limits.stateSlots()
                    ? limits.slotsFor(maxWidth) + " recurrent-state slots of " + limits.stateSlots()
                    : limits.pagesFor(largestKv(isl, osl)) + " KV pages of " + limits.kvPages() + " ("
                            + limits.pageTokens() + " tokens each)";
            throw new SimulationRefused(
                    SimulationRefused.Reason.REQUEST_TOO_LARGE,
                    "a request of " + isl + " prompt and " + osl + " output tokens needs " + need);
        }
        source.done(this, client);
    }

    // Steps.

    private void plan() {
        long now = events.nowNs();
        while (scheduledSteps - returnedSteps < depth) {
            while (inbox.size() > 0) {
                int slot = inbox.removeFirst();
                requests.queuedNs[slot] = now;
                state.waiting.addLast(slot);
            }
            Step step = steps[(int) (scheduledSteps % depth)];
            state.begin(step, now);
            scheduler.plan(state);
            boolean finishedAtOnce = finishedAny;
            if (finishedAny) {
                state.compactRunning();
                finishedAny = false;
            }
            if (step.isEmpty()) {
                if (finishedAtOnce) {
                    continue;
                }
                return;
            }
            step.resident = state.running;
            price(step);
            step.startNs = Math.max(now, lastEndNs);
            step.endNs = step.startNs + stepClock.next(step.ms);
            lastEndNs = step.endNs;
            scheduledSteps++;
            log.planned(state.waitedForRunning(), state.waitedForMemory());
            events.schedule(step.endNs, 0, STEP_RETURNS);
        }
    }

    private void price(Step step) {
        RoundTimeModel rounds = options[step.maxOption].rounds();
        int n = step.decodes;
        if (n == 0) {
            step.ms = rounds.mixedRoundMs(0, 0, 0, 0, step.prefillTokens, step.meanPrefillContext());
            step.prefillMs = step.ms;
            return;
        }
        double context = step.meanContext();
        if (step.chunks == 0) {
            step.paddedRows = setup.padding().rows(n, step.maxWidth, step.rows);
            step.ms = roundTimes[step.maxOption].roundMs(n, step.paddedRows, context, step.maxContextTokens);
        } else {
            step.paddedRows = step.rows;
            step.ms = rounds.mixedRoundMs(
                    n, step.rows, context, step.maxContextTokens, step.prefillTokens, step.meanPrefillContext());
            double decodeMs = rounds.roundMs(n, step.rows, context, step.maxContextTokens);
            step.prefillMs = Math.max(0, step.ms - decodeMs);
        }
        if (!(step.ms > 0)) {
            throw new SimulationRefused(
                    SimulationRefused.Reason.NO_PROGRESS,
                    "a decode round of " + n + " requests takes no time: " + step.ms + " ms");
        }
    }

    private void commit() {
        Step step = steps[(int) (returnedSteps % depth)];
        returnedSteps++;
        emittedInStep = 0;
        log.returned(step, state.waiting.size() + inbox.size());
        for (int i = 0; i < step.chunks; i++) {
            int slot = step.chunkSlot[i];
            if (step.chunkIsLast[i] && step.chunkEpoch[i] == requests.epoch[slot]) {
                requests.inFlight[slot]--;
                promptComplete(slot);
            }
        }
        if (step.decodes > 0) {
            commitDecodes(step);
        }
        if (finishedAny) {
            state.compactRunning();
            finishedAny = false;
        }
        stalledSteps = emittedInStep == 0 ? stalledSteps + 1 : 0;
        if (stalledSteps > STALLED_STEPS) {
            throw stuck(STALLED_STEPS + " steps returned without a token");
        }
        if (listeners.length > 0) {
            tell(step);
        }
        planDue = true;
    }

    private void commitDecodes(Step step) {
        long now = events.nowNs();
        RequestTable r = requests;
        int forced = 0;
        if (batchSampler != null) {
            double u = CounterRandom.uniform(CounterRandom.streamKey(runKey, Purpose.BATCH, 0), batchRounds++);
            forced = batchSampler.tokens(0, 0, u);
        }
        for (int i = 0; i < step.decodes; i++) {
            int slot = step.decodeSlot[i];
            if (step.decodeEpoch[i] != r.epoch[slot]) {
                continue;
            }
            int width = step.decodeWidth[i];
            int drawn = 1;
            if (width > 1) {
                if (forced > 0) {
                    drawn = forced;
                } else {
                    int option = step.decodeOption[i];
                    int workload = r.workload[slot];
                    RoundSampler sampler = samplers[option][workload];
                    if (sampler != null) {
                        drawn = draw(sampler, slot);
                        r.surplus[slot] += drawn - acceptLength[option][workload];
                    }
                }
            }
            log.drawn(drawn);
            int left = r.osl[slot] - r.generated[slot];
            int tokens = Math.min(Math.min(drawn, width), left);
            r.generated[slot] += tokens;
            r.inFlight[slot]--;
            r.rounds[slot]++;
            log.gap(now, r.lastNs[slot]);
            r.lastNs[slot] = now;
            emittedInStep += tokens;
            if (tokens == left) {
                finish(slot);
            }
        }
    }

    private int draw(RoundSampler sampler, int slot) {
        long key = requests.roundKey[slot];
        int round = requests.rounds[slot];
        double u = CounterRandom.uniform(key, round);
        random.reset(key ^ ((round + 1) * LATENT_STRIDE));
        double share = requests.share[slot];
        double state = requests.state[slot];
        double next = Double.isNaN(state) ? sampler.firstState(share, random) : sampler.nextState(share, state, random);
        requests.state[slot] = next;
        return sampler.tokens(share, next, u);
    }

    /** The token that a complete prompt yields: the first, or after preemption the next. */
    private void promptComplete(int slot) {
        long now = events.nowNs();
        requests.generated[slot]++;
        requests.fromPrompts[slot]++;
        emittedInStep++;
        if (requests.firstNs[slot] < 0) {
            requests.firstNs[slot] = now;
        } else {
            log.gap(now, requests.lastNs[slot]);
        }
        requests.lastNs[slot] = now;
        if (requests.generated[slot] == requests.osl[slot]) {
            finish(slot);
        }
    }

    private void finish(int slot) {
        finishedAny = true;
        state.memory.release(slot);
        if (listeners.length > 0) {
            ServedRequest served = served(slot);
            for (EngineListener listener : listeners) {
                listener.completed(served);
            }
        }
        if (!requests.partial[slot]) {
            log.completed(requests, slot, events.nowNs());
        }
        int client = requests.client[slot];
        requests.release(slot);
        source.done(this, client);
    }

    private ServedRequest served(int slot) {
        RequestTable r = requests;
        return new ServedRequest(
                r.id[slot],
                workloads.get(r.workload[slot]).id(),
                r.isl[slot],
                r.osl[slot],
                r.cached[slot],
                r.arrivalNs[slot],
                r.queuedNs[slot],
                r.scheduledNs[slot],
                r.firstNs[slot],
                r.lastNs[slot],
                r.rounds[slot],
                r.osl[slot] - r.fromPrompts[slot] - r.rounds[slot],
                r.preemptions[slot],
                r.partial[slot]);
    }

    private void tell(Step step) {
        RoundOption option = options[step.maxOption];
        EngineStep told = new EngineStep(
                step.startNs,
                step.endNs,
                step.decodes,
                step.paddedRows,
                step.meanContext(),
                step.maxContextTokens,
                step.prefillTokens,
                step.chunks,
                step.meanPrefillContext(),
                emittedInStep,
                step.resident,
                state.waiting.size() + inbox.size(),
                state.memory.usedPages(),
                option.budget(),
                option.rounds());
        for (EngineListener listener : listeners) {
            listener.stepped(told);
        }
    }

    private SimulationRefused stuck(String what) {
        return new SimulationRefused(
                SimulationRefused.Reason.NO_PROGRESS,
                "the engine makes no progress at " + show(events.nowNs()) + " s: " + what + "; "
                        + state.running + " requests run, " + (state.waiting.size() + inbox.size()) + " wait, "
                        + state.memory.usedPages() + " KV pages are in use");
    }

    private static String show(long ns) {
        return String.format(Locale.ROOT, "%.3f", ns / 1e9);
    }
}
