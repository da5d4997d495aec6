/**
 * Kernel timings to curves: which rows count, stairs and hinges, intervals, and how curves of the user's own card take the
 * place of published ones.
 *
 * <p>{@link dev.foretoken.calibration.fit.KernelFit} is the entry. A curve is a piecewise fit: between stairs a constant, a
 * rising line or a hinge, chosen by penalised likelihood with the penalty chosen by held-out error. All times are
 * microseconds; all relative quantities are fractions.
 */
package dev.foretoken.calibration.fit;
