package dev.foretoken.calibration.host;

import dev.foretoken.calibration.host.ForcedSpeculation.Kind;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Runs whose rounds are known beforehand: plain decoding at several concurrencies, and drafts that are all refused, so that
 * every round has one width and commits one token. No run of the plan accepts a draft.
 *
 * @param runs loads by forced speculation, in the order to run them
 */
public record CalibrationPlan(Map<ForcedSpeculation, List<LoopLoad>> runs) {
    /** Tokens of an answer: the first comes with the prompt. */
    static final int OUTPUT = 33;

    /** Fewest drafts for which llama.cpp's n-gram drafter drafts. */
    public static final int FEWEST_NGRAM_DRAFTS = 3;

    public CalibrationPlan {
        runs = new LinkedHashMap<>(runs);
    }

    /** Rounds of 1 to 32 rows, a drafter of 1 to 7 steps for 1 and 4 sequences; everything twice. */
    public static CalibrationPlan standard() {
        Map<ForcedSpeculation, List<LoopLoad>> runs = new LinkedHashMap<>();
        List<LoopLoad> plain = new ArrayList<>();
        for (int repeat = 0; repeat < 2; repeat++) {
            plain.add(new LoopLoad(1, 6, 1));
            plain.add(new LoopLoad(1, 4, OUTPUT));
            plain.add(new LoopLoad(2, 4, OUTPUT));
            plain.add(new LoopLoad(4, 8, OUTPUT));
            plain.add(new LoopLoad(8, 8, OUTPUT));
        }
        runs.put(ForcedSpeculation.none(), plain);
        for (int k : new int[] {3, 5, 7, 11, 15}) {
            List<LoopLoad> loads = new ArrayList<>();
            for (int repeat = 0; repeat < 2; repeat++) {
                loads.add(new LoopLoad(1, 3, OUTPUT));
                if (k <= 7) {
                    loads.add(new LoopLoad(4, 4, OUTPUT));
                }
            }
            runs.put(ForcedSpeculation.refused(Kind.NGRAM, k), loads);
        }
        for (int k : new int[] {1, 4, 7}) {
            List<LoopLoad> loads = new ArrayList<>();
            if (k == 1) {
                loads.add(new LoopLoad(1, 6, 1));
            }
            for (int repeat = 0; repeat < 2; repeat++) {
                loads.add(new LoopLoad(1, 3, OUTPUT));
                loads.add(new LoopLoad(4, 4, OUTPUT));
            }
            runs.put(ForcedSpeculation.refused(Kind.DRAFT_MODEL, k), loads);
        }
        return new CalibrationPlan(runs);
    }
}
