package dev.foretoken.sim.scenario;

import java.util.List;

/**
 * Acceptance forced by an engine's switch, for timing runs.
 *
 * @param law "sglang": one length per batch and round, a floor/ceil mixture with the given mean; "per-request": survival
 *     rates per position
 * @param acceptLength mean tokens per round (law sglang), else null
 * @param rates survival rates (law per-request), else null
 */
public record ForcedAcceptance(String law, Double acceptLength, List<Double> rates) {
    public static final String SGLANG = "sglang";
    public static final String PER_REQUEST = "per-request";

    public ForcedAcceptance {
        if (law.equals(SGLANG)) {
            if (acceptLength == null || !(acceptLength >= 1) || Double.isInfinite(acceptLength)) {
                throw new IllegalArgumentException("law sglang needs accept_length of at least 1: " + acceptLength);
            }
        } else if (law.equals(PER_REQUEST)) {
            if (rates == null || rates.isEmpty()) {
                throw new IllegalArgumentException("law per-request needs rates");
            }
            rates = List.copyOf(rates);
            double last = 1;
            for (double r : rates) {
                if (!(r >= 0 && r <= last)) {
                    throw new IllegalArgumentException(
                            "rates are survival rates in [0, 1] that do not rise: " + r + " after " + last);
                }
                last = r;
            }
        } else {
            throw new IllegalArgumentException("law must be sglang or per-request: " + law);
        }
    }
}
