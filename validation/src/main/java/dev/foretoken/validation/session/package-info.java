/**
 * A live endpoint from first contact to a verdict: probe, tiny completion, runs with snapshots of the server before and after,
 * prompts that are new in every run, the concurrency sweep.
 */
package dev.foretoken.validation.session;
