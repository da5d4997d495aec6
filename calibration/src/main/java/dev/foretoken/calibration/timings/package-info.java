/** The native timing tool from Java: the shapes it times, and running it. */
package dev.foretoken.calibration.timings;
