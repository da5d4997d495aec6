package dev.foretoken.calibration.host;

import dev.foretoken.calibration.host.ForcedSpeculation.Kind;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Runs whose rounds are known beforehand: plain decoding at several concurrencies and contexts, and drafts that are all
 * refused, so that every round has one width and commits one token. No run of the plan accepts a draft.
 *
 * @param runs loads by forced speculation, in the order to run them
 * @param passes how often the whole plan is run: a drift of the machine shows between passes
 */
public record CalibrationPlan(Map<ForcedSpeculation, List<LoopLoad>> runs, int passes) {
    /** Tokens of an answer: the first comes with the prompt. */
    static final int OUTPUT = 33;

    private static final int LONG_OUTPUT = 65;
    /** About 340 tokens. */
    private static final int LONG_PROMPT = 16;

    /** Fewest drafts for which llama.cpp's n-gram drafter drafts. */
    public static final int FEWEST_NGRAM_DRAFTS = 3;

    public CalibrationPlan {
        runs = new LinkedHashMap<>(runs);
        if (passes < 1) {
            throw new IllegalArgumentException("a plan is run at least once: " + passes);
        }
    }

    /** Rounds of 1 to 32 rows, a drafter of 1 to 7 steps for 1, 2 and 4 sequences, two contexts. */
    public static CalibrationPlan standard(int passes) {
        Map<ForcedSpeculation, List<LoopLoad>> runs = new LinkedHashMap<>();
        runs.put(
                ForcedSpeculation.none(),
                List.of(
                        new LoopLoad(1, 6, 1),
                        new LoopLoad(1, 4, OUTPUT),
                        new LoopLoad(2, 4, OUTPUT),
                        new LoopLoad(4, 8, OUTPUT),
                        new LoopLoad(8, 8, OUTPUT),
                        new LoopLoad(1, 3, 1, LONG_PROMPT),
                        new LoopLoad(1, 3, LONG_OUTPUT, LONG_PROMPT),
                        new LoopLoad(4, 4, LONG_OUTPUT, LONG_PROMPT)));
        for (int k : new int[] {3, 4, 5, 6, 7, 11, 15}) {
            List<LoopLoad> loads = new ArrayList<>();
            loads.add(new LoopLoad(1, 3, OUTPUT));
            if (k <= 7) {
                loads.add(new LoopLoad(4, 4, OUTPUT));
            }
            if (k == 7) {
                loads.add(new LoopLoad(1, 3, LONG_OUTPUT, LONG_PROMPT));
            }
            runs.put(ForcedSpeculation.refused(Kind.NGRAM, k), loads);
        }
        for (int k : new int[] {1, 4, 7}) {
            List<LoopLoad> loads = new ArrayList<>();
            if (k == 1) {
                loads.add(new LoopLoad(1, 6, 1));
            }
            loads.add(new LoopLoad(1, 3, OUTPUT));
            loads.add(new LoopLoad(4, 4, OUTPUT));
            loads.add(new LoopLoad(2, 4, OUTPUT));
            runs.put(ForcedSpeculation.refused(Kind.DRAFT_MODEL, k), loads);
        }
        return new CalibrationPlan(runs, passes);
    }

    /** Work of all passes, in units of {@link LoopSimulator#work}. */
    long work() {
        return passes
                * runs.entrySet().stream()
                        .flatMap(e -> e.getValue().stream().map(l -> LoopSimulator.work(e.getKey(), l)))
                        .mapToLong(Long::longValue)
                        .sum();
    }
}
