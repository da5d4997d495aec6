package dev.foretoken.validation.client;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.foretoken.validation.client.RequestRecord.Status;
import dev.foretoken.validation.client.RequestRecord.TokenSource;
import dev.foretoken.validation.sse.StreamChunk;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.UnaryOperator;

/**
 * Books the events of one response and settles the token count at the end: from usage, else from continuous usage, else from
 * token ids, else one per event; text is never tokenised again. Not safe for use by several threads.
 */
final class TokenLedger {
    private static final int MAX_ANOMALIES = 8;
    private static final int MAX_TEXT = 1 << 20;
    /** Tokens that a chat template and a system prompt of the server may add. */
    private static final int MOST_TEMPLATE_TOKENS = 16_384;
    /** A character has at most four bytes in UTF-8, each a token where a tokenizer falls back to bytes. */
    private static final int MOST_TOKENS_PER_CHAR = 4;

    private final PlannedRequest request;
    private final UnaryOperator<String> redact;
    private final StringBuilder text = new StringBuilder();
    private final List<String> anomalies = new ArrayList<>();
    private long[] chunkNs = new long[32];
    private int[] ids = new int[32];
    private int[] growth = new int[32];
    private int chunks;
    private boolean everyChunkHasIds = true;
    private boolean continuous;
    private long cumulative;
    private long streamed;
    private StreamChunk.Usage usage;
    private boolean closingUsage;
    private String finishReason;
    private String streamError;
    private boolean done;
    private boolean damaged;
    private long textChars;
    private ObjectNode engine;

    /** @param redact removes secrets that a server may have echoed in an error */
    TokenLedger(PlannedRequest request, UnaryOperator<String> redact) {
        this.request = request;
        this.redact = redact;
    }

    /** Books one event that arrived at the given time (ns since the run's start). */
    void book(StreamChunk c, long ns) {
        switch (c.kind()) {
            case DONE -> done = true;
            case ERROR -> streamError = streamError == null ? c.error() : streamError;
            case DAMAGED -> {
                damaged = true;
                odd("an event could not be read: " + c.error());
            }
            default -> bookFigures(c, ns);
        }
    }

    private void bookFigures(StreamChunk c, long ns) {
        long rise = 0;
        Long told = believed(c.cumulativeTokens());
        if (told != null) {
            rise = told - cumulative;
            if (rise < 0) {
                odd("usage went down from " + cumulative + " to " + told);
                rise = 0;
            } else {
                cumulative = told;
            }
        }
        boolean tokens = c.kind() == StreamChunk.Kind.TOKENS;
        if (tokens && told != null) {
            continuous = true;
        }
        boolean hidden = !tokens && rise > 0 && continuous && finishReason == null && c.finishReason() == null;
        if (tokens || hidden) {
            addChunk(ns, c.tokenIds(), (int) rise);
            streamed = cumulative;
        }
        if (c.finishReason() != null) {
            finishReason = c.finishReason();
        }
        if (c.usage() != null) {
            usage = merged(usage, c.usage());
            closingUsage |= chunks > 0 && (finishReason != null || !continuous);
        }
        addText(c.reasoning());
        addText(c.text());
        if (c.engine() != null) {
            engine = engine == null ? ((ObjectNode) c.engine()).deepCopy() : engine;
            for (var e : c.engine().properties()) {
                engine.set(e.getKey(), e.getValue());
            }
        }
    }

    /** Completion tokens that were allowed; null for others, which are said. */
    private Long believed(Long completionTokens) {
        if (completionTokens == null || completionTokens >= 0 && completionTokens <= request.maxTokens()) {
            return completionTokens;
        }
        odd("usage says " + completionTokens + " completion tokens, " + request.maxTokens()
                + " were allowed: not used");
        return null;
    }

    /** Prompt tokens that a prompt of so many characters can have; null for others, which are said. */
    private Long promptTokens() {
        Long said = usage == null ? null : usage.promptTokens();
        if (said == null) {
            return null;
        }
        long most = MOST_TEMPLATE_TOKENS
                + (long) MOST_TOKENS_PER_CHAR * request.prompt().length();
        if (said < 1 || said > most) {
            odd("usage says " + said + " prompt tokens for a prompt of "
                    + request.prompt().length() + " characters: not used");
            return null;
        }
        return said;
    }

    /** Cached prompt tokens, at most the prompt's. */
    private Long cachedTokens(Long prompt) {
        Long said = usage == null ? null : usage.cachedTokens();
        if (said == null || prompt == null) {
            return prompt == null && usage != null && usage.promptTokens() != null ? null : said;
        }
        if (said < 0 || said > prompt) {
            odd("usage says " + said + " cached tokens of " + prompt + " prompt tokens: not used");
            return null;
        }
        return said;
    }

    private static StreamChunk.Usage merged(StreamChunk.Usage before, StreamChunk.Usage now) {
        if (before == null) {
            return now;
        }
        return new StreamChunk.Usage(
                now.promptTokens() != null ? now.promptTokens() : before.promptTokens(),
                now.completionTokens() != null ? now.completionTokens() : before.completionTokens(),
                now.cachedTokens() != null ? now.cachedTokens() : before.cachedTokens());
    }

    private void addChunk(long ns, Integer tokenIds, int rise) {
        if (chunks == chunkNs.length) {
            chunkNs = Arrays.copyOf(chunkNs, chunks * 2);
            ids = Arrays.copyOf(ids, chunks * 2);
            growth = Arrays.copyOf(growth, chunks * 2);
        }
        chunkNs[chunks] = ns;
        growth[chunks] = rise;
        if (tokenIds == null) {
            everyChunkHasIds = false;
        } else {
            ids[chunks] = tokenIds;
        }
        chunks++;
    }

    private void addText(String s) {
        if (s != null && !s.isEmpty()) {
            textChars += s.length();
            if (text.length() < MAX_TEXT) {
                text.append(s);
            }
        }
    }

    /** Notes what a reader of the record must know. */
    void odd(String what) {
        if (anomalies.size() < MAX_ANOMALIES && !anomalies.contains(what)) {
            anomalies.add(what);
        }
    }

    int chunks() {
        return chunks;
    }

    /**
     * Settles the record.
     *
     * @param outcome null when the response ended as HTTP says it should; else how it broke
     */
    RequestRecord settle(Status outcome, String error, int segment, long intendedNs, long sentNs, long endNs) {
        Status status = outcome;
        String message = error;
        if (status == null) {
            boolean complete = finishReason != null || done || closingUsage;
            if (streamError != null) {
                status = Status.STREAM_ERROR;
                message = streamError;
            } else if (!complete || (damaged && finishReason == null)) {
                status = Status.TRUNCATED;
                message = "the stream ended after " + chunks + " events without finish reason, usage or [DONE]";
            } else {
                status = Status.OK;
                if (!done) {
                    odd("no [DONE] at the end");
                }
            }
        }
        Long tokens = null;
        TokenSource source = null;
        long idSum =
                everyChunkHasIds && chunks > 0 ? Arrays.stream(ids, 0, chunks).sum() : -1;
        Long said = usage == null ? null : usage.completionTokens();
        if (said != null && usable(said, idSum)) {
            tokens = said;
            source = closingUsage ? TokenSource.USAGE : TokenSource.CONTINUOUS_USAGE;
        } else if (idSum >= 0) {
            tokens = idSum;
            source = TokenSource.TOKEN_IDS;
        } else if (continuous && streamed > 0) {
            tokens = streamed;
            source = TokenSource.CONTINUOUS_USAGE;
        } else if (chunks > 0) {
            tokens = (long) chunks;
            source = TokenSource.CHUNKS;
            if (status != Status.CANCELLED) {
                odd("tokens are counted as events: the server sent no usable usage");
            }
        }
        int[] perChunk = perChunk(tokens, source);
        Long prompt = promptTokens();
        Long cached = cachedTokens(prompt);
        return new RequestRecord(
                request.index(),
                segment,
                request.phase(),
                request.workload(),
                status,
                redact.apply(message),
                intendedNs,
                sentNs,
                chunks == 0 ? null : chunkNs[0],
                chunks == 0 ? null : chunkNs[chunks - 1],
                endNs,
                request.maxTokens(),
                prompt,
                cached,
                tokens,
                source,
                Arrays.copyOf(chunkNs, chunks),
                perChunk,
                finishReason,
                textChars,
                Repetition.of(text),
                engine,
                List.copyOf(anomalies));
    }

    /** usage that contradicts the token ids or the limit is wrong, and said so. */
    private boolean usable(long said, long idSum) {
        if (believed(said) == null) {
            return false;
        }
        if (idSum >= 0 && idSum != said) {
            odd("usage says " + said + " completion tokens, the stream carried " + idSum + " token ids");
            return Math.abs(idSum - said) <= 1;
        }
        if (said == 0 && chunks > 0) {
            odd("usage says 0 completion tokens, " + chunks + " events carried text: not used");
            return false;
        }
        return true;
    }

    /** Tokens of each event; null where the server does not say. */
    private int[] perChunk(Long tokens, TokenSource source) {
        if (chunks == 0 || source == TokenSource.CHUNKS) {
            return null;
        }
        if (continuous && streamed > 0) {
            int[] n = Arrays.copyOf(growth, chunks);
            n[chunks - 1] += (int) Math.max(0, tokens - streamed);
            return n;
        }
        if (everyChunkHasIds) {
            return Arrays.copyOf(ids, chunks);
        }
        if (source == TokenSource.USAGE && tokens == chunks) {
            int[] n = new int[chunks];
            Arrays.fill(n, 1);
            return n;
        }
        return null;
    }
}
