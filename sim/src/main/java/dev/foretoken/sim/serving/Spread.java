package dev.foretoken.sim.serving;

/** Mean and percentiles of a time, ms, each with its interval. */
public record Spread(Estimate mean, Estimate p50, Estimate p95, Estimate p99) {}
