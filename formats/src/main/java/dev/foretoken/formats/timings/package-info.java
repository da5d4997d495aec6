/** What the timing tool writes (foretoken/kernel-timings/1). */
package dev.foretoken.formats.timings;
