package dev.foretoken.calibration.host;

import dev.foretoken.calibration.host.ForcedSpeculation.Kind;
import dev.foretoken.sim.random.Streams;
import java.util.function.IntConsumer;
import org.apache.commons.rng.UniformRandomProvider;

/**
 * One run of a closed loop round by round, as llama.cpp serves it: every running request takes part in every round with its
 * token and its draft, a draft is cut so that it cannot pass the end of the answer, and a finished request is replaced at
 * once; the first token of a request comes with its prompt.
 */
final class LoopSimulator {
    /** Rows that one request's prompt is worth. */
    private static final int PROMPT_WORK = 60;

    /** Rows that what a round costs whatever its rows is worth. */
    private static final int ROUND_WORK = 2;

    private LoopSimulator() {}

    /** One round: who drafts in it, what the target computes. */
    record Round(int sequences, int drafts, int rows, long answerCells) {}

    /** Told of every round. */
    interface RoundVisitor {
        void round(Round round);
    }

    /**
     * CPU seconds of one run with acceptance drawn from the stream.
     *
     * @param promptTokens of every request
     */
    static double cpuSeconds(
            RoundCosts costs,
            ForcedSpeculation speculation,
            LoopLoad load,
            double promptTokens,
            UniformRandomProvider random) {
        double[] us = new double[1];
        walk(
                speculation,
                load,
                random,
                r -> us[0] += costs.us(speculation.kind(), r, promptTokens),
                n -> us[0] += n * costs.requestUs().get(speculation.kind()));
        return us[0] * 1e-6;
    }

    /** About how long a run takes, in rows. */
    static long work(ForcedSpeculation speculation, LoopLoad load) {
        long[] rows = new long[1];
        walk(
                speculation,
                load,
                Streams.of(0, "work", 0, 0),
                r -> rows[0] += ROUND_WORK + r.rows() + (speculation.kind() == Kind.DRAFT_MODEL ? r.drafts() : 0),
                n -> rows[0] += (long) n * PROMPT_WORK * load.counts() / LoopLoad.SHORT_PROMPT);
        return rows[0];
    }

    /**
     * Walks the rounds of a run. A round's {@code answerCells} are the sum over its rows of the answer's tokens before them;
     * `admitted` is told of requests as they begin.
     */
    static void walk(
            ForcedSpeculation speculation,
            LoopLoad load,
            UniformRandomProvider random,
            RoundVisitor visitor,
            IntConsumer admitted) {
        int[] left = new int[load.concurrency()];
        int waiting = load.requests();
        while (true) {
            int begun = 0;
            int running = 0;
            for (int i = 0; i < left.length; i++) {
                while (left[i] == 0 && waiting > 0) {
                    waiting--;
                    begun++;
                    left[i] = load.outputTokens() - 1;
                }
                running += left[i] > 0 ? 1 : 0;
            }
            if (begun > 0) {
                admitted.accept(begun);
            }
            if (running == 0) {
                return;
            }
            int rows = 0;
            int longest = 0;
            int drafting = 0;
            long cells = 0;
            for (int i = 0; i < left.length; i++) {
                if (left[i] == 0) {
                    continue;
                }
                int draft = speculation.kind() == Kind.NONE ? 0 : Math.min(speculation.drafts(), left[i] - 1);
                int produced = load.outputTokens() - left[i];
                rows += draft + 1;
                cells += (long) (draft + 1) * produced + (long) draft * (draft + 1) / 2;
                longest = Math.max(longest, draft);
                drafting += draft > 0 ? 1 : 0;
                left[i] -= 1 + accepted(speculation, draft, random);
            }
            visitor.round(new Round(drafting, longest, rows, cells));
        }
    }

    private static int accepted(ForcedSpeculation speculation, int draft, UniformRandomProvider random) {
        if (draft == 0) {
            return 0;
        }
        double u = random.nextDouble();
        int a = 0;
        while (a < draft && u < speculation.survival().get(a)) {
            a++;
        }
        return a;
    }
}
