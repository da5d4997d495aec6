package dev.foretoken.validation.server;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.foretoken.validation.client.RequestOptions;
import java.util.List;
import java.util.Optional;

/**
 * TensorRT-LLM ({@code trtllm-serve}): /perf_metrics (drained on read) has per-request totals when {@code
 * return_perf_metrics} is on. /metrics there is JSON of iterations, not Prometheus.
 */
final class TrtLlmAdapter implements EngineAdapter {
    @Override
    public String id() {
        return "tensorrt-llm";
    }

    @Override
    public boolean recognises(ServerPages pages) {
        return pages.owner().equals("tensorrt_llm") || pages.owner().equals("tensorrt-llm");
    }

    @Override
    public ServerSnapshot snapshot(ServerPages pages) {
        ServerSnapshot.Builder b = ServerSnapshot.of(id());
        b.version = Pages.text(pages.json("/version").path("version"));
        b.model = Pages.text(pages.json("/v1/models").path("data").path(0).path("id"));
        JsonNode info = pages.json("/server_info");
        b.tp = Pages.integer(info.path("tensor_parallel_size"));
        b.slots = Pages.integer(info.path("max_batch_size"));
        b.metricsPage = pages.text("/perf_metrics").orElse(null);
        return b.build();
    }

    @Override
    public void decorate(ObjectNode body, RequestOptions o) {
        body.putObject("stream_options").put("include_usage", true).put("continuous_usage_stats", true);
        if (o.ignoreEos()) {
            body.put("ignore_eos", true);
        }
        if (o.bypassPrefixCache()) {
            body.put("cache_salt", o.salt());
        }
    }

    @Override
    public Optional<String> flushRoute() {
        return Optional.empty();
    }

    @Override
    public List<String> forcingSwitch(ForcedDrafts f) {
        return List.of("TLLM_SPEC_DECODE_FORCE_NUM_ACCEPTED_TOKENS=" + EngineAdapters.shortNumber(f.meanLength() - 1)
                + " (accepted drafts without the bonus token; the fraction is the chance of one more)");
    }
}
