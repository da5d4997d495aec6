/**
 * The loop on a CPU: a real engine timed by the CPU seconds of its process, its round costs fitted, speculative runs predicted
 * from them and measured.
 *
 * <p>CPU seconds and not wall time are predicted: on a shared machine they are what a run costs whatever else runs.
 */
package dev.foretoken.calibration.host;
