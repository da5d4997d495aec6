package dev.foretoken.validation.server;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.foretoken.formats.prometheus.Scrape;
import dev.foretoken.validation.client.Api;
import dev.foretoken.validation.client.RequestOptions;
import java.util.List;
import java.util.Optional;

/** vLLM: counters on /metrics under {@code vllm:}, summed over engines. */
final class VllmAdapter implements EngineAdapter {
    @Override
    public String id() {
        return "vllm";
    }

    @Override
    public boolean recognises(ServerPages pages) {
        return pages.owner().equals("vllm")
                || pages.metrics().samples().stream().anyMatch(s -> s.name().startsWith("vllm:"));
    }

    @Override
    public ServerSnapshot snapshot(ServerPages pages) {
        ServerSnapshot.Builder b = ServerSnapshot.of(id());
        JsonNode model = pages.json("/v1/models").path("data").path(0);
        Scrape m = pages.metrics();
        b.version = Pages.text(pages.json("/version").path("version"));
        b.model =
                Pages.text(model.path("root")) != null ? Pages.text(model.path("root")) : Pages.text(model.path("id"));
        b.contextTokens = Pages.integer(model.path("max_model_len"));
        b.running = Pages.sum(m, "vllm:num_requests_running");
        b.waiting = Pages.sum(m, "vllm:num_requests_waiting");
        b.generatedTokens = Pages.sum(m, "vllm:generation_tokens_total");
        b.promptTokens = Pages.sum(m, "vllm:prompt_tokens_total");
        b.cachedTokens = Pages.sum(m, "vllm:prefix_cache_hits_total");
        b.verifySteps = Pages.sum(m, "vllm:spec_decode_num_drafts_total");
        b.acceptedDrafts = Pages.sum(m, "vllm:spec_decode_num_accepted_tokens_total");
        b.preemptions = Pages.sum(m, "vllm:num_preemptions_total");
        b.targetSteps = Pages.sum(m, "vllm:iteration_tokens_total_count");
        if (b.generatedTokens != null && b.verifySteps == null) {
            b.speculative = "";
        } else if (b.verifySteps != null) {
            b.speculative = "on";
        }
        int positions = m.series("vllm:spec_decode_num_accepted_tokens_per_pos_total").stream()
                .map(s -> s.labels().get("position"))
                .distinct()
                .toList()
                .size();
        b.draftTokens = positions == 0 ? null : positions;
        b.metricsPage = pages.text("/metrics").orElse(null);
        return b.build();
    }

    @Override
    public void decorate(ObjectNode body, RequestOptions o) {
        body.putObject("stream_options").put("include_usage", true).put("continuous_usage_stats", true);
        if (o.api() == Api.COMPLETIONS) {
            body.put("return_token_ids", true);
        }
        if (o.ignoreEos()) {
            body.put("ignore_eos", true);
            body.put("min_tokens", body.path("max_tokens").asInt());
        }
        if (o.bypassPrefixCache()) {
            body.put("cache_salt", o.salt());
        }
    }

    @Override
    public Optional<String> flushRoute() {
        return Optional.of("/reset_prefix_cache");
    }

    @Override
    public List<String> forcingSwitch(ForcedDrafts f) {
        String how = f.survival() != null
                ? "\"synthetic_acceptance_rates\":[" + f.rates() + "]"
                : "\"synthetic_acceptance_length\":" + EngineAdapters.shortNumber(f.acceptLength());
        return List.of("--speculative-config '{\"method\":\"...\",\"num_speculative_tokens\":" + f.draftLength()
                + ",\"rejection_sample_method\":\"synthetic\"," + how + "}'");
    }
}
