/** Timelines of simulated runs in the Trace Event Format, which Perfetto and chrome://tracing open. */
package dev.foretoken.formats.timeline;
