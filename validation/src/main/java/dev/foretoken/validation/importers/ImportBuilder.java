package dev.foretoken.validation.importers;

import dev.foretoken.sim.result.Point;
import dev.foretoken.validation.compare.Conditions;
import dev.foretoken.validation.validate.LoadLabels;
import java.util.ArrayList;
import java.util.List;

/** Collects what a file says of one run. */
final class ImportBuilder {
    private final String source;
    private final String client;
    final List<String> converted = new ArrayList<>();
    final List<ImportedRun.ImportedRequest> requests = new ArrayList<>();
    String gpu;
    Integer tp;
    String model;
    String quantization;
    String engine;
    String version;
    Integer slots;
    String speculative;
    Integer draftTokens;
    Integer concurrency;
    Double ratePerS;
    Double burstiness;
    Long prompts;
    Long completed;
    Long failed;
    Double outputTokS;
    Point.Stat ttftMs;
    Point.Stat tpotMs;
    Point.Stat e2eMs;
    Point.Stat roundGapMs;
    Double acceptLength;
    double[] survival;
    Double meanPromptTokens;
    Double meanOutputTokens;
    Double peakTokS;
    Double prefillMsPerToken;

    ImportBuilder(String source, String client) {
        this.source = source;
        this.client = client;
    }

    void note(String sentence) {
        if (!converted.contains(sentence)) {
            converted.add(sentence);
        }
    }

    ImportedRun build() {
        String load = concurrency != null
                ? LoadLabels.closed(concurrency)
                : ratePerS == null || (burstiness != null && burstiness != 1) ? null : LoadLabels.poisson(ratePerS);
        Conditions c = new Conditions(
                gpu,
                tp,
                model,
                quantization,
                meanPromptTokens,
                meanOutputTokens,
                load,
                engine,
                version,
                slots,
                null,
                null,
                null,
                null);
        return new ImportedRun(
                source,
                client,
                c,
                speculative,
                draftTokens,
                concurrency,
                ratePerS,
                prompts,
                completed,
                failed,
                outputTokS,
                ttftMs,
                tpotMs,
                e2eMs,
                roundGapMs,
                acceptLength,
                survival,
                meanPromptTokens,
                meanOutputTokens,
                peakTokS,
                prefillMsPerToken,
                requests,
                converted);
    }
}
