package dev.foretoken.validation.validate;

import java.nio.file.Path;
import java.time.Duration;
import java.util.Set;

/**
 * How a live validation is run.
 *
 * @param arm which arm the server runs
 * @param requestsPerClient measured requests per closed-loop client (at least {@code leastRequests} in all)
 * @param leastRequests fewest measured requests per load
 * @param temperature sampling temperature
 * @param acceptanceRun natural answer lengths (ignore_eos off) instead of fixed ones
 * @param directory run files and measurements; null = keep nothing on disk
 * @param resume go on with run files that are there
 * @param run number of the run, from 1; null = one more than there are in the directory
 * @param limit time limit per load
 * @param allowed names of differences between server and scenario that the user accepts, "all" for every one
 */
public record LiveOptions(
        ArmChoice arm,
        int requestsPerClient,
        int leastRequests,
        double temperature,
        boolean acceptanceRun,
        Path directory,
        boolean resume,
        Integer run,
        Duration limit,
        Set<String> allowed) {
    public LiveOptions {
        allowed = Set.copyOf(allowed);
        if (requestsPerClient < 1 || leastRequests < 1) {
            throw new IllegalArgumentException(
                    "requests per client and in all must be at least 1: " + requestsPerClient + ", " + leastRequests);
        }
        if (run != null && run < 1) {
            throw new IllegalArgumentException("run must be at least 1: " + run);
        }
    }

    /** Defaults: three requests per client and 24 in all, temperature 0, fixed answer lengths, half an hour per load. */
    public static LiveOptions of(ArmChoice arm, Path directory) {
        return new LiveOptions(arm, 3, 24, 0, false, directory, false, null, Duration.ofMinutes(30), Set.of());
    }
}
