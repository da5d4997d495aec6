package dev.foretoken.validation.backtest;

import java.util.Locale;

/** Figures of different sources as one: time per output token and request, ms (or an unknown multiple of it). */
final class CostPerToken {
    private CostPerToken() {}

    /** Why the metric is no decode speed, null if it is one. */
    static String problem(CaseRow r) {
        String m = r.metric().toLowerCase(Locale.ROOT);
        if (isRate(m) || isTime(m)) {
            return needsConcurrency(m) && r.concurrency() == null ? "concurrency is not stated" : null;
        }
        return "metric " + r.metric() + " is no decode speed";
    }

    /** Time per token and request, or a fixed multiple of it within one metric. */
    static double of(CaseRow r) {
        String m = r.metric().toLowerCase(Locale.ROOT);
        if (isTime(m)) {
            return r.value();
        }
        return 1000.0 * (needsConcurrency(m) ? r.concurrency() : 1) / r.value();
    }

    /** The metric's value for a time per token. */
    static double value(CaseRow r, double cost) {
        String m = r.metric().toLowerCase(Locale.ROOT);
        return isTime(m) ? cost : 1000.0 * (needsConcurrency(m) ? r.concurrency() : 1) / cost;
    }

    /** More is better. */
    static boolean isRate(String metric) {
        return metric.contains("tok_s");
    }

    /** A speed of one request rather than of the replica. */
    static boolean perRequest(CaseRow r) {
        return !needsConcurrency(r.metric().toLowerCase(Locale.ROOT));
    }

    private static boolean isTime(String m) {
        return m.equals("tpot") || m.equals("mean_latency_per_request") || m.equals("total_wall_seconds");
    }

    private static boolean needsConcurrency(String m) {
        return isRate(m) && !m.contains("per_stream") && !m.contains("per_user");
    }
}
