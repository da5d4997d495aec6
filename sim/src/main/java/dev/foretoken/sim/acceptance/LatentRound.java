package dev.foretoken.sim.acceptance;

import dev.foretoken.sim.tree.BestFirst;
import dev.foretoken.sim.tree.TopPaths;

/**
 * One round of the spine, rank, tail family at a known difficulty z: what the drafter believes at every depth and rank. The
 * rounds of the family are the mixture over z ~ N(0, 1), by the 9-node rule of {@link #NODES}.
 */
public final class LatentRound {
    /** Nodes of the Gauss-Hermite rule over z. */
    public static final int NODES = 9;

    /**
     * Positive nodes and the weights of the rule for exp(-x^2), node 0 first (Abramowitz and Stegun, table 25.10). Held as
     * constants: a tree has exact ties between paths off the spine, which an error in the last digits of a node would break.
     */
    private static final double[][] RULE = {
        {0, 0.720235215606050957124334723389},
        {0.723551018752837573322639864579, 0.432651559002555750199812112956},
        {1.46855328921666793166701573925, 0.0884745273943765732879751147476},
        {2.26658058453184311180209693284, 0.00494362427553694721722456597763},
        {3.19099320178152760723004779538, 0.000039606977263264381904586294605},
    };

    private static final double[] NODE_Z = new double[NODES];
    private static final double[] NODE_WEIGHT = new double[NODES];

    static {
        int middle = NODES / 2;
        for (int i = 0; i <= middle; i++) {
            double z = Math.sqrt(2) * RULE[i][0];
            double weight = RULE[i][1] / Math.sqrt(Math.PI);
            NODE_Z[middle + i] = z;
            NODE_Z[middle - i] = -z;
            NODE_WEIGHT[middle + i] = weight;
            NODE_WEIGHT[middle - i] = weight;
        }
    }

    private LatentRound() {}

    /** Node 0..8 of z, rising. */
    public static double z(int node) {
        return NODE_Z[node];
    }

    /** Weight of a node; the weights sum to 1. */
    public static double weight(int node) {
        return NODE_WEIGHT[node];
    }

    /**
     * Probabilities by depth - 1 and rank, by the central parameters.
     *
     * @return depth x ranks of the form, each row falling
     */
    public static double[][] rankProbabilities(AcceptanceForm.Srt form, double z) {
        return SrtLaws.spine(form, form.depth())
                .ranks(z, form.depth(), form.ranks(), form.rho().value());
    }

    /** Survival by depth of a design in rounds of a known difficulty. A workspace: not safe for use by several threads. */
    public static final class AtDifficulty {
        private final AcceptanceForm.Srt form;
        private final Spine spine;
        private final TreeShape shape;
        private final double kappa;
        private final BestFirst workspace = new BestFirst();
        private final TopPaths paths = new TopPaths();

        /** Takes the central parameters of the form. */
        public AtDifficulty(AcceptanceForm.Srt form, Design design) {
            Design d = Laws.normalised(design);
            this.form = form;
            this.shape = SrtLaws.shape(d, form.depth());
            this.spine = SrtLaws.spine(form, shape.depth());
            this.kappa = SrtLaws.kappa(form, d);
        }

        /** Largest number of accepted drafts. */
        public int depth() {
            return shape.depth();
        }

        /** Adds weight * P(at least d drafts accepted | z) to entry d - 1. */
        public void addSurvival(double z, double weight, double[] sum) {
            double[][] p = spine.ranks(
                    z,
                    shape.depth(),
                    Math.min(form.ranks(), shape.topK()),
                    form.rho().value());
            if (shape instanceof TreeShape.BestFirstTree tree) {
                paths.addSurvival(p, tree.options(), kappa, weight, sum);
                return;
            }
            double[] survival = new double[shape.depth()];
            shape.survival(p, kappa, workspace, survival);
            for (int d = 0; d < survival.length; d++) {
                sum[d] += weight * survival[d];
            }
        }
    }
}
