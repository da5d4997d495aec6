package dev.foretoken.validation.sse;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectReader;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.nio.charset.StandardCharsets;

/**
 * One event of a completion stream, whatever the engine: OpenAI chat and text completions, SGLang {@code /generate},
 * llama.cpp {@code /completion}. Fields that the event does not carry are null.
 *
 * @param kind what the event is
 * @param text visible text of the first choice: content or text; empty when there is none
 * @param reasoning reasoning text, from {@code reasoning_content} or {@code reasoning}
 * @param toolCall whether it carries a tool call delta
 * @param tokenIds number of token ids in this event
 * @param cumulativeTokens completion tokens up to and with this event
 * @param usage token usage
 * @param finishReason why generation ended
 * @param error message of an error object
 * @param engine blocks of engine figures (timings, metrics, sglext, meta_info, speculative_decoding)
 */
public record StreamChunk(
        Kind kind,
        String text,
        String reasoning,
        boolean toolCall,
        Integer tokenIds,
        Long cumulativeTokens,
        Usage usage,
        String finishReason,
        String error,
        JsonNode engine) {

    private static final ObjectReader READER = JsonMapper.builder().build().reader();

    /** What an event is. */
    public enum Kind {
        /** Carries generated tokens: text, reasoning, a tool call or token ids. */
        TOKENS,
        /** Announces the role, ends the answer, or carries figures only. */
        SILENT,
        /** An error object: the request failed though the HTTP status is 200. */
        ERROR,
        /** The end marker. */
        DONE,
        /** Not JSON, or JSON that is no event of a stream: cut or damaged. */
        DAMAGED
    }

    /**
     * Token usage of a request.
     *
     * @param promptTokens prompt tokens, null if unknown
     * @param completionTokens generated tokens, null if unknown
     * @param cachedTokens prompt tokens found in the prefix cache, null if unknown
     */
    public record Usage(Long promptTokens, Long completionTokens, Long cachedTokens) {}

    /** Reads the data of one event. Never throws: what cannot be read is {@link Kind#DAMAGED}. */
    public static StreamChunk parse(byte[] bytes, int offset, int length) {
        if (isDone(bytes, offset, length)) {
            return bare(Kind.DONE, null);
        }
        JsonNode root;
        try {
            root = READER.readTree(bytes, offset, length);
        } catch (IOException e) {
            return bare(Kind.DAMAGED, "not JSON");
        }
        if (root == null || !root.isObject()) {
            return bare(Kind.DAMAGED, "not a JSON object");
        }
        if (root.hasNonNull("error")) {
            return bare(Kind.ERROR, errorText(root.get("error")));
        }
        return read(root);
    }

    /** The same of a text. */
    public static StreamChunk parse(String data) {
        byte[] bytes = data.getBytes(StandardCharsets.UTF_8);
        return parse(bytes, 0, bytes.length);
    }

    private static boolean isDone(byte[] b, int offset, int length) {
        int end = offset + length;
        int i = offset;
        while (i < end && b[i] == ' ') {
            i++;
        }
        while (end > i && b[end - 1] == ' ') {
            end--;
        }
        return end - i == 6
                && b[i] == '['
                && b[i + 1] == 'D'
                && b[i + 2] == 'O'
                && b[i + 3] == 'N'
                && b[i + 4] == 'E'
                && b[i + 5] == ']';
    }

    private static StreamChunk bare(Kind kind, String error) {
        return new StreamChunk(kind, "", null, false, null, null, null, null, error, null);
    }

    private static StreamChunk read(JsonNode root) {
        JsonNode choice = root.path("choices").path(0);
        JsonNode delta = choice.path("delta");
        String text = first(delta.get("content"), choice.get("text"), root.get("content"), root.get("text"));
        String reasoning = first(delta.get("reasoning_content"), delta.get("reasoning"), choice.get("reasoning_text"));
        JsonNode tools = delta.get("tool_calls");
        boolean tool = (tools != null && tools.isArray() && !tools.isEmpty()) || delta.hasNonNull("function_call");
        Integer ids = size(choice.get("token_ids"), root.get("token_ids"), root.get("tokens"));
        Usage usage = usage(root);
        Long cumulative = usage != null ? usage.completionTokens() : null;
        if (cumulative == null) {
            cumulative = count(root.get("tokens_predicted"));
        }
        String finish = text(choice.get("finish_reason"));
        if (finish == null && root.path("stop").asBoolean(false)) {
            finish = root.path("stop_type").asText("stop");
        }
        if (finish == null) {
            JsonNode meta = root.path("meta_info").path("finish_reason");
            finish = meta.isObject() ? text(meta.get("type")) : text(meta);
        }
        boolean tokens =
                !text.isEmpty() || (reasoning != null && !reasoning.isEmpty()) || tool || (ids != null && ids > 0);
        return new StreamChunk(
                tokens ? Kind.TOKENS : Kind.SILENT,
                text,
                reasoning == null || reasoning.isEmpty() ? null : reasoning,
                tool,
                ids,
                cumulative,
                usage,
                finish,
                null,
                engine(root, choice));
    }

    private static Usage usage(JsonNode root) {
        JsonNode u = root.get("usage");
        if (u != null && u.isObject()) {
            Long cached = count(u.path("prompt_tokens_details").get("cached_tokens"));
            return new Usage(count(u.get("prompt_tokens")), count(u.get("completion_tokens")), cached);
        }
        JsonNode meta = root.get("meta_info");
        if (meta != null && meta.isObject()) {
            return new Usage(
                    count(meta.get("prompt_tokens")),
                    count(meta.get("completion_tokens")),
                    count(meta.get("cached_tokens")));
        }
        if (root.path("stop").asBoolean(false) && root.has("tokens_evaluated")) {
            return new Usage(
                    count(root.get("tokens_evaluated")),
                    count(root.get("tokens_predicted")),
                    count(root.path("timings").get("cache_n")));
        }
        return null;
    }

    private static JsonNode engine(JsonNode root, JsonNode choice) {
        ObjectNode all = null;
        for (String name : new String[] {"timings", "metrics", "sglext", "meta_info"}) {
            if (root.hasNonNull(name)) {
                all = all == null ? JsonNodeFactory.instance.objectNode() : all;
                all.set(name, root.get(name));
            }
        }
        for (String name : new String[] {"speculative_decoding", "avg_decoded_tokens_per_iter"}) {
            if (choice.hasNonNull(name)) {
                all = all == null ? JsonNodeFactory.instance.objectNode() : all;
                all.set(name, choice.get(name));
            }
        }
        return all;
    }

    private static String first(JsonNode... nodes) {
        for (JsonNode n : nodes) {
            if (n != null && n.isTextual() && !n.textValue().isEmpty()) {
                return n.textValue();
            }
        }
        return "";
    }

    private static Integer size(JsonNode... nodes) {
        for (JsonNode n : nodes) {
            if (n != null && n.isArray()) {
                return n.size();
            }
        }
        return null;
    }

    private static Long count(JsonNode n) {
        return n != null && n.isNumber() && n.doubleValue() >= 0 && n.doubleValue() == Math.rint(n.doubleValue())
                ? n.longValue()
                : null;
    }

    private static String text(JsonNode n) {
        return n != null && n.isTextual() && !n.textValue().isEmpty() ? n.textValue() : null;
    }

    private static String errorText(JsonNode error) {
        if (error.isTextual()) {
            return error.textValue();
        }
        String message = error.path("message").asText("");
        String code = error.path("code").asText("");
        return message.isEmpty() ? error.toString() : code.isEmpty() ? message : message + " (" + code + ")";
    }
}
