package dev.foretoken.validation.server;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.foretoken.formats.prometheus.Scrape;
import dev.foretoken.validation.client.RequestOptions;
import java.util.List;
import java.util.Optional;

/**
 * SGLang: {@code /server_info} (or its deprecated alias {@code /get_server_info}) has the whole configuration, /metrics (with
 * --enable-metrics) the counters. The lifetime accept length of {@code internal_states} is per rank, updated every 40 steps and
 * zeroed by a flush, so it is not used.
 */
final class SglangAdapter implements EngineAdapter {
    @Override
    public String id() {
        return "sglang";
    }

    @Override
    public boolean recognises(ServerPages pages) {
        return pages.owner().equals("sglang")
                || pages.metrics().samples().stream().anyMatch(s -> s.name().startsWith("sglang:"))
                || info(pages).has("speculative_algorithm");
    }

    private static JsonNode info(ServerPages pages) {
        JsonNode n = pages.json("/server_info");
        return n.isObject() ? n : pages.json("/get_server_info");
    }

    @Override
    public ServerSnapshot snapshot(ServerPages pages) {
        ServerSnapshot.Builder b = ServerSnapshot.of(id());
        JsonNode i = info(pages);
        Scrape m = pages.metrics();
        b.version = Pages.text(i.path("version"));
        b.model = Pages.text(i.path("model_path"));
        b.tp = Pages.integer(i.path("tp_size"));
        b.quantization = Pages.text(i.path("quantization"));
        b.contextTokens = Pages.integer(i.path("context_length"));
        b.slots = Pages.integer(i.path("max_running_requests"));
        if (i.has("speculative_algorithm")) {
            String algorithm = Pages.text(i.path("speculative_algorithm"));
            b.speculative = algorithm == null ? "" : algorithm;
        }
        b.draftTokens = Pages.integer(i.path("speculative_num_draft_tokens"));
        b.graphBatch = Pages.largest(i.path("cuda_graph_bs"));
        if (b.graphBatch == null) {
            b.graphBatch = Pages.integer(i.path("cuda_graph_max_bs"));
        }
        if (i.path("disable_cuda_graph").asBoolean(false)) {
            b.graphBatch = 0;
        }
        b.running = Pages.sum(m, "sglang:num_running_reqs");
        b.waiting = Pages.sum(m, "sglang:num_queue_reqs");
        b.generatedTokens = Pages.sum(m, "sglang:generation_tokens_total");
        b.promptTokens = Pages.sum(m, "sglang:prompt_tokens_total");
        b.cachedTokens = Pages.sum(m, "sglang:cached_tokens_total");
        b.verifySteps = Pages.sum(m, "sglang:spec_verify_calls_total");
        b.preemptions = Pages.sum(m, "sglang:num_retracted_requests_total");
        b.metricsPage = pages.text("/metrics").orElse(null);
        return b.build();
    }

    @Override
    public void decorate(ObjectNode body, RequestOptions o) {
        body.putObject("stream_options").put("include_usage", true).put("continuous_usage_stats", true);
        body.put("return_spec_tokens_details", true);
        if (o.ignoreEos()) {
            body.put("ignore_eos", true);
            body.put("min_tokens", body.path("max_tokens").asInt());
        }
    }

    @Override
    public Optional<String> flushRoute() {
        return Optional.of("/flush_cache");
    }

    @Override
    public List<String> forcingSwitch(ForcedDrafts f) {
        return List.of(
                "SGLANG_SIMULATE_ACC_LEN=" + EngineAdapters.shortNumber(f.meanLength())
                        + " SGLANG_SIMULATE_ACC_METHOD=match-expected SGLANG_SIMULATE_ACC_TOKEN_MODE=real-draft-token",
                "one length is drawn for the whole batch per step: set forced_acceptance {law: sglang, accept_length: "
                        + EngineAdapters.shortNumber(f.meanLength()) + "} in the scenario");
    }
}
