package dev.foretoken.sim.profile;

import java.util.List;

/**
 * Where timings come from.
 *
 * @param name package, tool or server
 * @param version its version
 * @param licence licence of the figures, null when they are the user's own
 * @param tables tables or files that were read
 * @param measured true for timings taken on the user's own card; false for published ones
 */
public record ProfileSource(String name, String version, String licence, List<String> tables, boolean measured) {
    public ProfileSource {
        if (name == null || name.isBlank()) {
            throw new IllegalArgumentException("a profile says where it comes from: source.name is empty");
        }
        tables = List.copyOf(tables);
    }
}
