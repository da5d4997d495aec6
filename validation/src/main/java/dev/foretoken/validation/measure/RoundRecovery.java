package dev.foretoken.validation.measure;

import com.fasterxml.jackson.annotation.JsonIgnore;
import dev.foretoken.validation.client.RequestRecord;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;

/**
 * Verify rounds recovered from the arrival times of stream events.
 *
 * <p>Where an engine sends one event per round with several tokens (SGLang, vLLM), each event after the first is a round.
 * Where it sends one event per token (llama.cpp), the tokens of a round come as a burst: the gaps between events fall into two
 * groups, within and between bursts, and a threshold on their logarithms separates them (Otsu's between-class variance). When
 * the groups are not clear, or events bundle several rounds, the rounds cannot be recovered, and the result says why.
 */
public final class RoundRecovery {
    /** The two groups must explain this share of the variance of the log gaps. */
    static final double CLEAR = 0.8;
    /** Median gap between bursts over median gap within them, at least. */
    static final double SEPARATION = 6;
    /** Gaps below this are within a burst: two events of one read have gap 0. */
    private static final double FLOOR_MS = 0.02;
    /** Events of one burst follow each other faster than this, rounds do not. */
    private static final double BURST_MS = 1;
    /** Share of quick gaps that coincidence explains. */
    private static final double STRAY = 0.02;

    private RoundRecovery() {}

    /** How events map to rounds. */
    public enum Mode {
        /** One event is one round. */
        EVENT_PER_ROUND,
        /** A burst of events is one round. */
        BURSTS,
        /** One token per event and one kind of gap: autoregressive, one event is one round. */
        SINGLE_TOKENS,
        /** Not recovered. */
        UNKNOWN
    }

    /**
     * Rounds of a set of requests.
     *
     * @param mode how they were recovered
     * @param reason why not, null if recovered
     * @param rounds number of rounds after the first token
     * @param tokens tokens committed in them
     * @param roundGapMs times between the commits of one request, ms; null if unknown
     * @param histogram entry j = rounds that committed j + 1 tokens; null where tokens per event are unknown
     * @param thresholdMs gap that separates bursts, ms; null unless BURSTS
     * @param gaps every gap in the order of the requests, ms; empty if not recovered
     */
    public record Rounds(
            Mode mode,
            String reason,
            long rounds,
            long tokens,
            Summary roundGapMs,
            long[] histogram,
            Double thresholdMs,
            @JsonIgnore double[] gaps) {
        /** Tokens per round, null if not recovered. */
        public Double acceptLength() {
            return mode == Mode.UNKNOWN || rounds == 0 ? null : (double) tokens / rounds;
        }
    }

    /**
     * Recovers the rounds of requests served under one method.
     *
     * @param requests complete requests
     * @param maxTokensPerRound draft length + 1 if known, else null; events with more bundle several rounds; 1 = the server
     *     does not speculate, so that events that came together are a late client's
     */
    public static Rounds recover(Collection<RequestRecord> requests, Integer maxTokensPerRound) {
        List<RequestRecord> usable = requests.stream()
                .filter(r -> r.ok() && r.chunkTokens() != null && r.chunkNs().length > 1)
                .toList();
        if (usable.isEmpty()) {
            return unknown(
                    "no answer says how many tokens each of its events carries (ask for continuous usage or token ids)");
        }
        long events = 0;
        long several = 0;
        for (RequestRecord r : usable) {
            for (int i = 1; i < r.chunkTokens().length; i++) {
                events++;
                several += r.chunkTokens()[i] > 1 ? 1 : 0;
                if (maxTokensPerRound != null && r.chunkTokens()[i] > maxTokensPerRound) {
                    return unknown("an event carries " + r.chunkTokens()[i] + " tokens, a round commits at most "
                            + maxTokensPerRound
                            + ": events bundle several rounds (stream interval, or the client or a proxy is late)");
                }
            }
        }
        if (Integer.valueOf(1).equals(maxTokensPerRound)) {
            return perEvent(usable, Mode.SINGLE_TOKENS);
        }
        return several > 0 ? perEvent(usable, Mode.EVENT_PER_ROUND) : singleTokens(usable, events);
    }

    /** One request's rounds, recovered as those of its group were. */
    public static Rounds recoverOne(RequestRecord request, Rounds group) {
        return switch (group.mode()) {
            case BURSTS -> bursts(List.of(request), group.thresholdMs());
            case UNKNOWN -> unknown(group.reason());
            default -> perEvent(List.of(request), group.mode());
        };
    }

    private static double[] array(List<Double> values) {
        return values.stream().mapToDouble(Double::doubleValue).toArray();
    }

    private static Rounds unknown(String reason) {
        return new Rounds(Mode.UNKNOWN, reason, 0, 0, null, null, null, new double[0]);
    }

    private static Rounds perEvent(List<RequestRecord> requests, Mode mode) {
        List<Double> gaps = new ArrayList<>();
        long[] histogram = new long[1];
        long tokens = 0;
        for (RequestRecord r : requests) {
            for (int i = 1; i < r.chunkNs().length; i++) {
                int n = r.chunkTokens()[i];
                if (n < 1) {
                    continue;
                }
                gaps.add((r.chunkNs()[i] - r.chunkNs()[i - 1]) / 1e6);
                histogram = count(histogram, n);
                tokens += n;
            }
        }
        return new Rounds(mode, null, gaps.size(), tokens, Summary.of(gaps), histogram, null, array(gaps));
    }

    private static long[] count(long[] histogram, int tokens) {
        long[] h = tokens <= histogram.length ? histogram : Arrays.copyOf(histogram, tokens);
        h[tokens - 1]++;
        return h;
    }

    private static Rounds singleTokens(List<RequestRecord> requests, long events) {
        double[] logs = new double[(int) events];
        int n = 0;
        for (RequestRecord r : requests) {
            for (int i = 1; i < r.chunkNs().length; i++) {
                logs[n++] = Math.log(Math.max(FLOOR_MS, (r.chunkNs()[i] - r.chunkNs()[i - 1]) / 1e6));
            }
        }
        Arrays.sort(logs);
        Double threshold = burstThreshold(logs);
        if (threshold != null) {
            return bursts(requests, threshold);
        }
        double quick = Arrays.stream(logs).filter(v -> v < Math.log(BURST_MS)).count() / (double) n;
        return quick < STRAY
                ? perEvent(requests, Mode.SINGLE_TOKENS)
                : unknown(Math.round(100 * quick) + " % of the gaps between events are under " + BURST_MS
                        + " ms, but they do not form a group of their own");
    }

    /**
     * Gap that separates bursts, ms. Prefill of other requests stretches some gaps, so that there may be three groups (within
     * a burst, a round, a stalled round): the lowest valid split counts.
     */
    private static Double burstThreshold(double[] sortedLogs) {
        Double found = null;
        double[] rest = sortedLogs;
        for (int depth = 0; depth < 3; depth++) {
            Split s = split(rest);
            if (s == null) {
                return found;
            }
            if (s.separatesBursts()) {
                found = s.threshold();
            }
            rest = Arrays.copyOf(rest, s.lowerCount());
        }
        return found;
    }

    /**
     * Best split of sorted values into two groups.
     *
     * @param threshold value between the groups, ms
     * @param explained between-class over total variance of the logs
     * @param lowerMs median of the lower group
     * @param upperMs median of the upper group
     * @param lowerCount values in the lower group
     */
    record Split(double threshold, double explained, double lowerMs, double upperMs, int lowerCount) {
        boolean separatesBursts() {
            return explained >= CLEAR && lowerMs < BURST_MS && upperMs >= BURST_MS && upperMs >= SEPARATION * lowerMs;
        }
    }

    /** Null when there are fewer than 4 values or they do not vary. */
    static Split split(double[] sortedLogs) {
        int n = sortedLogs.length;
        if (n < 4 || sortedLogs[n - 1] - sortedLogs[0] < 1e-9) {
            return null;
        }
        double total = Arrays.stream(sortedLogs).sum();
        double mean = total / n;
        double variance =
                Arrays.stream(sortedLogs).map(v -> (v - mean) * (v - mean)).sum();
        double below = 0;
        double best = -1;
        int cut = 1;
        for (int i = 1; i < n; i++) {
            below += sortedLogs[i - 1];
            double m0 = below / i;
            double m1 = (total - below) / (n - i);
            double between = (double) i * (n - i) / n * (m1 - m0) * (m1 - m0);
            if (between > best) {
                best = between;
                cut = i;
            }
        }
        double lower = sortedLogs[(cut - 1) / 2];
        double upper = sortedLogs[cut + (n - cut - 1) / 2];
        double threshold = Math.exp((sortedLogs[cut - 1] + sortedLogs[cut]) / 2);
        return new Split(threshold, best / variance, Math.exp(lower), Math.exp(upper), cut);
    }

    private static Rounds bursts(List<RequestRecord> requests, double thresholdMs) {
        List<Double> gaps = new ArrayList<>();
        long[] histogram = new long[1];
        long tokens = 0;
        for (RequestRecord r : requests) {
            long burstStart = r.chunkNs()[0];
            int size = 0;
            boolean first = true;
            for (int i = 1; i < r.chunkNs().length; i++) {
                double gap = (r.chunkNs()[i] - r.chunkNs()[i - 1]) / 1e6;
                if (gap >= thresholdMs) {
                    if (!first) {
                        histogram = count(histogram, size);
                        tokens += size;
                    }
                    gaps.add((r.chunkNs()[i] - burstStart) / 1e6);
                    burstStart = r.chunkNs()[i];
                    size = 1;
                    first = false;
                } else if (!first) {
                    size++;
                }
            }
            if (!first) {
                histogram = count(histogram, size);
                tokens += size;
            }
        }
        return new Rounds(
                Mode.BURSTS, null, gaps.size(), tokens, Summary.of(gaps), histogram, thresholdMs, array(gaps));
    }
}
