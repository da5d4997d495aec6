/** The Prometheus text format as inference servers print it: lines, scrapes, growth of counters with resets. */
package dev.foretoken.formats.prometheus;
