package dev.foretoken.sim.acceptance;

import dev.foretoken.sim.tree.BestFirst;
import dev.foretoken.sim.tree.RankScores;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * Exact law of the tokens per round of a tree or chain under the spine, rank, tail family: for each node of a 9-node
 * Gauss-Hermite rule over the latent difficulty z the tree is built by the drafter's belief, scored with kappa, and its
 * survival by depth mixed with the weight of the node.
 */
public final class SpineTreeLaw implements AcceptanceLaw {
    private final Spine spine;
    private final double rho;
    private final double kappa;
    private final int ranks;
    private final TreeShape shape;
    private final double autocorrelation;
    private final double requestShare;
    private final double[] pmf;
    private final double[] budgetPmf;
    private final double acceptLength;
    private volatile List<RequestClass> classes;
    private volatile RoundSampler sampler;

    SpineTreeLaw(
            Spine spine,
            double rho,
            double kappa,
            int ranks,
            TreeShape shape,
            double autocorrelation,
            double requestShare) {
        this.spine = spine;
        this.rho = rho;
        this.kappa = kappa;
        this.ranks = ranks;
        this.shape = shape;
        this.autocorrelation = spine.latent() ? autocorrelation : 0;
        this.requestShare = spine.latent() ? requestShare : 0;
        List<Integer> budgets = new ArrayList<>();
        double[] survival = mixed(0, 1, budgets);
        this.pmf = pmf(survival);
        this.acceptLength = Survival.acceptLength(survival);
        double[] byBudget = new double[budgets.stream().max(Integer::compare).orElse(0) + 1];
        for (int i = 0; i < budgets.size(); i++) {
            byBudget[budgets.get(i)] += budgets.size() == 1 ? 1 : LatentRound.weight(i);
        }
        this.budgetPmf = byBudget;
    }

    /** Survival averaged over z = offset + scale * standard normal. */
    private double[] mixed(double offset, double scale, List<Integer> budgets) {
        BestFirst workspace = new BestFirst();
        double[] sum = new double[shape.depth()];
        if (!spine.latent() || scale == 0) {
            budgets.add(at(offset, workspace, sum));
            return sum;
        }
        double[] one = new double[sum.length];
        for (int i = 0; i < LatentRound.NODES; i++) {
            Arrays.fill(one, 0);
            budgets.add(at(offset + scale * LatentRound.z(i), workspace, one));
            for (int d = 0; d < sum.length; d++) {
                sum[d] += LatentRound.weight(i) * one[d];
            }
        }
        return sum;
    }

    private int at(double z, BestFirst workspace, double[] survival) {
        double[][] p = spine.ranks(z, shape.depth(), Math.min(ranks, shape.topK()), rho);
        return shape.survival(p, kappa, workspace, survival);
    }

    /** Differences of a survival that may carry rounding errors. */
    private static double[] pmf(double[] survival) {
        double[] pmf = new double[survival.length + 1];
        double before = 1;
        for (int d = 0; d < survival.length; d++) {
            double s = Math.min(before, survival[d]);
            pmf[d] = before - s;
            before = s;
        }
        pmf[survival.length] = before;
        return pmf;
    }

    @Override
    public double[] pmf() {
        return pmf;
    }

    @Override
    public double acceptLength() {
        return acceptLength;
    }

    /** Probability that a round uses a budget of 0, 1, ... nodes; one value unless the budget is cost-aware. */
    public double[] budgetPmf() {
        return budgetPmf.clone();
    }

    /** Mean nodes per round, without the root. */
    public double meanBudget() {
        double mean = 0;
        for (int b = 0; b < budgetPmf.length; b++) {
            mean += b * budgetPmf[b];
        }
        return mean;
    }

    /**
     * One class per node of the request's share of z, each averaged over the rest of z: z = sqrt(s) z_request + sqrt(1 - s)
     * e. The autocorrelation of e is left out.
     */
    @Override
    public List<RequestClass> requestClasses() {
        List<RequestClass> known = classes;
        if (known == null) {
            if (requestShare == 0) {
                known = List.of(new RequestClass(1, pmf));
            } else {
                List<RequestClass> found = new ArrayList<>();
                for (int i = 0; i < LatentRound.NODES; i++) {
                    double[] survival = mixed(
                            Math.sqrt(requestShare) * LatentRound.z(i), Math.sqrt(1 - requestShare), new ArrayList<>());
                    found.add(new RequestClass(LatentRound.weight(i), pmf(survival)));
                }
                known = List.copyOf(found);
            }
            classes = known;
        }
        return known;
    }

    @Override
    public boolean correlatedRounds() {
        return autocorrelation > 0;
    }

    @Override
    public RoundSampler sampler() {
        RoundSampler known = sampler;
        if (known == null) {
            known = autocorrelation > 0 || requestShare > 0
                    ? new LatentSampler(this::survivalAt, shape.depth(), autocorrelation, requestShare)
                    : new InverseCdfSampler(pmf);
            sampler = known;
        }
        return known;
    }

    /** Survival by depth in a round of difficulty z. */
    double[] survivalAt(double z) {
        double[] survival = new double[shape.depth()];
        at(z, new BestFirst(), survival);
        return survival;
    }

    /**
     * Accept lengths of the best-first trees of every budget from 0 to that of the shape, from one expansion per node of z.
     */
    static double[] acceptLengthCurve(Spine spine, double rho, double kappa, int ranks, TreeShape.BestFirstTree shape) {
        int most = shape.options().budget();
        double[] gain = new double[most];
        BestFirst tree = new BestFirst();
        int nodes = spine.latent() ? LatentRound.NODES : 1;
        for (int i = 0; i < nodes; i++) {
            double weight = nodes == 1 ? 1 : LatentRound.weight(i);
            double[][] p =
                    spine.ranks(nodes == 1 ? 0 : LatentRound.z(i), shape.depth(), Math.min(ranks, shape.topK()), rho);
            tree.expand(RankScores.probabilities(p), shape.options());
            double[] path = new double[tree.size()];
            TreeShape.BestFirstTree.addNodes(tree, 0, tree.size(), p, kappa, path, new double[shape.depth()]);
            for (int n = 0; n < path.length; n++) {
                gain[n] += weight * Math.abs(path[n]);
            }
        }
        double[] tau = new double[most + 1];
        tau[0] = 1;
        for (int n = 0; n < most; n++) {
            tau[n + 1] = tau[n] + gain[n];
        }
        return tau;
    }
}
