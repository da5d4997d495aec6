package dev.foretoken.calibration.host;

import dev.foretoken.calibration.host.ForcedSpeculation.Kind;
import java.util.function.IntConsumer;
import org.apache.commons.rng.UniformRandomProvider;

/**
 * One run of a closed loop round by round, as llama.cpp serves it: every running request takes part in every round with its
 * token and its draft, a draft is cut so that it cannot pass the end of the answer, and a finished request is replaced at
 * once; the first token of a request comes with its prompt.
 */
final class LoopSimulator {
    private LoopSimulator() {}

    /** CPU seconds of one run with acceptance drawn from the stream. */
    static double cpuSeconds(
            RoundCosts costs, ForcedSpeculation speculation, LoopLoad load, UniformRandomProvider random) {
        double[] us = new double[1];
        walk(
                speculation,
                load,
                random,
                (sequences, drafts, rows) -> us[0] += costs.us(speculation.kind(), sequences, drafts, rows),
                n -> us[0] += n * costs.requestUs().get(speculation.kind()));
        return us[0] * 1e-6;
    }

    /** Told of every round. */
    interface RoundVisitor {
        void round(int sequences, int drafts, int rows);
    }

    /** Walks the rounds of a run; `admitted` is told of requests as they begin. */
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
            for (int i = 0; i < left.length; i++) {
                if (left[i] == 0) {
                    continue;
                }
                int draft = speculation.kind() == Kind.NONE ? 0 : Math.min(speculation.drafts(), left[i] - 1);
                rows += draft + 1;
                longest = Math.max(longest, draft);
                drafting += draft > 0 ? 1 : 0;
                left[i] -= 1 + accepted(speculation, draft, random);
            }
            visitor.round(drafting, longest, rows);
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
