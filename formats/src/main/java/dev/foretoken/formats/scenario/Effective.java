package dev.foretoken.formats.scenario;

/**
 * One value that a scenario runs with and where it came from.
 *
 * @param key path in the scenario
 * @param value as text
 * @param origin file and line, or whose default it is
 */
public record Effective(String key, String value, String origin) {}
