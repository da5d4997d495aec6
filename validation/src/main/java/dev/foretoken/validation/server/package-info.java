/**
 * What a server says about itself: one adapter per engine, registered in {@link
 * dev.foretoken.validation.server.EngineAdapters}; snapshots before and after a run; what the difference means.
 */
package dev.foretoken.validation.server;
