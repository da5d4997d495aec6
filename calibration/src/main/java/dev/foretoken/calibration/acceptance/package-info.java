/**
 * From what engines log to acceptance laws: fits of the spine, rank, tail family, their intervals, what would narrow them, how
 * well simpler laws do, extrapolation of published curves, and exact replay of logged drafter marginals.
 *
 * <p>A fit takes {@link dev.foretoken.calibration.acceptance.Evidence} of any mix of kinds. The likelihood treats rounds as
 * independent, which they are not: intervals are widened by the clustering of rounds in requests.
 */
package dev.foretoken.calibration.acceptance;
