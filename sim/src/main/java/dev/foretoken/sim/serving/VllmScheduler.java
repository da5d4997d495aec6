package dev.foretoken.sim.serving;

/**
 * vLLM v1's scheduler. A step has a budget of max_batched_tokens query tokens. The running list comes first, in its order:
 * decode rows (with their drafts) and the next chunk of an unfinished prompt; then waiting requests first come, first
 * served, in chunks, while budget is left and fewer than max_running run. A waiting request joins only when free pages hold
 * all that it must compute ({@code scheduler_reserve_full_isl}, on by default as of 0.19), but takes pages chunk by chunk.
 *
 * <p>When a running request gets no KV pages, the last of the running list is preempted: it gives back everything, goes to
 * the front of the queue and computes its prompt and what it had emitted again. No request is admitted in a step that
 * preempted. With several batches in flight a request whose steps in flight are sure to reach its last token is left out of
 * the next step, while its place stays taken until they return.
 */
final class VllmScheduler implements Scheduler {
    @Override
    public void plan(EngineState engine) {
        if (engine.prefillIsFree()) {
            admitWithoutCost(engine);
        }
        int budget = engine.setup().maxBatchedTokens();
        boolean preempted = false;
        engine.beginDecode();
        for (int i = 0; i < engine.runningCount() && budget > 0; i++) {
            int slot = engine.running(i);
            int prompt = engine.remainingPrompt(slot);
            if (prompt > 0) {
                int tokens = Math.min(prompt, budget);
                while (!engine.reservePrompt(slot, tokens)) {
                    preempted = true;
                    if (preemptLast(engine, slot)) {
                        tokens = 0;
                        break;
                    }
                }
                if (tokens > 0) {
                    engine.addChunk(slot, tokens);
                    budget -= tokens;
                }
            } else if (engine.decodable(slot)) {
                int width = Math.min(engine.nextWidth(slot), budget);
                while (!engine.reserveDecode(slot, width)) {
                    preempted = true;
                    if (preemptLast(engine, slot)) {
                        width = 0;
                        break;
                    }
                }
                if (width > 0) {
                    engine.addDecode(slot, width);
                    budget -= width;
                }
            }
        }
        if (!preempted) {
            admit(engine, budget);
        }
    }

    /** Preempts the last of the running list; true when that is the request itself. */
    private static boolean preemptLast(EngineState engine, int slot) {
        int last = engine.running(engine.runningCount() - 1);
        engine.preempt(last, true);
        return last == slot;
    }

    private static void admit(EngineState engine, int budget) {
        int left = budget;
        while (left > 0 && engine.waitingCount() > 0) {
            if (engine.runningCount() >= engine.setup().maxRunning()) {
                engine.noteWaitForRunning();
                return;
            }
            int slot = engine.waitingHead();
            int tokens = Math.min(engine.remainingPrompt(slot), left);
            if (!engine.promptFits(slot) || !engine.admitHead(tokens)) {
                engine.noteWaitForMemory();
                return;
            }
            engine.addChunk(slot, tokens);
            left -= tokens;
        }
    }

    /** Prompts that take no time are no part of a step: their requests decode in the round that starts now. */
    private static void admitWithoutCost(EngineState engine) {
        while (engine.waitingCount() > 0) {
            if (engine.runningCount() >= engine.setup().maxRunning()) {
                engine.noteWaitForRunning();
                return;
            }
            int slot = engine.waitingHead();
            if (!engine.admitHead(engine.remainingPrompt(slot))) {
                engine.noteWaitForMemory();
                return;
            }
            engine.completePrompt(slot);
        }
    }
}
