package dev.foretoken.validation.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.foretoken.validation.client.Api;
import dev.foretoken.validation.client.RequestOptions;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** What every registered engine adapter must do, on pages of its engine. */
class EngineAdaptersContractTest {
    private static final Map<String, Map<String, String>> PAGES = Map.of(
            "sglang",
            Map.of(
                    "/v1/models",
                    "{\"data\":[{\"id\":\"m\",\"owned_by\":\"sglang\"}]}",
                    "/server_info",
                    "{\"version\":\"0.5.23\",\"model_path\":\"m\",\"tp_size\":4,\"max_running_requests\":48,\"quantization\":\"fp8\","
                            + "\"speculative_algorithm\":\"EAGLE\",\"speculative_num_draft_tokens\":4,\"cuda_graph_bs\":[1,2,4,8,16],"
                            + "\"internal_states\":[{\"avg_spec_accept_length\":null},{\"avg_spec_accept_length\":9.9}]}",
                    "/metrics",
                    "sglang:num_running_reqs{model_name=\"m\"} 3\nsglang:generation_tokens_total{model_name=\"m\"} 500\n"
                            + "sglang:spec_verify_calls_total{model_name=\"m\"} 200\nsglang:num_requests_total{model_name=\"m\"} 4\n"),
            "vllm",
            Map.of(
                    "/v1/models",
                    "{\"data\":[{\"id\":\"m\",\"owned_by\":\"vllm\",\"root\":\"Qwen/Q\",\"max_model_len\":4096}]}",
                    "/version",
                    "{\"version\":\"0.33.0\"}",
                    "/metrics",
                    "vllm:num_requests_running{engine=\"0\"} 2\nvllm:num_requests_running{engine=\"1\"} 1\n"
                            + "vllm:generation_tokens_total{engine=\"0\"} 300\nvllm:generation_tokens_total{engine=\"1\"} 200\n"
                            + "vllm:spec_decode_num_drafts_total{engine=\"0\"} 120\nvllm:spec_decode_num_drafts_total{engine=\"1\"} 80\n"),
            "llama.cpp",
            Map.of(
                    "/props",
                    "{\"total_slots\":4,\"model_alias\":\"cpu-test\",\"build_info\":\"b11549\"}",
                    "/metrics",
                    sample()),
            "tensorrt-llm",
            Map.of(
                    "/v1/models",
                    "{\"data\":[{\"id\":\"m\",\"owned_by\":\"tensorrt_llm\"}]}",
                    "/version",
                    "{\"version\":\"1.3.0\"}"),
            "unknown",
            Map.of("/v1/models", "{\"data\":[{\"id\":\"m\",\"owned_by\":\"someone\"}]}"));

    private static String sample() {
        try (InputStream in = EngineAdaptersContractTest.class.getResourceAsStream("/samples/llamacpp-metrics.txt")) {
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }

    static Stream<EngineAdapter> adapters() {
        return EngineAdapters.all().stream();
    }

    private static ServerPages pages(String id) {
        Map<String, String> pages = PAGES.get(id);
        assertNotNull(pages, "no pages for " + id);
        return new ServerPages(path -> Optional.ofNullable(pages.get(path)));
    }

    @ParameterizedTest
    @MethodSource("adapters")
    void isChosenForItsOwnPages(EngineAdapter adapter) {
        assertEquals(adapter.id(), EngineAdapters.recognise(pages(adapter.id())).id());
    }

    @ParameterizedTest
    @MethodSource("adapters")
    void snapshotsOfNoPagesAreUnknownNotZero(EngineAdapter adapter) {
        ServerSnapshot s = adapter.snapshot(new ServerPages(p -> Optional.empty()));
        assertEquals(adapter.id(), s.engine());
        assertEquals(null, s.generatedTokens());
        assertEquals(null, s.running());
        assertEquals(null, s.model());
        ServerSnapshot html = adapter.snapshot(new ServerPages(p -> Optional.of("<html>not found</html>")));
        assertEquals(null, html.generatedTokens());
    }

    @ParameterizedTest
    @MethodSource("adapters")
    void requestsSayWhatTheyNeed(EngineAdapter adapter) {
        for (Api api : Api.values()) {
            ObjectNode b = JsonNodeFactory.instance.objectNode();
            b.put("max_tokens", 7);
            adapter.decorate(b, new RequestOptions(api, 0, true, true, "salt", 1));
            assertTrue(b.path("stream_options").path("include_usage").asBoolean(), "usage is always asked for");
        }
    }

    @ParameterizedTest
    @MethodSource("adapters")
    void forcingIsShownForLengthsAndRates(EngineAdapter adapter) {
        for (EngineAdapter.ForcedDrafts f : List.of(
                new EngineAdapter.ForcedDrafts(3, 2.5, null),
                new EngineAdapter.ForcedDrafts(3, null, List.of(0.8, 0.5, 0.2)))) {
            List<String> lines = adapter.forcingSwitch(f);
            assertFalse(lines.isEmpty());
            if (!adapter.id().equals("unknown")) {
                String all = String.join(" ", lines);
                assertTrue(
                        all.contains("2.5") || all.contains("0.8,0.5,0.2") || all.contains("1.5"),
                        adapter.id() + ": " + all);
            }
        }
    }

    @Test
    void figuresOfEachEngine() {
        ServerSnapshot sglang = EngineAdapters.recognise(pages("sglang")).snapshot(pages("sglang"));
        assertEquals(4, sglang.tp());
        assertEquals(16, sglang.graphBatch());
        assertEquals(48, sglang.slots());
        assertEquals("EAGLE", sglang.speculative());
        ServerSnapshot vllm = EngineAdapters.recognise(pages("vllm")).snapshot(pages("vllm"));
        assertEquals(500, vllm.generatedTokens());
        assertEquals(3, vllm.running());
        assertEquals(200, vllm.verifySteps());
        assertEquals("Qwen/Q", vllm.model());
        ServerSnapshot llama = EngineAdapters.recognise(pages("llama.cpp")).snapshot(pages("llama.cpp"));
        assertEquals(105, llama.generatedTokens());
        assertEquals(105, llama.targetSteps());
        assertEquals(16, llama.cachedTokens());
        assertEquals(0, llama.verifySteps());
        assertEquals(4, llama.slots());
    }
}
