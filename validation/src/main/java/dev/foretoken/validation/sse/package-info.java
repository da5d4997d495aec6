/**
 * Server-sent events as inference servers send them: {@link dev.foretoken.validation.sse.SseDecoder} turns bytes into events,
 * {@link dev.foretoken.validation.sse.StreamChunk} reads one event of a completion stream of any of the engines.
 */
package dev.foretoken.validation.sse;
