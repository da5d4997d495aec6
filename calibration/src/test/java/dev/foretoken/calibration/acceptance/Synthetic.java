package dev.foretoken.calibration.acceptance;

import dev.foretoken.sim.acceptance.AcceptanceForm;
import dev.foretoken.sim.acceptance.Design;
import dev.foretoken.sim.acceptance.LatentRound;
import dev.foretoken.sim.acceptance.Laws;
import dev.foretoken.sim.acceptance.RoundSampler;
import dev.foretoken.sim.random.Streams;
import java.util.ArrayList;
import java.util.List;
import org.apache.commons.rng.UniformRandomProvider;

/** Synthetic evidence from known parameters. */
final class Synthetic {
    private Synthetic() {}

    /** Rounds of prompts whose share of the difficulty is the same at every design. */
    static Evidence.RequestRounds rounds(AcceptanceForm.Srt truth, Design design, int requests, int rounds, long seed) {
        RoundSampler sampler = Laws.of(truth, design).central().sampler();
        List<Evidence.Request> out = new ArrayList<>();
        for (int q = 0; q < requests; q++) {
            double share = sampler.newRequest(Streams.of(seed, "prompt", 0, q));
            UniformRandomProvider rng = Streams.of(seed, Evidence.name(design), 0, q);
            double state = sampler.firstState(share, rng);
            int[] tokens = new int[rounds];
            for (int i = 0; i < rounds; i++) {
                state = i == 0 ? state : sampler.nextState(share, state, rng);
                tokens[i] = sampler.tokens(share, state, rng.nextDouble());
            }
            out.add(new Evidence.Request("prompt-" + q, tokens));
        }
        return new Evidence.RequestRounds(design, out);
    }

    /** A marginal trace whose difficulty is drawn from the nodes of the laws' quadrature, so that laws and trace agree. */
    static List<MarginalRound> trace(AcceptanceForm.Srt truth, int rounds, long seed) {
        UniformRandomProvider rng = Streams.of(seed, "trace", 0, 0);
        List<MarginalRound> out = new ArrayList<>();
        for (int i = 0; i < rounds; i++) {
            double u = rng.nextDouble();
            int node = 0;
            while (node < LatentRound.NODES - 1 && u >= LatentRound.weight(node)) {
                u -= LatentRound.weight(node++);
            }
            double[][] p = LatentRound.rankProbabilities(truth, LatentRound.z(node));
            double[][] logs = new double[p.length][];
            int[] target = new int[p.length];
            boolean spine = true;
            boolean known = true;
            for (int d = 0; d < p.length; d++) {
                logs[d] = new double[p[d].length];
                double v = rng.nextDouble();
                target[d] = -1;
                for (int r = 0; r < p[d].length; r++) {
                    logs[d][r] = Math.log(p[d][r]);
                    double chance = spine ? p[d][r] : truth.kappa().value() * p[d][r];
                    if (known && target[d] < 0 && v < chance) {
                        target[d] = r;
                    }
                    v -= chance;
                }
                known &= target[d] >= 0;
                spine &= target[d] == 0;
            }
            out.add(new MarginalRound(logs, target));
        }
        return out;
    }
}
