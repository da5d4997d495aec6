/** Requests as CSV: traces that drive a simulation or a load test, and what became of each request. */
package dev.foretoken.formats.requests;
