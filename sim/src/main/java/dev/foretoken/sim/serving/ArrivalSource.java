package dev.foretoken.sim.serving;

/** Brings requests to the engine, by events that it schedules on the engine's clock. */
interface ArrivalSource {

    /** Schedules the first arrivals. */
    void start(ServingEngine engine);

    /** An arrival event that this source scheduled. */
    void arrive(ServingEngine engine, int data);

    /** A request of a client ended (served or refused). */
    default void done(ServingEngine engine, int client) {}

    /** True when no further request will come. */
    boolean exhausted();
}
