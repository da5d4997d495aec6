package dev.foretoken.validation.sse;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class StreamChunkTest {
    static List<StreamChunk> sample(String name) throws IOException {
        try (InputStream in = StreamChunkTest.class.getResourceAsStream("/samples/" + name)) {
            List<StreamChunk> chunks = new ArrayList<>();
            SseDecoderTest.decode(in.readAllBytes(), 7).forEach(e -> chunks.add(StreamChunk.parse(e.data())));
            return chunks;
        }
    }

    /** The recorded streams: events, events with tokens, completion tokens, cached tokens, text. */
    @ParameterizedTest
    @CsvSource({
        "sse-chat.txt, 7, 3, 3, 0, 32, I'm glad",
        "sse-chat-spec.txt, 18, 14, 16, 24, 32, 14",
        "sse-completions.txt, 5, 3, 3, 4, 5, 5",
        "sse-native.txt, 4, 3, 3, 4, 5, 5"
    })
    void recordedStreams(
            String file, int events, int withTokens, long completion, long cached, long prompt, String ignored)
            throws IOException {
        List<StreamChunk> chunks = sample(file);
        assertEquals(events, chunks.size());
        assertEquals(
                withTokens,
                chunks.stream().filter(c -> c.kind() == StreamChunk.Kind.TOKENS).count());
        List<StreamChunk> usage = chunks.stream().filter(c -> c.usage() != null).toList();
        StreamChunk.Usage u = usage.get(usage.size() - 1).usage();
        assertEquals(completion, u.completionTokens());
        assertEquals(cached, u.cachedTokens());
        assertEquals(prompt, u.promptTokens());
        assertTrue(chunks.stream().noneMatch(c -> c.kind() == StreamChunk.Kind.DAMAGED));
    }

    @Test
    void usageRidesTheFinishChunkOfLlamaCppCompletions() throws IOException {
        StreamChunk finish = sample("sse-completions.txt").get(3);
        assertEquals("length", finish.finishReason());
        assertEquals(3L, finish.cumulativeTokens());
        assertEquals(
                86.486, finish.engine().path("timings").path("predicted_ms").asDouble());
        assertEquals(StreamChunk.Kind.SILENT, finish.kind());
    }

    @Test
    void speculativeChatSample() throws IOException {
        List<StreamChunk> chunks = sample("sse-chat-spec.txt");
        StreamChunk usage = chunks.get(16);
        assertEquals(9, usage.engine().path("timings").path("draft_n_accepted").asInt());
        assertEquals(StreamChunk.Kind.DONE, chunks.get(17).kind());
        assertEquals(StreamChunk.Kind.SILENT, chunks.get(0).kind()); // role, content null
    }

    @Test
    void nativeTokenIds() throws IOException {
        StreamChunk first = sample("sse-native.txt").get(0);
        assertEquals(1, first.tokenIds());
        assertEquals(1L, first.cumulativeTokens());
        assertNull(first.finishReason());
        assertEquals("limit", sample("sse-native.txt").get(3).finishReason());
    }

    @Test
    void q04ReasoningInEitherFieldIsTheFirstToken() {
        for (String field : new String[] {"reasoning", "reasoning_content"}) {
            StreamChunk c =
                    StreamChunk.parse("{\"choices\":[{\"delta\":{\"content\":null,\"" + field + "\":\"hm\"}}]}");
            assertEquals(StreamChunk.Kind.TOKENS, c.kind());
            assertEquals("hm", c.reasoning());
        }
        StreamChunk empty =
                StreamChunk.parse("{\"choices\":[{\"delta\":{\"role\":\"assistant\",\"reasoning_content\":null}}]}");
        assertEquals(StreamChunk.Kind.SILENT, empty.kind());
        StreamChunk tool = StreamChunk.parse(
                "{\"choices\":[{\"delta\":{\"tool_calls\":[{\"index\":0,\"function\":{\"arguments\":\"{\"}}]}}]}");
        assertEquals(StreamChunk.Kind.TOKENS, tool.kind());
    }

    @Test
    void errorsInEveryShape() {
        assertEquals(
                "out of memory (400)",
                StreamChunk.parse("{\"error\":{\"object\":\"error\",\"message\":\"out of memory\",\"code\":400}}")
                        .error());
        assertEquals("plain", StreamChunk.parse("{\"error\":\"plain\"}").error());
        assertEquals(
                StreamChunk.Kind.DAMAGED,
                StreamChunk.parse("{\"choices\":[{\"te").kind());
        assertEquals(StreamChunk.Kind.DAMAGED, StreamChunk.parse("3").kind());
        assertEquals(StreamChunk.Kind.SILENT, StreamChunk.parse("{}").kind());
    }

    @Test
    void sglangAndTokenIdForms() {
        StreamChunk generate = StreamChunk.parse(
                "{\"text\":\"abc\",\"output_ids\":[1],\"meta_info\":{\"completion_tokens\":5,\"prompt_tokens\":9,"
                        + "\"finish_reason\":{\"type\":\"length\"},\"spec_verify_ct\":2}}");
        assertEquals(5L, generate.cumulativeTokens());
        assertEquals("length", generate.finishReason());
        assertEquals(
                2, generate.engine().path("meta_info").path("spec_verify_ct").asInt());
        StreamChunk ids = StreamChunk.parse("{\"choices\":[{\"text\":\"ab\",\"token_ids\":[4,5,6]}]}");
        assertEquals(3, ids.tokenIds());
    }
}
