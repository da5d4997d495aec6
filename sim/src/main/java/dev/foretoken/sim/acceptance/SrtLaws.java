package dev.foretoken.sim.acceptance;

import dev.foretoken.sim.tree.TreeOptions;
import java.util.ArrayList;
import java.util.List;

/** Laws of the spine, rank, tail family and of a given spine in a tree. */
final class SrtLaws {
    /** Ratio of ranks and off-spine factor of a block drafter where nothing is known of them (Qwen3-4B with DFlash). */
    static final double TYPICAL_RHO = 0.32;

    static final double TYPICAL_KAPPA = 0.64;
    /** Range of the ratio of ranks over which a spine alone leaves a tree open. */
    static final double LOW_RHO = 0.2;

    static final double HIGH_RHO = 0.5;
    /** Candidates per position where neither the engine nor the form limits them. */
    static final int DEFAULT_RANKS = 24;

    private SrtLaws() {}

    static LawBand of(AcceptanceForm.Srt f, Design design) {
        TreeShape shape = shape(design, f.depth());
        List<String> notes = new ArrayList<>();
        int drafted = depth(design);
        if (drafted > f.depth()) {
            notes.add("srt covers " + f.depth() + " positions of the " + drafted
                    + " drafted: deeper ones are taken as never accepted, so the figures are a lower bound");
        }
        double override = kappaOverride(design);
        AcceptanceLaw central = law(
                f,
                shape,
                f.a().value(),
                f.b().value(),
                f.c1().value(),
                f.sigma().value(),
                f.rho().value(),
                kappa(f, design));
        List<AcceptanceLaw> corners = new ArrayList<>();
        List<String> open = new ArrayList<>();
        boolean branches = shape.topK() > 1;
        double[] a = ends(f.a(), "a", open, true);
        double[] b = ends(f.b(), "b", open, true);
        double[] c1 = ends(f.c1(), "c1", open, true);
        double[] sigma = ends(f.sigma(), "sigma", open, true);
        double[] rho = ends(f.rho(), "rho", open, branches);
        double[] kappa = Double.isNaN(override) ? ends(f.kappa(), "kappa", open, branches) : new double[] {override};
        if (open.isEmpty()) {
            return new LawBand(central, List.of(), null, notes);
        }
        for (double va : a) {
            for (double vb : b) {
                for (double vc : c1) {
                    for (double vs : sigma) {
                        for (double vr : rho) {
                            for (double vk : kappa) {
                                corners.add(law(f, shape, va, vb, vc, vs, vr, vk));
                            }
                        }
                    }
                }
            }
        }
        return new LawBand(central, corners, "srt: " + String.join(", ", open), notes);
    }

    private static double[] ends(Parameter p, String name, List<String> open, boolean matters) {
        if (p.isExact() || !matters) {
            return new double[] {p.value()};
        }
        open.add(name + " in [" + p.lo() + ", " + p.hi() + "]");
        return new double[] {p.lo(), p.hi()};
    }

    private static AcceptanceLaw law(
            AcceptanceForm.Srt f,
            TreeShape shape,
            double a,
            double b,
            double c1,
            double sigma,
            double rho,
            double kappa) {
        return new SpineTreeLaw(
                Spine.logistic(a, b, c1, sigma, shape.depth()),
                rho,
                kappa,
                f.ranks(),
                shape,
                f.zAutocorrelation(),
                f.zRequestShare());
    }

    /** Accept length at every budget 0..B of the design, by the central parameters. */
    static double[] acceptLengthCurve(AcceptanceForm.Srt f, Design.Tree design) {
        int depth = Math.min(design.depth(), f.depth());
        return SpineTreeLaw.acceptLengthCurve(
                Spine.logistic(
                        f.a().value(), f.b().value(), f.c1().value(), f.sigma().value(), depth),
                f.rho().value(),
                Double.isNaN(design.kappaOverride()) ? f.kappa().value() : design.kappaOverride(),
                f.ranks(),
                new TreeShape.BestFirstTree(
                        depth, new TreeOptions(design.budget(), design.topK(), design.chainSeed(), 0, 0, List.of())));
    }

    /** A tree around a spine of which only the survival along the chain is known. */
    static LawBand around(double[] survival, Design design) {
        Spine spine = Spine.fixed(Survival.toConditional(survival));
        TreeShape shape = shape(design, survival.length);
        int ranks = shape.topK() == TreeOptions.UNLIMITED ? DEFAULT_RANKS : shape.topK();
        double override = kappaOverride(design);
        boolean kappaKnown = !Double.isNaN(override);
        AcceptanceLaw central =
                new SpineTreeLaw(spine, TYPICAL_RHO, kappaKnown ? override : TYPICAL_KAPPA, ranks, shape, 0, 0);
        List<AcceptanceLaw> corners = new ArrayList<>();
        for (double rho : new double[] {LOW_RHO, HIGH_RHO}) {
            for (double kappa : kappaKnown ? new double[] {override} : new double[] {0, 1}) {
                corners.add(new SpineTreeLaw(spine, rho, kappa, ranks, shape, 0, 0));
            }
        }
        String range = "rho in [" + LOW_RHO + ", " + HIGH_RHO + "]" + (kappaKnown ? "" : ", kappa in [0, 1]");
        return new LawBand(
                central,
                corners,
                "per_position leaves the branches of a tree open: " + range,
                List.of("the branches around the given spine are assumed: rho " + TYPICAL_RHO
                        + (kappaKnown ? "" : ", kappa " + TYPICAL_KAPPA)));
    }

    /** Drafted positions of a design. */
    static int depth(Design design) {
        if (design instanceof Design.Chain chain) {
            return chain.length();
        }
        if (design instanceof Design.Tree tree) {
            return Math.min(tree.depth(), tree.budget());
        }
        if (design instanceof Design.CostAware cost) {
            return Math.min(cost.depth(), cost.maxBudget());
        }
        Design.Eagle eagle = (Design.Eagle) design;
        return Math.min(eagle.settings().steps(), eagle.settings().draftTokens() - 1);
    }

    /** The spine by the central parameters, over the given depth. */
    static Spine spine(AcceptanceForm.Srt f, int depth) {
        return Spine.logistic(
                f.a().value(), f.b().value(), f.c1().value(), f.sigma().value(), depth);
    }

    /** The central off-spine factor, or what the design puts in its place. */
    static double kappa(AcceptanceForm.Srt f, Design design) {
        double override = kappaOverride(design);
        return Double.isNaN(override) ? f.kappa().value() : override;
    }

    private static double kappaOverride(Design design) {
        return design instanceof Design.Tree tree ? tree.kappaOverride() : Double.NaN;
    }

    static TreeShape shape(Design design, int knownDepth) {
        int depth = Math.min(depth(design), knownDepth);
        if (design instanceof Design.Tree tree) {
            if (tree.topK() == 1) {
                return new TreeShape.Chain(depth);
            }
            return new TreeShape.BestFirstTree(
                    depth, new TreeOptions(tree.budget(), tree.topK(), tree.chainSeed(), 0, 0, List.of()));
        }
        if (design instanceof Design.CostAware cost) {
            return new TreeShape.CostAwareTree(
                    depth,
                    new TreeOptions(cost.maxBudget(), cost.topK(), cost.chainSeed(), 0, 0, List.of()),
                    cost.costMs());
        }
        if (design instanceof Design.Eagle eagle) {
            return new TreeShape.EagleShape(depth, eagle.settings());
        }
        return new TreeShape.Chain(depth);
    }
}
