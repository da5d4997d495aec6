/**
 * Event kernel: an integer nanosecond clock and a queue ordered by (time, priority, sequence). Events are one {@code long}
 * of payload; what it means belongs to the owner of the queue.
 */
package dev.foretoken.sim.event;
