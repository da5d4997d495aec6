/**
 * White box: the time of a round from kernel timings, shapes, tensor parallelism, number formats and engine.
 *
 * <p>{@link dev.foretoken.sim.whitebox.Kernels} answers for one card, profile and link; {@link
 * dev.foretoken.sim.whitebox.ModelPass} is one pass of a model on one rank; {@link dev.foretoken.sim.whitebox.WhiteBox} is
 * the round of one arm. Times inside are microseconds, at the boundary milliseconds. Each term with its formula and source
 * is in docs/white-box.md.
 *
 * <p>{@link dev.foretoken.sim.whitebox.Mode#TABLE} adds kernel timings as tables have them, for checks; {@link
 * dev.foretoken.sim.whitebox.Mode#SERVING} is what a server would see: caches cold, every kernel of the round, host time.
 */
package dev.foretoken.sim.whitebox;
