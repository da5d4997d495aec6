/** Reads {@code foretoken/scenario/1}: files to {@link dev.foretoken.sim.scenario.Scenario}, one per variant of its axes. */
package dev.foretoken.formats.scenario;
