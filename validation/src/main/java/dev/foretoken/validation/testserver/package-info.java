/**
 * Servers to test against: {@link dev.foretoken.validation.testserver.FakeServer} plays an engine with known truth inside this
 * JVM, with faults on demand; {@link dev.foretoken.validation.testserver.LlamaServer} starts a real llama.cpp server on the
 * CPU. Both listen on the loopback interface only.
 */
package dev.foretoken.validation.testserver;
