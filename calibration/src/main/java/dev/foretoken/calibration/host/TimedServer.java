package dev.foretoken.calibration.host;

import java.io.IOException;
import java.util.List;

/** A server on this machine that can be started under forced speculation and timed by the CPU seconds of its process. */
public interface TimedServer {
    /** Told of every load as it ends. */
    @FunctionalInterface
    interface Finished {
        /** A load has ended. */
        void load(LoopLoad load, RunCost cost);
    }

    /**
     * Starts the server, warms it up with one request, runs the loads one after the other, and stops it. Request i of a load
     * uses {@link Prompts#counting(int, int)} of i, greedily, to its full length, without a prompt cache.
     *
     * @return one cost per load, in order
     * @throws IOException when the server does not start or a request fails
     */
    List<RunCost> run(ForcedSpeculation speculation, List<LoopLoad> loads, Finished finished)
            throws IOException, InterruptedException;
}
