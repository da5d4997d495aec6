package dev.foretoken.validation.compare;

import com.fasterxml.jackson.annotation.JsonInclude;

/**
 * Part of an error that points to one term of the model.
 *
 * @param term acceptance, verify, host, draft_and_host, prefill, scheduling, or not_told_apart
 * @param share mean absolute log error of throughput that it explains; null where what it does to throughput is not known
 * @param ms missing time per round (verify, draft_and_host) or per prompt token (prefill), ms; positive when the server is
 *     slower than predicted; null where it has no such unit
 * @param evidence what was seen, a sentence
 * @param advice what to calibrate again
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
public record TermResidual(String term, Double share, Double ms, String evidence, String advice) {}
