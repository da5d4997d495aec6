/**
 * Closed forms of speculative decoding and of queues: fast answers, limits and checks of the simulator. Times are in whatever
 * unit the caller uses throughout; rates are per that unit.
 */
package dev.foretoken.sim.formula;
