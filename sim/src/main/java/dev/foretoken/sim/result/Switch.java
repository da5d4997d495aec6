package dev.foretoken.sim.result;

import java.util.Map;

/** Method and budget to use at one closed-loop concurrency and TP. */
public record Switch(
        Map<String, String> variant,
        String workload,
        int concurrency,
        int tp,
        String method,
        Integer budget,
        Integer topK,
        Integer draftTokens) {}
