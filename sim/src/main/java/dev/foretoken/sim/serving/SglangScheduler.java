package dev.foretoken.sim.serving;

/**
 * SGLang's default scheduler: prefill first. While a prompt is unfinished, or waiting requests can be admitted, the step is
 * a prefill round of up to {@code chunkTokens} prompt tokens and every resident request stalls; otherwise it is a decode
 * round of all of them.
 *
 * <p>Admission (PrefillAdder): a request joins while the running requests are fewer than max_running and the free KV exceeds
 * its prompt plus its output (at most 4096 tokens of it) plus what the running requests are expected to add: their
 * remaining output times the new-token ratio. The ratio starts at 0.7, falls to 0.14 x 0.7 over 600 decode rounds, is set
 * anew after a retraction and starts over when the engine runs empty.
 *
 * <p>Retraction: when the next decode round does not fit, requests leave until it does, the one with the fewest emitted
 * tokens first (the longest prompt among equals), with speculation the one that joined last; they go to the end of the
 * queue and prefill again what they had.
 */
final class SglangScheduler implements Scheduler {
    private static final double INIT_RATIO = 0.7;
    private static final double MIN_RATIO = INIT_RATIO * 0.14;
    private static final double DECAY = (INIT_RATIO - MIN_RATIO) / 600;
    private static final int RETRACT_DECODE_STEPS = 20;
    private static final int CLIP_NEW_TOKENS = 4096;

    private double newTokenRatio = INIT_RATIO;

    @Override
    public void plan(EngineState engine) {
        if (engine.runningCount() == 0) {
            newTokenRatio = INIT_RATIO;
        }
        if (planPrefill(engine)) {
            return;
        }
        if (engine.runningCount() > 0) {
            planDecode(engine);
        }
    }

    private boolean planPrefill(EngineState engine) {
        int budget = engine.setup().chunkTokens();
        boolean any = false;
        int unfinished = engine.unfinishedPrompt();
        if (unfinished >= 0) {
            int tokens = Math.min(budget, engine.remainingPrompt(unfinished));
            if (!engine.reservePrompt(unfinished, tokens)) {
                engine.preempt(unfinished, false);
                return false;
            }
            engine.addChunk(unfinished, tokens);
            budget -= tokens;
            any = true;
        }
        if (engine.waitingCount() == 0) {
            return any;
        }
        boolean limited = engine.kvLimited();
        double expected = limited ? expectedGrowth(engine) : 0;
        while (budget > 0 && engine.waitingCount() > 0) {
            if (engine.runningCount() >= engine.setup().maxRunning()) {
                engine.noteWaitForRunning();
                break;
            }
            int slot = engine.waitingHead();
            int prompt = engine.remainingPrompt(slot);
            int tokens = Math.min(prompt, budget);
            if (limited) {
                double output = Math.min(engine.remainingOutput(slot), CLIP_NEW_TOKENS);
                double free = engine.freeKvTokens() - expected;
                if (engine.runningCount() > 0 && engine.promptTarget(slot) + output >= free) {
                    engine.noteWaitForMemory();
                    break;
                }
                int page = engine.pageTokens();
                if (tokens < prompt && tokens >= page) {
                    tokens = tokens / page * page;
                }
            }
            if (!engine.admitHead(tokens)) {
                engine.noteWaitForMemory();
                break;
            }
            if (limited) {
                expected += prompt - tokens + Math.min(engine.remainingOutput(slot), CLIP_NEW_TOKENS);
            }
            engine.addChunk(slot, tokens);
            budget -= tokens;
            any = true;
        }
        return any;
    }

    private double expectedGrowth(EngineState engine) {
        double sum = 0;
        for (int i = 0; i < engine.runningCount(); i++) {
            sum += Math.min(engine.remainingOutput(engine.running(i)), CLIP_NEW_TOKENS) * newTokenRatio;
        }
        return sum;
    }

    private void planDecode(EngineState engine) {
        newTokenRatio = Math.max(MIN_RATIO, newTokenRatio - DECAY);
        if (engine.kvLimited()) {
            retractUntilDecodeFits(engine);
        }
        engine.beginDecode();
        for (int i = 0; i < engine.runningCount(); i++) {
            int slot = engine.running(i);
            if (engine.decodable(slot)) {
                engine.addDecode(slot, engine.nextWidth(slot));
            }
        }
    }

    private void retractUntilDecodeFits(EngineState engine) {
        boolean retracted = false;
        while (engine.runningCount() > 1 && !engine.decodeFits()) {
            engine.preempt(victim(engine), false);
            retracted = true;
        }
        if (!engine.decodeFits()) {
            throw new SimulationRefused(
                    SimulationRefused.Reason.NO_PROGRESS, "the last resident request no longer fits into memory");
        }
        if (retracted) {
            long emitted = 0;
            long wanted = 0;
            for (int i = 0; i < engine.runningCount(); i++) {
                int slot = engine.running(i);
                emitted += engine.emitted(slot);
                wanted += engine.emitted(slot) + (long) engine.remainingOutput(slot);
            }
            double perRequest = (double) RETRACT_DECODE_STEPS * engine.runningCount();
            newTokenRatio = Math.min(1, (emitted + perRequest) / (wanted + 1));
        }
    }

    private static int victim(EngineState engine) {
        int last = engine.running(engine.runningCount() - 1);
        if (engine.speculative()) {
            return last;
        }
        int victim = last;
        for (int i = engine.runningCount() - 2; i >= 0; i--) {
            int slot = engine.running(i);
            int fewer = Integer.compare(engine.emitted(slot), engine.emitted(victim));
            if (fewer < 0 || (fewer == 0 && engine.promptTokens(slot) > engine.promptTokens(victim))) {
                victim = slot;
            }
        }
        return victim;
    }
}
