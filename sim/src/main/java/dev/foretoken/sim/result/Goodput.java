package dev.foretoken.sim.result;

import java.util.Map;

/** Largest load at which a method's best arm meets every limit; null when it meets them at no load of the grid. */
public record Goodput(
        Map<String, String> variant,
        String workload,
        int tp,
        String method,
        Point.LoadPoint load,
        Integer budget,
        Double outputTokS) {}
