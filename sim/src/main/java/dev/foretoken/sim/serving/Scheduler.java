package dev.foretoken.sim.serving;

/**
 * Decides what the next engine step runs. One class per engine family and one line in {@link Schedulers}; an instance
 * serves one run and may keep state. Every resident request must be able to finish: a scheduler that preempts must leave at
 * least one request running.
 */
public interface Scheduler {

    /**
     * Adds decode rows and prompt chunks to the step that is being built, admitting and preempting as needed. Adding nothing
     * means that there is nothing to do now; the engine asks again when a step returns or a request arrives.
     */
    void plan(EngineState engine);
}
