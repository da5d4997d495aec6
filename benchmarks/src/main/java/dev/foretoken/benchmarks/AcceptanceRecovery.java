package dev.foretoken.benchmarks;

import dev.foretoken.calibration.acceptance.Evidence;
import dev.foretoken.calibration.acceptance.SrtFitter;
import dev.foretoken.calibration.acceptance.SrtIntervals;
import dev.foretoken.sim.acceptance.AcceptanceForm;
import dev.foretoken.sim.acceptance.Design;
import dev.foretoken.sim.acceptance.Laws;
import dev.foretoken.sim.acceptance.Parameter;
import dev.foretoken.sim.acceptance.RoundSampler;
import dev.foretoken.sim.random.Streams;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.apache.commons.rng.UniformRandomProvider;

/**
 * Coverage of the 90 % intervals of a fit over many seeds: rounds of 128 prompts at a chain and at a tree, with a request share
 * and autocorrelation. Prints how often each parameter's interval holds the truth; 80 to 98 of 100 is right. Argument: seeds
 * (100).
 */
public final class AcceptanceRecovery {
    private static final String[] NAMES = {"a", "b", "c1", "sigma", "rho", "kappa"};
    private static final AcceptanceForm.Srt TRUTH =
            AcceptanceForm.Srt.of(2.2, 0.13, -1.2, 1.3, 0.32, 0.64, 7, 8).withDependence(0.56, 0.16);

    private AcceptanceRecovery() {}

    public static void main(String[] args) {
        int seeds = args.length > 0 ? Integer.parseInt(args[0]) : 100;
        int[] covered = new int[NAMES.length];
        double[] width = new double[NAMES.length];
        IntStream.rangeClosed(1, seeds).forEach(seed -> {
            List<Evidence> evidence =
                    List.of(rounds(new Design.Tree(7, 8, 16, false), seed), rounds(new Design.Chain(7), seed));
            SrtFitter fitter = new SrtFitter(evidence, 7, 8);
            Parameter[] found =
                    parameters(SrtIntervals.of(fitter, fitter.fit(), 0.9).form());
            for (int k = 0; k < found.length; k++) {
                double truth = parameters(TRUTH)[k].value();
                covered[k] += found[k].lo() <= truth && truth <= found[k].hi() ? 1 : 0;
                width[k] += (found[k].hi() - found[k].lo()) / seeds;
            }
            System.err.print("\r" + seed + "/" + seeds);
        });
        System.err.println();
        for (int k = 0; k < NAMES.length; k++) {
            System.out.printf("%-6s covered %d of %d, mean width %.3f%n", NAMES[k], covered[k], seeds, width[k]);
        }
    }

    private static Parameter[] parameters(AcceptanceForm.Srt f) {
        return new Parameter[] {f.a(), f.b(), f.c1(), f.sigma(), f.rho(), f.kappa()};
    }

    private static Evidence.RequestRounds rounds(Design design, int seed) {
        RoundSampler sampler = Laws.of(TRUTH, design).central().sampler();
        List<Evidence.Request> out = new ArrayList<>();
        for (int q = 0; q < 128; q++) {
            double share = sampler.newRequest(Streams.of(seed, "prompt", 0, q));
            UniformRandomProvider rng = Streams.of(seed, design.toString(), 0, q);
            double state = sampler.firstState(share, rng);
            int[] tokens = new int[32];
            for (int i = 0; i < tokens.length; i++) {
                state = i == 0 ? state : sampler.nextState(share, state, rng);
                tokens[i] = sampler.tokens(share, state, rng.nextDouble());
            }
            out.add(new Evidence.Request("prompt-" + q, tokens));
        }
        return new Evidence.RequestRounds(design, out);
    }
}
