package dev.foretoken.validation.session;

import dev.foretoken.formats.json.Json;
import dev.foretoken.validation.client.RequestOptions;
import dev.foretoken.validation.client.RequestSource;
import dev.foretoken.validation.client.RunPlan;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.TreeMap;

/**
 * What one run is to do.
 *
 * @param name shown and written
 * @param plan load and counts
 * @param source requests
 * @param options what every request asks for
 * @param maxTokensPerRound draft length + 1, null if unknown
 * @param speculative whether the method under test speculates
 * @param file run file, null = keep nothing on disk
 * @param resume go on with an existing file
 * @param settings further settings for the header; they must be equal to resume
 */
public record RunSpec(
        String name,
        RunPlan plan,
        RequestSource source,
        RequestOptions options,
        Integer maxTokensPerRound,
        boolean speculative,
        Path file,
        boolean resume,
        Map<String, String> settings) {
    public RunSpec {
        settings = java.util.Collections.unmodifiableMap(new TreeMap<>(settings));
    }

    /** Hash of everything that must be equal to resume; the salt is new in every process and left out. */
    String fingerprint(String endpoint, String model) {
        Map<String, Object> all = new LinkedHashMap<>();
        all.put("name", name);
        all.put("load", plan.load().label());
        all.put("warmup", plan.warmup());
        all.put("measured", plan.measured());
        all.put("seed", plan.seed());
        all.put("api", options.api().name());
        all.put("temperature", options.temperature());
        all.put("ignore_eos", options.ignoreEos());
        all.put("endpoint", endpoint);
        all.put("model", model);
        all.put("settings", settings);
        return Json.hash(all);
    }
}
