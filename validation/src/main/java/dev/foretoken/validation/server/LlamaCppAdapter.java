package dev.foretoken.validation.server;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.foretoken.formats.prometheus.Scrape;
import dev.foretoken.validation.client.RequestOptions;
import java.util.List;
import java.util.Optional;

/** llama.cpp server: /props for its slots, /metrics (with --metrics) for counters under {@code llamacpp:}. */
final class LlamaCppAdapter implements EngineAdapter {
    @Override
    public String id() {
        return "llama.cpp";
    }

    @Override
    public boolean recognises(ServerPages pages) {
        return pages.owner().equals("llamacpp")
                || pages.json("/props").has("total_slots")
                || pages.metrics().samples().stream().anyMatch(s -> s.name().startsWith("llamacpp:"));
    }

    @Override
    public ServerSnapshot snapshot(ServerPages pages) {
        ServerSnapshot.Builder b = ServerSnapshot.of(id());
        JsonNode p = pages.json("/props");
        Scrape m = pages.metrics();
        b.version = Pages.text(p.path("build_info"));
        b.model = Pages.text(p.path("model_alias"));
        b.tp = 1;
        b.quantization = Pages.text(p.path("model_ftype"));
        b.slots = Pages.integer(p.path("total_slots"));
        b.contextTokens = Pages.integer(p.path("default_generation_settings").path("n_ctx"));
        b.running = Pages.sum(m, "llamacpp:requests_processing");
        b.waiting = Pages.sum(m, "llamacpp:requests_deferred");
        b.generatedTokens = Pages.sum(m, "llamacpp:tokens_predicted_total");
        b.promptTokens = Pages.sum(m, "llamacpp:prompt_tokens_total");
        b.cachedTokens = Pages.sum(m, "llamacpp:prompt_tokens_cached_total");
        b.verifySteps = Pages.sum(m, "llamacpp:spec_decode_num_drafts_total");
        b.acceptedDrafts = Pages.sum(m, "llamacpp:spec_decode_num_accepted_tokens_total");
        b.targetSteps = Pages.sum(m, "llamacpp:n_decode_total");
        String types =
                Pages.text(p.path("default_generation_settings").path("params").path("speculative.types"));
        b.speculative = types == null ? null : types.equals("none") ? "" : types;
        b.metricsPage = pages.text("/metrics").orElse(null);
        return b.build();
    }

    @Override
    public void decorate(ObjectNode body, RequestOptions o) {
        body.putObject("stream_options").put("include_usage", true);
        if (o.ignoreEos()) {
            body.put("ignore_eos", true);
        }
        if (o.bypassPrefixCache()) {
            body.put("cache_prompt", false);
        }
    }

    @Override
    public Optional<String> flushRoute() {
        return Optional.empty();
    }

    @Override
    public List<String> forcingSwitch(ForcedDrafts f) {
        return List.of(
                f.survival() != null
                        ? "--spec-draft-n-max " + f.draftLength() + " --spec-synth-rates " + f.rates()
                        : "--spec-draft-n-max " + f.draftLength() + " --spec-synth-len "
                                + EngineAdapters.shortNumber(f.acceptLength()));
    }
}
