package dev.foretoken.validation.measure;

import com.fasterxml.jackson.annotation.JsonInclude;
import dev.foretoken.validation.client.LagMeter;
import dev.foretoken.validation.client.RequestRecord;
import dev.foretoken.validation.client.RequestRecord.TokenSource;
import dev.foretoken.validation.client.RunResult;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Figures of one run, with the definitions of the result format: tpot of a request = (last token - first token) / (n - 1),
 * latencies count from the intended send time, throughput counts every token that arrived inside the half-open window in which the load
 * was up (from the first measured send to the last measured end), whoever asked for it.
 *
 * @param requests measured requests that ended well
 * @param failed measured requests that did not
 * @param windowS length of the window, s
 * @param outputTokS tokens per second in the window; null when no token was counted
 * @param requestsPerS answers completed per second in the window
 * @param ttftMs time to first token
 * @param tpotMs decode time per token
 * @param e2eMs latency to the last token
 * @param rounds rounds recovered from the events
 * @param meanOutputTokens mean tokens per answer
 * @param meanPromptTokens mean prompt tokens, null if unknown
 * @param cachedShare cached over prompt tokens, null if unknown
 * @param tokenSource worst source of the token counts
 * @param medianRepetition median share of repeated 4-word sequences, null for short answers
 * @param concurrency mean requests in flight in the window (Little: sum of time in system over window)
 * @param peakTokS largest tokens per second over whole seconds, null for windows under 2 s
 * @param lag how late the client was
 * @param notes what a reader must know
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
public record RunMeasures(
        int requests,
        int failed,
        double windowS,
        Double outputTokS,
        Double requestsPerS,
        Summary ttftMs,
        Summary tpotMs,
        Summary e2eMs,
        RoundRecovery.Rounds rounds,
        Double meanOutputTokens,
        Double meanPromptTokens,
        Double cachedShare,
        TokenSource tokenSource,
        Double medianRepetition,
        Double concurrency,
        Double peakTokS,
        LagMeter.Summary lag,
        List<String> notes) {

    private static final double LATE_SHARE = 0.05;
    private static final double WALL_JUMP_MS = 500;

    /**
     * Figures of a run.
     *
     * @param maxTokensPerRound draft length + 1 if known, else null
     * @throws IllegalArgumentException when no measured request ended well
     */
    public static RunMeasures of(RunResult run, Integer maxTokensPerRound) {
        return of(List.of(run), maxTokensPerRound);
    }

    /**
     * Figures of a run that was interrupted and resumed: latencies of all its requests, throughput over the sum of the
     * segments' windows. A request counts once.
     *
     * @param segments at least one, with the newest last
     */
    public static RunMeasures of(List<RunResult> segments, Integer maxTokensPerRound) {
        RunResult newest = segments.get(segments.size() - 1);
        Map<Long, RequestRecord> byIndex = new LinkedHashMap<>();
        segments.forEach(s -> s.measured().forEach(r -> byIndex.putIfAbsent(r.index(), r)));
        List<RequestRecord> good = List.copyOf(byIndex.values());
        List<RequestRecord> failed = segments.stream()
                .flatMap(s -> s.failed().stream())
                .filter(r -> !byIndex.containsKey(r.index()))
                .toList();
        if (good.isEmpty()) {
            String why = failed.isEmpty()
                    ? String.valueOf(newest.stoppedBecause())
                    : failed.get(0).status() + " " + failed.get(0).error();
            throw new IllegalArgumentException("no measured request ended well: " + why);
        }
        List<String> notes = new ArrayList<>();
        List<RunResult> loaded = segments.stream()
                .filter(s -> s.windowStartNs() >= 0 && s.windowEndNs() > s.windowStartNs())
                .toList();
        double windowS = loaded.stream()
                .mapToDouble(s -> (s.windowEndNs() - s.windowStartNs()) / 1e9)
                .sum();
        Tokens tokens = Tokens.NONE;
        for (RunResult s : loaded) {
            tokens = tokens.plus(tokensInWindow(s, notes));
        }
        RoundRecovery.Rounds rounds = RoundRecovery.recover(good, maxTokensPerRound);
        if (rounds.reason() != null) {
            notes.add("rounds not recovered: " + rounds.reason());
        }
        TokenSource worst = good.stream()
                .map(RequestRecord::tokenSource)
                .filter(s -> s != null)
                .max(Enum::compareTo)
                .orElse(null);
        if (worst == TokenSource.CHUNKS) {
            notes.add(
                    "tokens are counted as events for at least one answer: an underestimate where events carry several");
        }
        addLagNotes(newest, rounds, notes);
        if (!newest.complete()) {
            notes.add("the run is incomplete: " + newest.stoppedBecause());
        }
        if (segments.size() > 1) {
            notes.add("the run was resumed: " + segments.size() + " segments");
        }
        addAnomalies(segments, notes);
        boolean timed = windowS > 0;
        return new RunMeasures(
                good.size(),
                failed.size(),
                windowS,
                timed && tokens.any() ? tokens.total() / windowS : null,
                timed
                        ? loaded.stream()
                                        .mapToDouble(RunMeasures::completedInWindow)
                                        .sum()
                                / windowS
                        : null,
                Summary.of(good.stream().map(RequestRecord::ttftMs).toList()),
                Summary.of(good.stream().map(RequestRecord::tpotMs).toList()),
                Summary.of(good.stream().map(RequestRecord::e2eMs).toList()),
                rounds,
                mean(good.stream().map(RequestRecord::completionTokens).toList()),
                mean(good.stream().map(RequestRecord::promptTokens).toList()),
                cachedShare(good),
                worst,
                median(good.stream().map(RequestRecord::repetition).toList()),
                timed
                        ? loaded.stream()
                                        .mapToDouble(RunMeasures::inFlightSeconds)
                                        .sum()
                                / windowS
                        : null,
                tokens.peak(),
                newest.lag(),
                List.copyOf(notes));
    }

    private record Tokens(boolean any, double total, Double peak) {
        static final Tokens NONE = new Tokens(false, 0, null);

        Tokens plus(Tokens t) {
            Double max = peak == null ? t.peak : t.peak == null ? peak : Double.valueOf(Math.max(peak, t.peak));
            return new Tokens(any || t.any, total + t.total, max);
        }
    }

    /** Tokens by arrival; where events do not say their tokens, those after the first are spread over the events. */
    private static Tokens tokensInWindow(RunResult run, List<String> notes) {
        long from = run.windowStartNs();
        long to = run.windowEndNs();
        int seconds = (int) ((to - from) / 1_000_000_000L);
        double[] bySecond = new double[Math.max(1, seconds)];
        double total = 0;
        boolean any = false;
        boolean spread = false;
        for (RequestRecord r : run.records()) {
            if (r.completionTokens() == null && r.chunkTokens() == null) {
                continue;
            }
            long[] at = r.chunkNs();
            double each = r.chunkTokens() == null && at.length > 0 ? (double) r.completionTokens() / at.length : 0;
            spread |= r.chunkTokens() == null && at.length > 0 && each != 1;
            for (int i = 0; i < at.length; i++) {
                if (at[i] < from || at[i] >= to) {
                    continue;
                }
                double n = r.chunkTokens() == null ? each : r.chunkTokens()[i];
                any = true;
                total += n;
                int second = (int) ((at[i] - from) / 1_000_000_000L);
                if (second < bySecond.length) {
                    bySecond[second] += n;
                }
            }
        }
        if (spread) {
            notes.add("events do not say how many tokens they carry: tokens were spread evenly over them");
        }
        return new Tokens(
                any, total, seconds < 2 ? null : Arrays.stream(bySecond).max().getAsDouble());
    }

    private static double completedInWindow(RunResult run) {
        return run.records().stream()
                .filter(r -> r.ok() && r.endNs() >= run.windowStartNs() && r.endNs() <= run.windowEndNs())
                .count();
    }

    /** Time in the system summed over requests inside the window, s. */
    private static double inFlightSeconds(RunResult run) {
        double area = 0;
        for (RequestRecord r : run.records()) {
            long from = Math.max(r.intendedNs(), run.windowStartNs());
            long to = Math.min(r.endNs(), run.windowEndNs());
            area += Math.max(0, to - from);
        }
        return area / 1e9;
    }

    private static void addLagNotes(RunResult run, RoundRecovery.Rounds rounds, List<String> notes) {
        LagMeter.Summary lag = run.lag();
        if (lag == null) {
            return;
        }
        double scale = rounds.roundGapMs() != null ? rounds.roundGapMs().p50() : 20;
        if (lag.beats() > 0 && lag.stampP99Ms() > Math.max(2, LATE_SHARE * scale)) {
            notes.add(String.format(
                    java.util.Locale.ROOT,
                    "this client could not keep up: events were stamped up to %.1f ms late (p99)",
                    lag.stampP99Ms()));
        }
        if (lag.sends() > 0 && lag.sendP99Ms() > Math.max(5, LATE_SHARE * scale)) {
            notes.add(String.format(
                    java.util.Locale.ROOT,
                    "this client sent late: %.1f ms after the intended time (p99); latency counts from the intended time",
                    lag.sendP99Ms()));
        }
        if (Math.abs(run.wallDriftMs()) > WALL_JUMP_MS) {
            notes.add(String.format(
                    java.util.Locale.ROOT,
                    "the wall clock jumped by %.0f ms during the run; times come from the monotonic clock",
                    run.wallDriftMs()));
        }
    }

    private static void addAnomalies(List<RunResult> segments, List<String> notes) {
        Map<String, Integer> counts = new LinkedHashMap<>();
        int answers = 0;
        for (RunResult run : segments) {
            for (RequestRecord r : run.records()) {
                answers++;
                for (String a : r.anomalies()) {
                    counts.merge(a.replaceAll("[0-9]+", "#"), 1, Integer::sum);
                }
            }
        }
        int of = answers;
        counts.forEach((what, n) -> notes.add(n + " of " + of + " answers: " + what));
    }

    private static Double cachedShare(List<RequestRecord> good) {
        long cached = 0;
        long prompt = 0;
        for (RequestRecord r : good) {
            if (r.cachedTokens() == null || r.promptTokens() == null) {
                return null;
            }
            cached += r.cachedTokens();
            prompt += r.promptTokens();
        }
        return prompt == 0 ? null : (double) cached / prompt;
    }

    private static Double mean(List<Long> values) {
        return values.stream().anyMatch(java.util.Objects::isNull)
                ? null
                : values.stream().mapToLong(Long::longValue).average().orElseThrow();
    }

    private static Double median(List<Double> values) {
        Summary s = Summary.of(values);
        return s == null ? null : s.p50();
    }
}
