package dev.foretoken.validation.testserver;

import java.util.Locale;

/** Pages beside the completion routes: health, models, metrics, server information. */
final class FakePages {
    private FakePages() {}

    /** Body of a page, null where the dialect has no such page. */
    static String page(String path, FakeServer.Behaviour b, FakeEngine.Totals t, EngineTruth truth) {
        return switch (path) {
            case "/health" -> "{\"status\":\"ok\"}";
            case "/v1/models" ->
                "{\"object\":\"list\",\"data\":[{\"id\":\"" + b.model() + "\",\"object\":\"model\",\"owned_by\":\""
                        + owner(b.dialect()) + "\"}]}";
            case "/metrics" -> metrics(b.dialect(), t, truth);
            case "/version" -> b.dialect() == Dialect.VLLM ? "{\"version\":\"0.33.0\"}" : null;
            case "/server_info", "/get_server_info" -> b.dialect() == Dialect.SGLANG ? sglangInfo(b, t, truth) : null;
            case "/props" ->
                b.dialect() == Dialect.LLAMA_CPP
                        ? "{\"total_slots\":" + truth.maxRunning() + ",\"model_alias\":\"" + b.model()
                                + "\",\"build_info\":\"b11549\"}"
                        : null;
            case "/flush_cache", "/reset_prefix_cache" -> "{}";
            default -> null;
        };
    }

    private static String owner(Dialect d) {
        return switch (d) {
            case SGLANG -> "sglang";
            case VLLM -> "vllm";
            case LLAMA_CPP -> "llamacpp";
        };
    }

    private static String sglangInfo(FakeServer.Behaviour b, FakeEngine.Totals t, EngineTruth truth) {
        boolean speculative = truth.law() != null;
        return String.format(
                Locale.ROOT,
                "{\"version\":\"0.5.23\",\"model_path\":\"%s\",\"tp_size\":1,\"max_running_requests\":%d,"
                        + "\"speculative_algorithm\":%s,\"speculative_num_draft_tokens\":%s,%s\"internal_states\":[{%s}]}",
                b.model(),
                truth.maxRunning(),
                speculative ? "\"EAGLE\"" : "null",
                speculative ? String.valueOf(truth.width()) : "null",
                b.graphBatch() == null ? "" : "\"cuda_graph_max_bs\":" + b.graphBatch() + ",",
                speculative && t.verifySteps() > 0
                        ? "\"avg_spec_accept_length\":" + (1 + (double) t.acceptedDrafts() / t.verifySteps())
                        : "");
    }

    private static String metrics(Dialect d, FakeEngine.Totals t, EngineTruth truth) {
        return switch (d) {
            case SGLANG -> sglangMetrics(t, truth);
            case VLLM ->
                specMetrics("vllm:", "{engine=\"0\",model_name=\"m\"}", "engine=\"0\",model_name=\"m\",", t, truth)
                        + line("vllm:generation_tokens_total{engine=\"0\",model_name=\"m\"}", t.tokens())
                        + line("vllm:num_requests_running{engine=\"0\",model_name=\"m\"}", t.running())
                        + line("vllm:num_requests_waiting{engine=\"0\",model_name=\"m\"}", t.waiting())
                        + line("vllm:request_success_total{engine=\"0\",model_name=\"m\"}", t.finished());
            case LLAMA_CPP ->
                specMetrics("llamacpp:", "", "", t, truth)
                        + line("llamacpp:tokens_predicted_total", t.tokens())
                        + line("llamacpp:n_decode_total", t.decodeRounds())
                        + line("llamacpp:requests_processing", t.running())
                        + line("llamacpp:requests_deferred", t.waiting());
        };
    }

    private static String sglangMetrics(FakeEngine.Totals t, EngineTruth truth) {
        String s = line("sglang:generation_tokens_total{model_name=\"m\"}", t.tokens())
                + line("sglang:num_requests_total{model_name=\"m\"}", t.finished())
                + line("sglang:num_running_reqs{model_name=\"m\"}", t.running())
                + line("sglang:num_queue_reqs{model_name=\"m\"}", t.waiting());
        return truth.law() == null ? s : s + line("sglang:spec_verify_calls_total{model_name=\"m\"}", t.verifySteps());
    }

    private static String specMetrics(
            String prefix, String labels, String inner, FakeEngine.Totals t, EngineTruth truth) {
        if (truth.law() == null) {
            return "";
        }
        StringBuilder s = new StringBuilder();
        s.append(line(prefix + "spec_decode_num_drafts_total" + labels, t.verifySteps()));
        s.append(line(prefix + "spec_decode_num_draft_tokens_total" + labels, t.verifySteps() * truth.draftLength()));
        s.append(line(prefix + "spec_decode_num_accepted_tokens_total" + labels, t.acceptedDrafts()));
        for (int i = 0; i < t.acceptedByPosition().length; i++) {
            s.append(line(
                    prefix + "spec_decode_num_accepted_tokens_per_pos_total{" + inner + "position=\"" + i + "\"}",
                    t.acceptedByPosition()[i]));
        }
        return s.toString();
    }

    private static String line(String series, long value) {
        return series + " " + value + "\n";
    }
}
