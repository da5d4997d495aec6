/** What a run says: latencies, throughput in the loaded window, rounds recovered from the events of streams. */
package dev.foretoken.validation.measure;
