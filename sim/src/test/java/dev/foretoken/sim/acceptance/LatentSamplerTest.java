package dev.foretoken.sim.acceptance;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.foretoken.sim.random.Streams;
import java.util.List;
import org.apache.commons.rng.UniformRandomProvider;
import org.junit.jupiter.api.Test;

class LatentSamplerTest {
    private static final AcceptanceForm.Srt SRT =
            AcceptanceForm.Srt.of(2.219, 0.128, -1.203, 1.354, 0.319, 0.643, 15, 24);

    private static AcceptanceLaw law(AcceptanceForm.Srt form, int budget) {
        return Laws.of(form, new Design.Tree(15, 24, budget, false)).central();
    }

    @Test
    void classesMixToTheLawAndDiffer() {
        AcceptanceLaw law = law(SRT.withDependence(0.56, 0.16), 64);
        assertTrue(law.correlatedRounds());
        List<AcceptanceLaw.RequestClass> classes = law.requestClasses();
        assertEquals(LatentRound.NODES, classes.size());
        double weight = 0;
        double mean = 0;
        double before = 0;
        for (AcceptanceLaw.RequestClass c : classes) {
            double tau = PmfLaw.of(c.pmf()).acceptLength();
            assertTrue(tau > before);
            before = tau;
            weight += c.weight();
            mean += c.weight() * tau;
        }
        assertEquals(1, weight, 1e-12);
        // 81 points against 9: the tree changes its shape with z, so the rules differ by some per mille
        assertEquals(law.acceptLength(), mean, 0.003 * law.acceptLength());
        assertEquals(1, law(SRT, 64).requestClasses().size());
        assertFalse(law(SRT, 64).correlatedRounds());
    }

    @Test
    void roundsHaveTheMeanAndTheDependenceOfTheLaw() {
        double phi = 0.56;
        double share = 0.16;
        AcceptanceLaw law = law(SRT.withDependence(phi, share), 64);
        RoundSampler sampler = law.sampler();
        int requests = 4000;
        int rounds = 30;
        double[] means = new double[requests];
        double sum = 0;
        double cross = 0;
        double square = 0;
        double tau = law.acceptLength();
        for (int r = 0; r < requests; r++) {
            UniformRandomProvider rng = Streams.of(7, "rounds", 0, r);
            double own = sampler.newRequest(rng);
            double state = sampler.firstState(own, rng);
            double before = Double.NaN;
            for (int i = 0; i < rounds; i++) {
                state = i == 0 ? state : sampler.nextState(own, state, rng);
                double x = sampler.tokens(own, state, rng.nextDouble()) - tau;
                means[r] += x / rounds;
                square += x * x;
                if (i > 0) {
                    cross += x * before;
                }
                before = x;
            }
            sum += means[r];
        }
        double mean = sum / requests;
        double between = 0;
        for (double m : means) {
            between += (m - mean) * (m - mean) / (requests - 1);
        }
        double se = Math.sqrt(between / requests);
        assertTrue(Math.abs(mean) <= 4 * se + 0.003 * tau, "mean off by " + mean + ", standard error " + se);
        double lag1 = cross / (requests * (rounds - 1.0)) / (square / (requests * (double) rounds));
        // logged rounds with these parameters: .27 within requests and 2.1 times the variance of independent rounds
        assertEquals(0.32, lag1, 0.05);
        assertTrue(between / (square / requests / rounds / rounds) > 2);
    }

    @Test
    void nestedTreesAreOrderedPathByPath() {
        RoundSampler small = law(SRT.withDependence(0.5, 0.2), 16).sampler();
        RoundSampler large = law(SRT.withDependence(0.5, 0.2), 64).sampler();
        UniformRandomProvider rng = Streams.of(3, "order", 0, 0);
        for (int i = 0; i < 20_000; i++) {
            double own = small.newRequest(rng);
            double state = small.firstState(own, rng);
            double u = rng.nextDouble();
            assertTrue(small.tokens(own, state, u) <= large.tokens(own, state, u));
        }
    }
}
