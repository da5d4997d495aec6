package dev.foretoken.sim.serving;

import java.util.List;

/** What a budget policy may know of the next decode round. Reused from round to round. */
public interface BatchView {

    /** Requests that will decode, at least 1. */
    int requests();

    /** Workload of request i, 0 <= i < requests(), in the order of the running list. */
    int workload(int i);

    /** Requests of a workload. */
    int requestsOf(int workload);

    /** Number of workloads in the run. */
    int workloads();

    /** Mean KV length, tokens. */
    double meanContext();

    /** Ways to run a round. */
    List<RoundOption> options();

    /** Mean tokens per round of a request of a workload under an option. */
    double acceptLength(int workload, int option);

    /** Rows after CUDA-graph padding when every request runs under one option. */
    long paddedRows(int option);
}
