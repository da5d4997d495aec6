package dev.foretoken.sim.analytical;

/** The server as a load-dependent station: its state for each number of resident requests. */
public interface Station {
    /** State with n resident requests, n = 1..maxResident. */
    StationState at(int n);

    /** Largest number of resident requests (max_running or memory); {@link Integer#MAX_VALUE} when unlimited. */
    int maxResident();
}
