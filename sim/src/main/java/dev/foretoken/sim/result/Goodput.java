package dev.foretoken.sim.result;

import java.util.Map;

/**
 * Largest load at which a method's best arm meets every limit, of the loads that can be compared: closed loops by clients, open
 * loops of one kind (gamma: of one burstiness) by rate, each trace for itself.
 *
 * @param loadKind closed, poisson, gamma or trace; null in results of before loads were told apart
 * @param load null when the limits are met at no such load of the grid
 */
public record Goodput(
        Map<String, String> variant,
        String workload,
        int tp,
        String method,
        String loadKind,
        Point.LoadPoint load,
        Integer budget,
        Double outputTokS) {}
