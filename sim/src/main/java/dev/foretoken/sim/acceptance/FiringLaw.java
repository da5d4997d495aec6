package dev.foretoken.sim.acceptance;

import java.util.List;
import org.apache.commons.rng.UniformRandomProvider;

/**
 * A drafter that proposes something only in some rounds (n-gram matching): a round drafts with the fire rate and follows the
 * conditional law, else it commits one token.
 */
public final class FiringLaw implements AcceptanceLaw {
    private final AcceptanceLaw whenFired;
    private final double fireRate;
    private final double[] pmf;

    /**
     * @param whenFired law of rounds in which the drafter proposes something
     * @param fireRate share of such rounds, in [0, 1]
     */
    public FiringLaw(AcceptanceLaw whenFired, double fireRate) {
        this.whenFired = whenFired;
        this.fireRate = Survival.probability(fireRate, "fire_rate");
        this.pmf = mix(whenFired.pmf());
    }

    private double[] mix(double[] conditional) {
        double[] mixed = new double[conditional.length];
        for (int j = 0; j < mixed.length; j++) {
            mixed[j] = fireRate * conditional[j];
        }
        mixed[0] += 1 - fireRate;
        return mixed;
    }

    public AcceptanceLaw whenFired() {
        return whenFired;
    }

    public double fireRate() {
        return fireRate;
    }

    @Override
    public double[] pmf() {
        return pmf;
    }

    @Override
    public double acceptLength() {
        return 1 + fireRate * (whenFired.acceptLength() - 1);
    }

    @Override
    public List<RequestClass> requestClasses() {
        return whenFired.requestClasses().stream()
                .map(c -> new RequestClass(c.weight(), mix(c.pmf())))
                .toList();
    }

    @Override
    public boolean correlatedRounds() {
        return whenFired.correlatedRounds() && fireRate > 0;
    }

    /** True when a round with this uniform number drafts; the sampler uses the same rule. */
    public boolean fires(double u) {
        return u >= 1 - fireRate;
    }

    @Override
    public RoundSampler sampler() {
        RoundSampler inner = whenFired.sampler();
        return new RoundSampler() {
            @Override
            public double newRequest(UniformRandomProvider rng) {
                return inner.newRequest(rng);
            }

            @Override
            public double firstState(double requestShare, UniformRandomProvider rng) {
                return inner.firstState(requestShare, rng);
            }

            @Override
            public double nextState(double requestShare, double state, UniformRandomProvider rng) {
                return inner.nextState(requestShare, state, rng);
            }

            @Override
            public int tokens(double requestShare, double state, double u) {
                return fires(u) ? inner.tokens(requestShare, state, (u - (1 - fireRate)) / fireRate) : 1;
            }
        };
    }
}
