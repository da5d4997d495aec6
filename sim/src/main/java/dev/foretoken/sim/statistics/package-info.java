/** Statistics of simulation output, of fits and of predictions against measurements. */
package dev.foretoken.sim.statistics;
