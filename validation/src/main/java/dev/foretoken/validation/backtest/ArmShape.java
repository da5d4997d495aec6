package dev.foretoken.validation.backtest;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.Locale;

/**
 * What a row's method does per round.
 *
 * @param width query tokens per request; 1 for autoregressive decoding; null when the source does not say
 * @param passes sequential draft passes; 0 for autoregressive decoding
 * @param chain whether drafts form a chain of width - 1
 * @param drafter drafts of the same drafter share their draft time
 * @param problem why the row cannot be predicted, null if it can
 * @param note what was normalised, null if nothing
 */
record ArmShape(Integer width, Integer passes, boolean chain, String drafter, String problem, String note) {

    static ArmShape of(CaseRow r) {
        JsonNode p = r.params();
        if (r.autoregressive()) {
            return p.isEmpty()
                    ? new ArmShape(1, 0, true, "", null, null)
                    : unusable("autoregressive arm with flags " + p);
        }
        for (String flag : new String[] {"p_min", "relaxed"}) {
            if (p.has(flag) && p.path(flag).asDouble(1) != 0) {
                return unusable("drafts stop on confidence or acceptance is relaxed (" + flag + "): width or law vary");
            }
        }
        for (String flag : new String[] {"enforce_eager", "cuda_graph", "worker", "spec"}) {
            if (p.has(flag)) {
                return unusable("arm with other engine flags (" + flag + ") than the rest of its source");
            }
        }
        String method = r.method().toUpperCase(Locale.ROOT);
        String drafter =
                method + " " + p.path("draft").asText("") + p.path("ctx").asText("");
        return switch (method) {
            case "MTP", "NEXTN", "EAGLE", "EAGLE2", "EAGLE3", "DSPARK" -> sequential(r, p, drafter);
            case "DFLASH", "DFLASH2" -> block(p, drafter);
            case "DDTREE" ->
                p.path("budget").isInt()
                        ? new ArmShape(p.get("budget").intValue() + 1, 1, false, drafter, null, null)
                        : unusable("budget is not stated");
            case "NGRAM" -> unusable("n-gram drafts fire on matches only: the rate is not stated");
            default -> unusable("method " + r.method() + " is not an arm");
        };
    }

    private static ArmShape sequential(CaseRow r, JsonNode p, String drafter) {
        Integer k = first(p, "num_speculative_tokens", "nextn", "n_max");
        if (k != null) {
            return new ArmShape(k + 1, k, true, drafter, null, null);
        }
        Integer steps = first(p, "num_steps");
        Integer topK = first(p, "topk");
        Integer draft = first(p, "num_draft_tokens");
        if (steps == null) {
            return unusable("drafts per round are not stated");
        }
        if (topK == null || topK == 1) {
            String note = draft == null || draft == steps + 1
                    ? null
                    : "top-k 1: " + draft + " draft tokens read as steps + 1 = " + (steps + 1)
                            + ", as SGLang sets them";
            return new ArmShape(steps + 1, steps, true, drafter, null, note);
        }
        return draft == null
                ? unusable("draft tokens of the tree are not stated")
                : new ArmShape(draft, steps, false, drafter, null, null);
    }

    private static ArmShape block(JsonNode p, String drafter) {
        Integer k = first(p, "num_speculative_tokens", "draft_tokens");
        if (k != null) {
            return new ArmShape(k + 1, 1, true, drafter, null, null);
        }
        Integer block = first(p, "block", "verify_len");
        return block == null
                ? unusable("block size is not stated or varies")
                : new ArmShape(block, 1, true, drafter, null, null);
    }

    private static Integer first(JsonNode p, String... names) {
        for (String n : names) {
            if (p.path(n).isInt() && p.get(n).intValue() > 0) {
                return p.get(n).intValue();
            }
        }
        return null;
    }

    private static ArmShape unusable(String why) {
        return new ArmShape(null, null, false, "", why, null);
    }
}
