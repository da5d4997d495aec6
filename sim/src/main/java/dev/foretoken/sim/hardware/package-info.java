/** Cards and the links between them, as facts with their sources. Absent figures are unknown, never 0. */
package dev.foretoken.sim.hardware;
