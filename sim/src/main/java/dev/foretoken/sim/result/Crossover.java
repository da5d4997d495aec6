package dev.foretoken.sim.result;

import java.util.Map;

/**
 * Where a method stops paying: the closed-loop concurrency at which its best arm falls to autoregressive decoding.
 *
 * @param concurrency interpolated on a log scale between the grid's neighbours; null when it does not happen on the grid
 * @param verdict one sentence: gains everywhere, loses everywhere, or where it crosses
 */
public record Crossover(
        Map<String, String> variant, String workload, int tp, String method, Double concurrency, String verdict) {}
