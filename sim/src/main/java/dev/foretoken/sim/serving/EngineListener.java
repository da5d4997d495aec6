package dev.foretoken.sim.serving;

/** Told what happens in a run, in order of time. Without listeners the engine allocates nothing per round. */
public interface EngineListener {

    /** A request arrived. */
    default void arrived(long timeNs) {}

    /** A request emitted its last token. */
    default void completed(ServedRequest request) {}

    /** A step returned. */
    default void stepped(EngineStep step) {}
}
