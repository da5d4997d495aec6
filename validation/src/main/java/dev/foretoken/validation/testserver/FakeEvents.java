package dev.foretoken.validation.testserver;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.foretoken.validation.testserver.Faults.Fault;
import java.util.ArrayList;
import java.util.List;

/** Events of one answer in an engine's dialect. */
final class FakeEvents {
    private static final JsonMapper MAPPER = JsonMapper.builder().build();
    private static final String[] WORDS = {
        " the", " café", " of", " naïve", " and", " 東京", " plan", " für", " row", " \uD83D\uDE80"
    };

    private final Dialect dialect;
    private final String model;
    private final boolean chat;
    private final boolean usage;
    private final boolean continuous;
    private final boolean ids;
    private final boolean details;
    private String last;

    FakeEvents(Dialect dialect, String model, JsonNode body, boolean chat) {
        this.dialect = dialect;
        this.model = model;
        this.chat = chat;
        this.usage = body.path("stream_options").path("include_usage").asBoolean(false);
        this.continuous =
                body.path("stream_options").path("continuous_usage_stats").asBoolean(false)
                        && dialect != Dialect.LLAMA_CPP;
        this.ids = body.path("return_token_ids").asBoolean(false) && dialect == Dialect.VLLM && !chat;
        this.details = body.path("return_spec_tokens_details").asBoolean(false);
    }

    /** Role event of a chat, null for text completions. */
    String opening() {
        if (!chat) {
            return null;
        }
        ObjectNode e = event();
        ObjectNode delta = choice(e, null).putObject("delta");
        delta.put("role", "assistant");
        delta.putNull("content");
        if (continuous) {
            usage(e, 0, 0);
        }
        return e.toString();
    }

    /** Event with n tokens, the last of which is number produced. */
    String tokens(int produced, int n) {
        StringBuilder text = new StringBuilder();
        for (int i = produced - n; i < produced; i++) {
            text.append(WORDS[i % WORDS.length]).append(i);
        }
        ObjectNode e = event();
        ObjectNode choice = choice(e, null);
        if (chat) {
            choice.putObject("delta").put("content", text.toString());
        } else {
            choice.put("text", text.toString());
        }
        if (ids) {
            ArrayNode list = choice.putArray("token_ids");
            for (int i = produced - n; i < produced; i++) {
                list.add(1000 + i);
            }
        }
        if (continuous) {
            usage(e, 0, produced);
        }
        last = e.toString();
        return last;
    }

    /** The last token event again. */
    String repeated() {
        return last;
    }

    /** Events that end the answer, without the end marker. */
    List<String> closing(FakeEngine.Request r, Fault fault) {
        List<String> list = new ArrayList<>();
        int said = fault == Fault.WRONG_USAGE ? 10 * r.produced() : r.produced();
        boolean withUsage = usage && fault != Fault.NO_USAGE;
        ObjectNode finish = event();
        ObjectNode choice = choice(finish, "length");
        if (chat) {
            choice.putObject("delta");
        } else {
            choice.put("text", "");
        }
        boolean inFinish = dialect == Dialect.LLAMA_CPP && !chat;
        if (inFinish && fault != Fault.NO_USAGE) {
            usage(finish, r.promptTokens, said);
            finish.set("timings", timings(r));
        }
        list.add(finish.toString());
        if (inFinish) {
            return list;
        }
        if (dialect == Dialect.SGLANG && details && r.rounds() > 0) {
            ObjectNode e = event();
            e.putArray("choices");
            e.putObject("sglext").set("spec_tokens_details", sglangDetails(r));
            list.add(e.toString());
        }
        if (withUsage) {
            ObjectNode e = event();
            e.putArray("choices");
            usage(e, r.promptTokens, said);
            if (dialect == Dialect.VLLM && r.rounds() > 0) {
                e.putObject("metrics").set("speculative_decoding", vllmDetails(r));
            }
            if (dialect == Dialect.LLAMA_CPP) {
                e.set("timings", timings(r));
            }
            list.add(e.toString());
        }
        return list;
    }

    /** The answer without streaming. */
    String whole(FakeEngine.Request r) {
        ObjectNode e = event();
        ObjectNode choice = choice(e, "length");
        if (chat) {
            choice.putObject("message").put("role", "assistant").put("content", "done");
        } else {
            choice.put("text", "done");
        }
        usage(e, r.promptTokens, r.produced());
        return e.toString();
    }

    private ObjectNode event() {
        ObjectNode e = MAPPER.createObjectNode();
        e.put("id", "cmpl-fake");
        e.put("model", model);
        return e;
    }

    private static ObjectNode choice(ObjectNode e, String finish) {
        ObjectNode c = e.putArray("choices").addObject();
        c.put("index", 0);
        c.put("finish_reason", finish);
        return c;
    }

    private static void usage(ObjectNode e, int prompt, int completion) {
        ObjectNode u = e.putObject("usage");
        u.put("prompt_tokens", prompt);
        u.put("completion_tokens", completion);
        u.put("total_tokens", prompt + completion);
        u.putObject("prompt_tokens_details").put("cached_tokens", 0);
    }

    private static long accepted(FakeEngine.Request r) {
        return r.accepted.stream().mapToLong(Integer::longValue).sum();
    }

    private ObjectNode timings(FakeEngine.Request r) {
        ObjectNode t = MAPPER.createObjectNode();
        t.put("prompt_n", r.promptTokens);
        t.put("cache_n", 0);
        t.put("prompt_ms", (r.firstTokenNs() - r.arrivedNs()) / 1e6);
        t.put("predicted_n", r.produced());
        t.put("predicted_ms", (r.lastTokenNs() - r.firstTokenNs()) / 1e6);
        if (accepted(r) > 0) {
            t.put("draft_n", r.accepted.stream().mapToInt(a -> Math.max(a, 1)).sum());
            t.put("draft_n_accepted", accepted(r));
        }
        return t;
    }

    private ArrayNode histogram(FakeEngine.Request r) {
        int top = r.accepted.stream().mapToInt(Integer::intValue).max().orElse(0);
        long[] h = new long[top + 1];
        r.accepted.forEach(a -> h[a]++);
        ArrayNode n = MAPPER.createArrayNode();
        for (long v : h) {
            n.add(v);
        }
        return n;
    }

    private ObjectNode sglangDetails(FakeEngine.Request r) {
        ObjectNode d = MAPPER.createObjectNode();
        d.put("completion_tokens", r.produced());
        d.put("spec_verify_ct", r.rounds());
        d.put("spec_accept_length", (double) r.produced() / r.rounds());
        d.put("spec_num_correct_drafts", accepted(r));
        d.set("spec_correct_drafts_histogram", histogram(r));
        return d;
    }

    private ObjectNode vllmDetails(FakeEngine.Request r) {
        ObjectNode d = MAPPER.createObjectNode();
        d.put("mean_acceptance_length", 1 + (double) accepted(r) / r.rounds());
        d.set("acceptance_histogram", histogram(r));
        d.put("num_spec_steps", r.rounds());
        d.put("num_accepted_draft_tokens", accepted(r));
        return d;
    }
}
