package dev.foretoken.validation.importers;

import com.fasterxml.jackson.annotation.JsonInclude;
import dev.foretoken.sim.result.Point;
import dev.foretoken.validation.compare.Conditions;
import dev.foretoken.validation.compare.Figure;
import dev.foretoken.validation.compare.Figures;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;

/**
 * One run of a benchmark client in this project's definitions. Null = the file does not say.
 *
 * @param source file name and place in it
 * @param client client and version
 * @param conditions what the file says of card, model and load
 * @param speculative speculation method as the file names it; empty when it says there is none
 * @param draftTokens drafts (or verified tokens) per round
 * @param concurrency closed-loop clients
 * @param ratePerS arrivals per second
 * @param prompts prompts that were sent, as the file says; no more than so many are different
 * @param completed answers that count
 * @param failed answers that failed
 * @param outputTokS output tokens per second over the client's own window
 * @param ttftMs time to first token
 * @param tpotMs decode time per token, (last token - first token) / (n - 1)
 * @param e2eMs latency
 * @param roundGapMs gaps between events that carry tokens; a round where one event is one round
 * @param acceptLength tokens per round, bonus included
 * @param survival P(at least i + 1 drafts accepted)
 * @param meanPromptTokens mean prompt length
 * @param meanOutputTokens mean answer length
 * @param peakTokS reported peak of output tokens per second
 * @param prefillMsPerToken prefill time per prompt token, where the client measures it alone
 * @param requests per request, where the file has them
 * @param converted definitions that were converted and figures that were ignored, each a sentence
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
public record ImportedRun(
        String source,
        String client,
        Conditions conditions,
        String speculative,
        Integer draftTokens,
        Integer concurrency,
        Double ratePerS,
        Long prompts,
        Long completed,
        Long failed,
        Double outputTokS,
        Point.Stat ttftMs,
        Point.Stat tpotMs,
        Point.Stat e2eMs,
        Point.Stat roundGapMs,
        Double acceptLength,
        double[] survival,
        Double meanPromptTokens,
        Double meanOutputTokens,
        Double peakTokS,
        Double prefillMsPerToken,
        List<ImportedRequest> requests,
        List<String> converted) {

    public ImportedRun {
        requests = List.copyOf(requests);
        converted = List.copyOf(converted);
        positive("output tok/s", outputTokS);
        positive("accept length", acceptLength);
        if (acceptLength != null && acceptLength < 1) {
            throw new IllegalArgumentException("accept length is below 1: " + acceptLength);
        }
        if (outputTokS == null && tpotMs == null && ttftMs == null && prefillMsPerToken == null) {
            throw new IllegalArgumentException("no figure that can be compared");
        }
    }

    private static void positive(String name, Double v) {
        if (v != null && (!(v > 0) || Double.isInfinite(v))) {
            throw new IllegalArgumentException(name + " must be finite and positive: " + v);
        }
    }

    /**
     * One request of a run.
     *
     * @param promptTokens prompt length
     * @param outputTokens answer length
     * @param ttftMs time to first token
     * @param e2eMs latency
     * @param gapsMs gaps between events, null if unknown
     */
    @JsonInclude(JsonInclude.Include.NON_NULL)
    public record ImportedRequest(
            Integer promptTokens, Integer outputTokens, Double ttftMs, Double e2eMs, double[] gapsMs) {}

    /** The number of different prompts behind the figures, where the file tells it: one request has one prompt. */
    public Integer distinctPrompts() {
        Long one = 1L;
        return one.equals(prompts) || one.equals(completed) ? Integer.valueOf(1) : null;
    }

    /** What a comparison needs and the file does not say. */
    public List<String> missing() {
        List<String> m = new ArrayList<>(conditions.missing());
        if (speculative == null) {
            m.add("method");
        }
        return m;
    }

    /** Values to compare. */
    public Figures figures() {
        Map<Figure, Double> v = new EnumMap<>(Figure.class);
        v.put(Figure.OUTPUT_TOK_S, outputTokS);
        v.put(Figure.TTFT_MS, mean(ttftMs));
        v.put(Figure.TPOT_MS, mean(tpotMs));
        v.put(Figure.E2E_MS, mean(e2eMs));
        v.put(Figure.ROUND_GAP_MS, mean(roundGapMs));
        v.put(Figure.ACCEPT_LENGTH, acceptLength);
        return new Figures(v);
    }

    private static Double mean(Point.Stat s) {
        return s == null || s.mean() == null || s.mean() <= 0 ? null : s.mean();
    }
}
