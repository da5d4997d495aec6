package dev.foretoken.validation.client;

import com.fasterxml.jackson.annotation.JsonInclude;
import java.util.List;
import java.util.Map;

/**
 * First line of a run file and of each resumed segment in it.
 *
 * @param schema {@value #SCHEMA}
 * @param run name of the run
 * @param fingerprint hash of what must be equal to resume: plan, prompts' seed, endpoint, model
 * @param segment number of the segment, from 0
 * @param startedAt wall clock, ms since 1970; a label only
 * @param endpoint address without secrets
 * @param model model asked for
 * @param engine engine and version as found, null if unknown
 * @param load label of the load
 * @param warmup warm-up requests
 * @param measured measured requests
 * @param salt text that made the prompts new
 * @param settings everything else that was set, by name
 * @param notes what was noticed before the run
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
public record RunHeader(
        String schema,
        String run,
        String fingerprint,
        int segment,
        long startedAt,
        String endpoint,
        String model,
        String engine,
        String load,
        int warmup,
        int measured,
        String salt,
        Map<String, String> settings,
        List<String> notes) {
    public static final String SCHEMA = "foretoken/run/1";

    RunHeader inSegment(int number, long now) {
        return new RunHeader(
                schema,
                run,
                fingerprint,
                number,
                now,
                endpoint,
                model,
                engine,
                load,
                warmup,
                measured,
                salt,
                settings,
                notes);
    }
}
