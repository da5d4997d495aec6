package dev.foretoken.calibration.fit;

/**
 * A timed point that no curve uses.
 *
 * @param file where it stands
 * @param id of the point
 * @param reason a sentence
 */
public record Rejected(String file, String id, String reason) {}
