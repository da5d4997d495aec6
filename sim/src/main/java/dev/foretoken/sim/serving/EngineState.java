package dev.foretoken.sim.serving;

import dev.foretoken.sim.random.CounterRandom;
import dev.foretoken.sim.random.CounterRandom.Purpose;
import java.util.Arrays;
import java.util.List;

/**
 * What a scheduler sees and may do: waiting and running requests (by slot), memory, and the step that is being built.
 * Requests are told apart by slot numbers that are valid while the request is waiting or running.
 */
public final class EngineState {
    final RequestTable requests = new RequestTable();
    final MemoryPool memory;
    final SlotQueue waiting = new SlotQueue();
    int[] runningSlots = new int[64];
    int running;
    Step step;

    private final EngineSetup setup;
    private final List<RoundOption> options;
    private final BudgetPolicy policy;
    private final int maxWidth;
    private final int[] widths;
    private final double[] fireRates;
    private final boolean prefillIsFree;
    private final Batch batch;
    private final long runKey;
    private final PromptListener promptListener;

    private long nowNs;
    private int uniformOption;
    private int[] perRequestOption = new int[64];
    private int decodeOrdinal;
    private int lastOption;
    private boolean waitedForRunning;
    private boolean waitedForMemory;
    private long preemptions;
    private int unfinishedPrompts;

    /** Told when a prompt is complete without taking time. */
    interface PromptListener {
        void promptComplete(int slot);
    }

    EngineState(
            EngineSetup setup,
            ServedArm arm,
            List<ServedWorkload> workloads,
            long runKey,
            PromptListener promptListener) {
        this.setup = setup;
        this.runKey = runKey;
        this.promptListener = promptListener;
        options = arm.options();
        policy = arm.policy();
        maxWidth = arm.maxWidth();
        widths = options.stream().mapToInt(RoundOption::width).toArray();
        fireRates = options.stream().mapToDouble(RoundOption::fireRate).toArray();
        memory = new MemoryPool(setup.memory(), requests);
        batch = new Batch(workloads);
        prefillIsFree = options.get(0).rounds().mixedRoundMs(0, 0, 0, 0, 1 << 20, 0) == 0;
    }

    // What the scheduler may ask.

    /** The engine's limits and flags. */
    public EngineSetup setup() {
        return setup;
    }

    /** Resident requests. */
    public int runningCount() {
        return running;
    }

    /** Slot of resident request i, in the order in which they joined. */
    public int running(int i) {
        return runningSlots[i];
    }

    /** Requests in the queue. */
    public int waitingCount() {
        return waiting.size();
    }

    /** Slot of the first request in the queue. */
    public int waitingHead() {
        return waiting.first();
    }

    /** The first resident request whose prompt isn't wholly scheduled; -1 = none. */
    public int unfinishedPrompt() {
        if (unfinishedPrompts == 0) {
            return -1;
        }
        int i = 0;
        while (remainingPrompt(runningSlots[i]) == 0) {
            i++;
        }
        return runningSlots[i];
    }

    /** Prompt tokens that are neither cached nor scheduled. After preemption what was emitted counts as prompt. */
    public int remainingPrompt(int slot) {
        return requests.target[slot] - requests.prefilled[slot];
    }

    /** Tokens that must be in the cache before the request decodes, those of the prefix cache included. */
    public int promptTarget(int slot) {
        return requests.target[slot];
    }

    /** Prompt tokens of the request as it came. */
    public int promptTokens(int slot) {
        return requests.isl[slot];
    }

    /** Output tokens emitted so far. */
    public int emitted(int slot) {
        return requests.generated[slot];
    }

    /** Output tokens that are still to come. */
    public int remainingOutput(int slot) {
        return requests.osl[slot] - requests.generated[slot];
    }

    /** True when a resident request can decode: prompt scheduled, and its steps in flight aren't sure to end it. */
    public boolean decodable(int slot) {
        return requests.prefilled[slot] >= requests.target[slot]
                && requests.generated[slot] + requests.inFlight[slot] < requests.osl[slot];
    }

    /** True when the arm drafts. */
    public boolean speculative() {
        return maxWidth > 1;
    }

    /** True when prompts take no time. */
    public boolean prefillIsFree() {
        return prefillIsFree;
    }

    /** True when KV pages can run out. */
    public boolean kvLimited() {
        return memory.limited();
    }

    /** Tokens that the free pages hold. */
    public double freeKvTokens() {
        return (double) memory.freePages() * setup.memory().pageTokens();
    }

    /** Tokens of one page. */
    public int pageTokens() {
        return setup.memory().pageTokens();
    }

    /** True when the next decode round of all resident requests finds its pages. */
    public boolean decodeFits() {
        long more = 0;
        for (int i = 0; i < running; i++) {
            int slot = runningSlots[i];
            if (decodable(slot)) {
                int tokens = kvTokens(slot, maxWidth);
                if (tokens > requests.reservedTokens[slot]) {
                    more += setup.memory().pagesFor(tokens) - requests.heldPages[slot];
                }
            }
        }
        return more <= memory.freePages();
    }

    /** True when the free pages hold all that a waiting request must compute before it decodes. */
    public boolean promptFits(int slot) {
        return !memory.limited() || setup.memory().pagesFor(requests.target[slot]) <= memory.freePages();
    }

    // What the scheduler may do.

    /**
     * Moves the head of the queue to the end of the running list and takes its memory.
     *
     * @param promptTokens prompt tokens that it will compute now, for which pages are taken
     * @return false, with nothing changed, when memory is too short
     */
    public boolean admitHead(int promptTokens) {
        int slot = waiting.first();
        if (!memory.takeSlots(slot, setup.memory().slotsFor(maxWidth))) {
            return false;
        }
        if (!memory.reserve(slot, requests.prefilled[slot] + promptTokens)) {
            memory.release(slot);
            return false;
        }
        waiting.removeFirst();
        if (running == runningSlots.length) {
            runningSlots = Arrays.copyOf(runningSlots, running * 2);
        }
        runningSlots[running++] = slot;
        requests.running[slot] = true;
        unfinishedPrompts++;
        if (requests.scheduledNs[slot] < 0) {
            requests.scheduledNs[slot] = nowNs;
        }
        return true;
    }

    /** Takes pages for the next tokens of a resident request's prompt; false when there are too few. */
    public boolean reservePrompt(int slot, int tokens) {
        return memory.reserve(slot, requests.prefilled[slot] + tokens);
    }

    /** Takes pages for a decode row; false when there are too few. */
    public boolean reserveDecode(int slot, int width) {
        return memory.reserve(slot, kvTokens(slot, width));
    }

    /** Adds a prompt chunk of a resident request to the step. */
    public void addChunk(int slot, int tokens) {
        int before = requests.prefilled[slot];
        requests.prefilled[slot] = before + tokens;
        boolean last = requests.prefilled[slot] >= requests.target[slot];
        if (last) {
            requests.inFlight[slot]++;
            unfinishedPrompts--;
        }
        step.addChunk(slot, requests.epoch[slot], tokens, before, last);
    }

    /** Completes the prompt of the request that was admitted last, at once and outside any step. */
    public void completePrompt(int slot) {
        requests.prefilled[slot] = requests.target[slot];
        unfinishedPrompts--;
        promptListener.promptComplete(slot);
        if (!requests.running[slot]) {
            running--;
        }
    }

    /** Fixes the draft budgets of the decode rows that follow. */
    public void beginDecode() {
        decodeOrdinal = 0;
        if (options.size() == 1) {
            uniformOption = 0;
            return;
        }
        batch.collect();
        if (batch.requests == 0) {
            uniformOption = 0;
            return;
        }
        uniformOption = policy.choose(batch);
        if (uniformOption == BudgetPolicy.PER_REQUEST) {
            if (perRequestOption.length < batch.requests) {
                perRequestOption = new int[runningSlots.length];
            }
            policy.assign(batch, perRequestOption);
        }
    }

    /**
     * Rows of the next decodable request of the running list: its budget's width, 1 when an n-gram draft doesn't fire. To be
     * asked once for each, in order, between {@link #beginDecode} and {@link #addDecode}.
     */
    public int nextWidth(int slot) {
        lastOption = uniformOption >= 0 ? uniformOption : perRequestOption[decodeOrdinal];
        decodeOrdinal++;
        int width = widths[lastOption];
        if (width > 1) {
            double fireRate = fireRates[lastOption];
            if (fireRate < 1 && !fires(slot, fireRate)) {
                return 1;
            }
            if (setup.cutDrafts()) {
                return Math.min(width, remainingOutput(slot) - requests.inFlight[slot]);
            }
        }
        return width;
    }

    private boolean fires(int slot, double fireRate) {
        long key = CounterRandom.streamKey(runKey, Purpose.FIRE, requests.id[slot]);
        return CounterRandom.uniform(key, requests.roundsScheduled[slot]) < fireRate;
    }

    /** Adds the decode row of the request that {@link #nextWidth} was last asked for. */
    public void addDecode(int slot, int width) {
        int context = requests.isl[slot] + requests.generated[slot] + requests.inFlight[slot];
        if (!memory.reserve(slot, context - 1 + width)) {
            throw new IllegalStateException("a decode row was added without memory for it");
        }
        requests.inFlight[slot]++;
        requests.roundsScheduled[slot]++;
        step.addDecode(slot, requests.epoch[slot], width, lastOption, context);
    }

    /**
     * Takes a resident request out: it gives back all memory and will compute its prompt and what it emitted again; what its
     * steps in flight yield is lost.
     *
     * @param first true: it becomes the first of the queue; false: the last
     */
    public void preempt(int slot, boolean first) {
        int at = running - 1;
        while (runningSlots[at] != slot) {
            at--;
        }
        System.arraycopy(runningSlots, at + 1, runningSlots, at, running - at - 1);
        running--;
        if (remainingPrompt(slot) > 0) {
            unfinishedPrompts--;
        }
        memory.release(slot);
        requests.running[slot] = false;
        requests.epoch[slot]++;
        requests.inFlight[slot] = 0;
        requests.roundsScheduled[slot] = requests.rounds[slot];
        requests.target[slot] = requests.isl[slot] + requests.generated[slot];
        requests.prefilled[slot] = Math.min(requests.cached[slot], requests.target[slot] - 1);
        requests.preemptions[slot]++;
        preemptions++;
        if (first) {
            waiting.addFirst(slot);
        } else {
            waiting.addLast(slot);
        }
    }

    /** Notes that a request waits because max_running is reached. */
    public void noteWaitForRunning() {
        waitedForRunning = true;
    }

    /** Notes that a request waits because memory is too short. */
    public void noteWaitForMemory() {
        waitedForMemory = true;
    }

    // What the engine does.

    private int kvTokens(int slot, int width) {
        return requests.isl[slot] + requests.generated[slot] + requests.inFlight[slot] - 1 + width;
    }

    /** Starts building a step. */
    void begin(Step next, long now) {
        step = next;
        nowNs = now;
        waitedForRunning = false;
        waitedForMemory = false;
        next.clear();
    }

    boolean waitedForRunning() {
        return waitedForRunning;
    }

    boolean waitedForMemory() {
        return waitedForMemory;
    }

    long preemptions() {
        return preemptions;
    }

    /** Drops requests that finished from the running list, in order. */
    void compactRunning() {
        int kept = 0;
        for (int i = 0; i < running; i++) {
            int slot = runningSlots[i];
            if (requests.running[slot]) {
                runningSlots[kept++] = slot;
            }
        }
        running = kept;
    }

    /** What budget policies see, filled from the running list on demand. */
    private final class Batch implements BatchView {
        private final double[][] acceptLength;
        private final int[] perWorkload;
        private int[] workloadOf = new int[64];
        private int requests;
        private long context;

        Batch(List<ServedWorkload> workloads) {
            acceptLength = new double[workloads.size()][options.size()];
            perWorkload = new int[workloads.size()];
            for (int w = 0; w < acceptLength.length; w++) {
                for (int o = 0; o < options.size(); o++) {
                    acceptLength[w][o] = workloads.get(w).acceptLength(o, options.get(o));
                }
            }
        }

        void collect() {
            Arrays.fill(perWorkload, 0);
            requests = 0;
            context = 0;
            if (workloadOf.length < running) {
                workloadOf = new int[runningSlots.length];
            }
            RequestTable table = EngineState.this.requests;
            for (int i = 0; i < running; i++) {
                int slot = runningSlots[i];
                if (decodable(slot)) {
                    int w = table.workload[slot];
                    workloadOf[requests++] = w;
                    perWorkload[w]++;
                    context += table.isl[slot] + table.generated[slot] + table.inFlight[slot];
                }
            }
        }

        @Override
        public int requests() {
            return requests;
        }

        @Override
        public int workload(int i) {
            return workloadOf[i];
        }

        @Override
        public int requestsOf(int workload) {
            return perWorkload[workload];
        }

        @Override
        public int workloads() {
            return perWorkload.length;
        }

        @Override
        public double meanContext() {
            return (double) context / requests;
        }

        @Override
        public List<RoundOption> options() {
            return options;
        }

        @Override
        public double acceptLength(int workload, int option) {
            return acceptLength[workload][option];
        }

        @Override
        public long paddedRows(int option) {
            int width = widths[option];
            return setup.padding().rows(requests, width, (long) requests * width);
        }
    }
}
