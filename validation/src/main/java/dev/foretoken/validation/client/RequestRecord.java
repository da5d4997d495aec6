package dev.foretoken.validation.client;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.databind.JsonNode;
import java.util.List;

/**
 * Everything measured of one request. Times are ns of the run's monotonic clock since its start; null = did not happen or is
 * not known.
 *
 * @param index number in the run
 * @param segment part of the run between interruptions, from 0; times of different segments do not compare
 * @param phase part of the run
 * @param workload workload id
 * @param status how it ended
 * @param error message, without secrets
 * @param intendedNs when it should have been sent: latency counts from here
 * @param sentNs when it was sent
 * @param firstTokenNs first event with tokens (text, reasoning, tool call or ids)
 * @param lastTokenNs last event with tokens
 * @param endNs end of the response
 * @param maxTokens tokens asked for
 * @param promptTokens from usage
 * @param cachedTokens prompt tokens found in the prefix cache
 * @param completionTokens generated tokens, counted as tokenSource says
 * @param tokenSource where completionTokens comes from
 * @param chunkNs times of the events that brought tokens
 * @param chunkTokens tokens of each of them, null where the server does not say
 * @param finishReason as the server says
 * @param textChars characters of text and reasoning
 * @param repetition share of 4-word sequences that occurred before in the same answer; null for short answers
 * @param engine figures of the engine as received
 * @param anomalies what was odd, each a sentence
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
public record RequestRecord(
        long index,
        int segment,
        Phase phase,
        String workload,
        Status status,
        String error,
        long intendedNs,
        long sentNs,
        Long firstTokenNs,
        Long lastTokenNs,
        long endNs,
        int maxTokens,
        Long promptTokens,
        Long cachedTokens,
        Long completionTokens,
        TokenSource tokenSource,
        long[] chunkNs,
        int[] chunkTokens,
        String finishReason,
        long textChars,
        Double repetition,
        JsonNode engine,
        List<String> anomalies) {

    /** How a request ended. */
    public enum Status {
        OK,
        /** HTTP status other than 200. */
        HTTP_ERROR,
        /** Error object inside the stream. */
        STREAM_ERROR,
        /** The stream ended before the answer did. */
        TRUNCATED,
        /** The connection broke. */
        CONNECTION_LOST,
        /** Nothing came for longer than the idle limit. */
        TIMED_OUT,
        /** Ended by this client: cool-down or interruption. */
        CANCELLED
    }

    /** Where a token count comes from, best first. */
    public enum TokenSource {
        USAGE,
        CONTINUOUS_USAGE,
        TOKEN_IDS,
        /** One per event: an estimate, wrong where an event carries several tokens. */
        CHUNKS
    }

    public boolean ok() {
        return status == Status.OK;
    }

    /** The same request with part of its events. */
    public RequestRecord withEvents(long[] ns, int[] tokens) {
        return new RequestRecord(
                index,
                segment,
                phase,
                workload,
                status,
                error,
                intendedNs,
                sentNs,
                firstTokenNs,
                lastTokenNs,
                endNs,
                maxTokens,
                promptTokens,
                cachedTokens,
                completionTokens,
                tokenSource,
                ns,
                tokens,
                finishReason,
                textChars,
                repetition,
                engine,
                anomalies);
    }

    /** Time to first token from the intended send time, ms; null if there was none. */
    public Double ttftMs() {
        return firstTokenNs == null ? null : (firstTokenNs - intendedNs) / 1e6;
    }

    /** End-to-end latency to the last token from the intended send time, ms. */
    public Double e2eMs() {
        return lastTokenNs == null ? null : (lastTokenNs - intendedNs) / 1e6;
    }

    /**
     * Decode time per token, ms: (last token - first token) / (n - m), where m tokens came with the first event (1 unless the
     * server bundled more, whose gaps are not seen). Null when no token followed the first event.
     */
    public Double tpotMs() {
        if (firstTokenNs == null || completionTokens == null) {
            return null;
        }
        long first = chunkTokens != null && chunkTokens.length > 0 ? Math.max(1, chunkTokens[0]) : 1;
        long after = completionTokens - first;
        return after < 1 || lastTokenNs <= firstTokenNs ? null : (lastTokenNs - firstTokenNs) / 1e6 / after;
    }
}
