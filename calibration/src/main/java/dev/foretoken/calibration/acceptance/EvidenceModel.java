package dev.foretoken.calibration.acceptance;

import dev.foretoken.sim.acceptance.AcceptanceForm;
import dev.foretoken.sim.acceptance.Design;
import dev.foretoken.sim.acceptance.LatentRound;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** What each piece of evidence should look like under given parameters, and how far it is from that. */
final class EvidenceModel {
    private static final double LEAST_PROBABILITY = 1e-12;

    /** Rule for chains and probes, which are smooth in z. */
    private static final EvenRule SMOOTH = new EvenRule(31);

    private final List<Evidence> evidence;
    private final List<double[]> observed;
    private final List<NeighbourCovariance> neighbours = new ArrayList<>();
    private final int depth;
    private final int ranks;
    private final int cells;

    EvidenceModel(List<Evidence> evidence, int depth, int ranks) {
        this.evidence = List.copyOf(evidence);
        this.depth = depth;
        this.ranks = ranks;
        this.observed = new ArrayList<>();
        int n = 0;
        for (Evidence e : evidence) {
            double[] counts = observed(e);
            observed.add(counts);
            NeighbourCovariance covariance =
                    e instanceof Evidence.RequestRounds r ? NeighbourCovariance.of(r) : NeighbourCovariance.NONE;
            neighbours.add(covariance);
            n += counts.length + (covariance.known() ? 1 : 0);
        }
        this.cells = n;
    }

    List<Evidence> evidence() {
        return evidence;
    }

    int depth() {
        return depth;
    }

    int ranks() {
        return ranks;
    }

    /** Number of residuals. */
    int cells() {
        return cells;
    }

    /** Counts of one piece of evidence; a mean is one cell that holds the mean. */
    double[] counts(int index) {
        return observed.get(index);
    }

    private double[] observed(Evidence e) {
        if (e instanceof Evidence.RequestRounds r) {
            return padded(r.counts(), r.design());
        }
        if (e instanceof Evidence.Histogram h) {
            return padded(h.rounds().stream().mapToDouble(Double::doubleValue).toArray(), h.design());
        }
        if (e instanceof Evidence.MeanTokens m) {
            return new double[] {m.tokens()};
        }
        if (e instanceof Evidence.FirstMissRank f) {
            double[] counts = new double[f.counts().size() + 1];
            for (int r = 0; r < f.counts().size(); r++) {
                counts[r] = f.counts().get(r);
            }
            counts[counts.length - 1] = f.beyond();
            return counts;
        }
        Evidence.AfterSibling s = (Evidence.AfterSibling) e;
        return new double[] {s.accepted(), s.trials() - s.accepted()};
    }

    /** Counts over every number of tokens that the design can commit; more than that is refused. */
    private double[] padded(double[] counts, Design design) {
        int most = Math.min(positions(design), depth) + 1;
        for (int j = most; j < counts.length; j++) {
            if (counts[j] > 0) {
                throw new IllegalArgumentException(counts[j] + " rounds of " + (j + 1) + " tokens, but "
                        + Evidence.name(design) + " over " + depth + " positions commits at most " + most);
            }
        }
        return Arrays.copyOf(counts, most);
    }

    /** Most drafts that a design can accept. */
    static int positions(Design design) {
        if (design instanceof Design.Chain c) {
            return c.length();
        }
        if (design instanceof Design.Tree t) {
            return Math.min(t.depth(), t.budget());
        }
        if (design instanceof Design.Eagle e) {
            return Math.min(e.settings().steps(), e.settings().draftTokens() - 1);
        }
        Design.CostAware c = (Design.CostAware) design;
        return Math.min(c.depth(), c.maxBudget());
    }

    /** True when a design has branches, so that its rounds depend on rho and kappa. */
    static boolean branches(Design design) {
        if (design instanceof Design.Tree t) {
            return t.topK() > 1 && t.budget() > 1;
        }
        return design instanceof Design.Eagle e && e.settings().topK() > 1
                || design instanceof Design.CostAware c && c.topK() > 1;
    }

    /** Probabilities of the cells of a piece of evidence; for a mean the mean itself. */
    double[] expected(Evidence e, AcceptanceForm.Srt form) {
        if (e instanceof Evidence.RequestRounds r) {
            return pmf(form, r.design());
        }
        if (e instanceof Evidence.Histogram h) {
            return pmf(form, h.design());
        }
        if (e instanceof Evidence.MeanTokens m) {
            return new double[] {mean(pmf(form, m.design()))};
        }
        if (e instanceof Evidence.FirstMissRank f) {
            return firstMissRanks(form, f.depth(), f.counts().size());
        }
        return afterSibling(form, ((Evidence.AfterSibling) e).depth());
    }

    /**
     * Probabilities of 1, 2, ... tokens, by a fine even rule over z. The 9-node rule of the laws will not do for a fit: each of
     * its few trees changes its shape in steps as the parameters move, which makes the likelihood rugged.
     */
    static double[] pmf(AcceptanceForm.Srt form, Design design) {
        return mixture(form, design).pmf();
    }

    /**
     * Rounds of all difficulties.
     *
     * @param pmf probabilities of 1, 2, ... tokens
     * @param latentVariance variance over z of the mean tokens at z: the most covariance that rounds can have through z
     */
    private record Mixture(double[] pmf, double latentVariance) {}

    private static Mixture mixture(AcceptanceForm.Srt form, Design design) {
        LatentRound.AtDifficulty at = new LatentRound.AtDifficulty(form, design);
        EvenRule rule = EvenRule.of(design);
        double[] survival = new double[at.depth()];
        double total = 0;
        double square = 0;
        for (int i = 0; i < rule.size(); i++) {
            double before = total;
            at.addSurvival(rule.z(i), rule.weight(i), survival);
            total = 0;
            for (double s : survival) {
                total += s;
            }
            double tokens = (total - before) / rule.weight(i);
            square += rule.weight(i) * tokens * tokens;
        }
        double[] pmf = new double[survival.length + 1];
        double before = 1;
        for (int d = 0; d < survival.length; d++) {
            double s = Math.min(before, survival[d]);
            pmf[d] = before - s;
            before = s;
        }
        pmf[survival.length] = before;
        return new Mixture(pmf, Math.max(0, square - total * total));
    }

    private static double[] firstMissRanks(AcceptanceForm.Srt form, int walked, int known) {
        double[] cells = new double[known + 1];
        double misses = 0;
        for (int node = 0; node < SMOOTH.size(); node++) {
            double[][] p = LatentRound.rankProbabilities(form, SMOOTH.z(node));
            double reach = SMOOTH.weight(node);
            for (int d = 0; d < Math.min(walked, p.length); d++) {
                double miss = reach * (1 - p[d][0]);
                double named = 0;
                for (int r = 1; r <= known && r < p[d].length; r++) {
                    cells[r - 1] += reach * p[d][r];
                    named += reach * p[d][r];
                }
                cells[known] += Math.max(0, miss - named);
                misses += miss;
                reach *= p[d][0];
            }
        }
        for (int r = 0; r <= known; r++) {
            cells[r] /= misses;
        }
        return cells;
    }

    private static double[] afterSibling(AcceptanceForm.Srt form, int walked) {
        double trials = 0;
        double right = 0;
        for (int node = 0; node < SMOOTH.size(); node++) {
            double[][] p = LatentRound.rankProbabilities(form, SMOOTH.z(node));
            double reach = SMOOTH.weight(node);
            for (int d = 0; d + 1 < Math.min(walked, p.length); d++) {
                double sibling = 0;
                for (int r = 1; r < p[d].length; r++) {
                    sibling += reach * p[d][r];
                }
                trials += sibling;
                right += sibling * form.kappa().value() * p[d + 1][0];
                reach *= p[d][0];
            }
        }
        double rate = trials > 0 ? right / trials : 0;
        return new double[] {rate, 1 - rate};
    }

    /**
     * Signed square roots of the deviance of every cell: their squares sum to twice the gap between the log-likelihood of the
     * saturated model and that of the parameters.
     */
    double[] residuals(AcceptanceForm.Srt form) {
        double[] out = new double[cells];
        int at = 0;
        for (int i = 0; i < evidence.size(); i++) {
            Evidence e = evidence.get(i);
            double[] n = observed.get(i);
            if (e instanceof Evidence.MeanTokens m) {
                double[] pmf = pmf(form, m.design());
                out[at++] = (m.tokens() - mean(pmf)) / Math.sqrt(variance(pmf) / m.rounds());
                continue;
            }
            double total = Arrays.stream(n).sum();
            double[] p;
            if (neighbours.get(i).known()) {
                Mixture mixture = mixture(form, ((Evidence.RequestRounds) e).design());
                p = mixture.pmf();
                out[at++] = neighbours.get(i).shortfall(mixture.latentVariance());
            } else {
                p = expected(e, form);
            }
            for (int j = 0; j < n.length; j++) {
                double mean = total * Math.max(LEAST_PROBABILITY, j < p.length ? p[j] : 0);
                double deviance = n[j] > 0 ? n[j] * Math.log(n[j] / mean) - n[j] + mean : mean;
                out[at++] = Math.copySign(Math.sqrt(2 * Math.max(0, deviance)), n[j] - mean);
            }
        }
        return out;
    }

    static double mean(double[] pmf) {
        double mean = 0;
        for (int j = 0; j < pmf.length; j++) {
            mean += (j + 1) * pmf[j];
        }
        return mean;
    }

    /** Variance of the tokens of a round, with a floor that keeps a mean of certain rounds usable. */
    static double variance(double[] pmf) {
        double mean = mean(pmf);
        double square = 0;
        for (int j = 0; j < pmf.length; j++) {
            square += (j + 1.0) * (j + 1) * pmf[j];
        }
        return Math.max(1e-6, square - mean * mean);
    }

    /** Twice the log-likelihood gap to the saturated model. */
    double deviance(AcceptanceForm.Srt form) {
        double sum = 0;
        for (double r : residuals(form)) {
            sum += r * r;
        }
        return sum;
    }
}
