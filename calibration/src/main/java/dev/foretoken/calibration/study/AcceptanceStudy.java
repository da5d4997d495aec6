package dev.foretoken.calibration.study;

import dev.foretoken.calibration.acceptance.Dependence;
import dev.foretoken.calibration.acceptance.Evidence;
import dev.foretoken.calibration.acceptance.GoodnessOfFit;
import dev.foretoken.calibration.acceptance.JointRange;
import dev.foretoken.calibration.acceptance.NextRun;
import dev.foretoken.calibration.acceptance.SamplingError;
import dev.foretoken.calibration.acceptance.SrtFitter;
import dev.foretoken.calibration.acceptance.SrtIntervals;
import dev.foretoken.formats.acceptance.AcceptanceFile.Interval;
import dev.foretoken.sim.acceptance.AcceptanceForm;
import dev.foretoken.sim.acceptance.Design;
import dev.foretoken.sim.acceptance.LawBand;
import dev.foretoken.sim.acceptance.Laws;
import dev.foretoken.sim.acceptance.Parameter;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * A fit of the spine, rank, tail family with what a reader must know to trust it.
 *
 * @param form for an acceptance file: parameters that the data determine are exact, rho and kappa where they do not carry their
 *     interval, so that predictions carry a band
 * @param intervals of all six parameters
 * @param sampling what the finite evidence leaves open in the accept length of a design
 * @param joint the same along rho and kappa where both were fitted and one is wide; null otherwise
 * @param dependence of the rounds of a request; null when requests were not told apart
 * @param goodness every observed histogram, in sample
 * @param held histograms of one design predicted from all other designs; empty with a single design
 * @param today half-widths without another run
 * @param next further runs, the one that narrows kappa most first
 */
public record AcceptanceStudy(
        AcceptanceForm.Srt form,
        SrtIntervals intervals,
        SamplingError sampling,
        JointRange joint,
        Dependence dependence,
        List<GoodnessOfFit.Row> goodness,
        List<GoodnessOfFit.Row> held,
        NextRun today,
        List<NextRun> next) {
    /** Names of the six parameters in the order of {@link SrtIntervals}. */
    public static final List<String> NAMES = List.of("a", "b", "c1", "sigma", "rho", "kappa");

    /** An interval of rho or kappa that is wider than this leaves it open. */
    private static final double WIDE = 0.5;

    /** An interval of rho or kappa that is wider than this is as good as the whole range. */
    private static final double WHOLE = 0.9;

    private static final int RHO = 4;
    private static final int KAPPA = 5;

    private static final int FEWEST_REQUESTS = 10;
    /** Designs up to which each is predicted from the others: one fit per design. */
    private static final int MOST_HELD = 4;

    public AcceptanceStudy {
        goodness = List.copyOf(goodness);
        held = List.copyOf(held);
        next = List.copyOf(next);
    }

    /**
     * How to fit.
     *
     * @param depth positions that the drafter drafts; null for the deepest design seen
     * @param ranks candidates per position of the law
     * @param level of intervals
     * @param nextRounds rounds of a further run
     */
    public record Options(Integer depth, int ranks, double level, double nextRounds) {
        public Options {
            if (depth != null && depth < 1 || ranks < 1) {
                throw new IllegalArgumentException("depth and ranks must be at least 1: " + depth + ", " + ranks);
            }
            if (!(level > 0 && level < 1)) {
                throw new IllegalArgumentException("the level of an interval must lie between 0 and 1: " + level);
            }
            if (!(nextRounds >= 1) || Double.isInfinite(nextRounds)) {
                throw new IllegalArgumentException("a further run has at least one round: " + nextRounds);
            }
        }
    }

    /**
     * Fits evidence.
     *
     * @param collected with at least one piece of evidence
     * @throws IllegalArgumentException when a design drafts more positions than the depth that was given
     */
    public static AcceptanceStudy of(Collected collected, Options options) {
        List<Evidence> evidence = collected.evidence();
        int deepest = deepest(evidence);
        if (options.depth() != null && options.depth() < deepest) {
            throw new IllegalArgumentException(
                    "a source drafts " + deepest + " positions, --depth says " + options.depth());
        }
        int depth = options.depth() == null ? deepest : options.depth();
        SrtFitter fitter = new SrtFitter(evidence, depth, options.ranks());
        SrtFitter.Point best = fitter.fit();
        SrtIntervals intervals = SrtIntervals.of(fitter, best, options.level());
        List<Evidence.RequestRounds> rounds = evidence.stream()
                .filter(Evidence.RequestRounds.class::isInstance)
                .map(Evidence.RequestRounds.class::cast)
                .toList();
        Dependence dependence = dependence(rounds, best.form(), collected.ordered());
        return new AcceptanceStudy(
                form(intervals, dependence),
                intervals,
                new SamplingError(fitter, best, intervals),
                wide(intervals) ? JointRange.of(fitter, best, intervals) : null,
                dependence,
                GoodnessOfFit.compare(best.form(), evidence, evidence),
                held(evidence, depth, options.ranks()),
                NextRun.today(fitter, best, intervals),
                NextRun.rank(fitter, best, intervals, options.nextRounds()));
    }

    private static int deepest(List<Evidence> evidence) {
        int deepest = 1;
        for (Evidence e : evidence) {
            Design design = design(e);
            if (design != null) {
                deepest = Math.max(deepest, positions(design));
            } else if (e instanceof Evidence.FirstMissRank f) {
                deepest = Math.max(deepest, f.depth());
            } else if (e instanceof Evidence.AfterSibling s) {
                deepest = Math.max(deepest, s.depth());
            }
        }
        return deepest;
    }

    private static int positions(Design design) {
        if (design instanceof Design.Chain c) {
            return c.length();
        }
        if (design instanceof Design.Tree t) {
            return t.depth();
        }
        return design instanceof Design.Eagle e ? e.settings().steps() : ((Design.CostAware) design).depth();
    }

    /** Design of a piece of evidence, null for a probe. */
    public static Design design(Evidence e) {
        if (e instanceof Evidence.RequestRounds r) {
            return r.design();
        }
        if (e instanceof Evidence.Histogram h) {
            return h.design();
        }
        return e instanceof Evidence.MeanTokens m ? m.design() : null;
    }

    private static Dependence dependence(
            List<Evidence.RequestRounds> rounds, AcceptanceForm.Srt form, boolean ordered) {
        int requests = rounds.stream().mapToInt(r -> r.requests().size()).max().orElse(0);
        if (requests < FEWEST_REQUESTS) {
            return null;
        }
        Dependence d = Dependence.of(rounds, form);
        if (!Double.isFinite(d.lag1()) || !Double.isFinite(d.requestVarianceRatio())) {
            return null; // rounds that never differ show no dependence
        }
        return ordered ? d : new Dependence(0, d.requestShare(), d.lag1(), d.requestVarianceRatio());
    }

    private static AcceptanceForm.Srt form(SrtIntervals intervals, Dependence dependence) {
        AcceptanceForm.Srt f = intervals.form();
        return new AcceptanceForm.Srt(
                Parameter.exact(f.a().value()),
                Parameter.exact(f.b().value()),
                Parameter.exact(f.c1().value()),
                Parameter.exact(f.sigma().value()),
                openOrExact(f.rho(), intervals.identified().get(RHO)),
                openOrExact(f.kappa(), intervals.identified().get(KAPPA)),
                f.depth(),
                f.ranks(),
                dependence == null ? 0 : dependence.autocorrelation(),
                dependence == null ? 0 : dependence.requestShare());
    }

    /** Whether rho and kappa were both fitted, and one of them is carried as an interval. */
    private static boolean wide(SrtIntervals intervals) {
        AcceptanceForm.Srt f = intervals.form();
        return intervals.identified().get(RHO)
                && intervals.identified().get(KAPPA)
                && (!openOrExact(f.rho(), true).isExact()
                        || !openOrExact(f.kappa(), true).isExact());
    }

    /** How far the data determine a parameter. */
    public enum Known {
        /** Fitted, with an interval that a file leaves out. */
        YES,
        /** Fitted, with an interval so wide that a file carries it. */
        PARTLY,
        /** Nothing speaks of it, or what does leaves (nearly) its whole range. */
        NO
    }

    /** How far the data determine a parameter, by its place in {@link #NAMES}. */
    public Known known(int k) {
        if (!intervals.identified().get(k)) {
            return Known.NO;
        }
        if (k != RHO && k != KAPPA) {
            return Known.YES;
        }
        Parameter p = parameters().get(k);
        double width = p.hi() - p.lo();
        return width >= WHOLE ? Known.NO : width > WIDE ? Known.PARTLY : Known.YES;
    }

    private static Parameter openOrExact(Parameter p, boolean identified) {
        return identified && p.hi() - p.lo() <= WIDE ? Parameter.exact(p.value()) : p;
    }

    /** One design predicted from all others, for every design with a histogram. */
    private static List<GoodnessOfFit.Row> held(List<Evidence> evidence, int depth, int ranks) {
        Map<Design, List<Evidence>> byDesign = new LinkedHashMap<>();
        for (Evidence e : evidence) {
            if (e instanceof Evidence.RequestRounds || e instanceof Evidence.Histogram) {
                byDesign.computeIfAbsent(design(e), d -> new ArrayList<>()).add(e);
            }
        }
        List<GoodnessOfFit.Row> rows = new ArrayList<>();
        if (byDesign.size() < 2 || byDesign.size() > MOST_HELD) {
            return rows;
        }
        byDesign.forEach((left, target) -> {
            List<Evidence> others =
                    evidence.stream().filter(e -> !left.equals(design(e))).toList();
            AcceptanceForm.Srt form = new SrtFitter(others, depth, ranks).fit().form();
            GoodnessOfFit.compare(form, others, target).stream()
                    .filter(r -> !r.inSample())
                    .forEach(rows::add);
        });
        return rows;
    }

    /**
     * Accept length of a design with its interval: over what no evidence speaks of (the law's band), and beyond it on both
     * sides what the finite evidence leaves open. Where evidence speaks of rho and kappa but leaves them wide, over the pairs
     * that it allows, not over the corners of their intervals.
     *
     * @return value, low and high in tokens per round, within what the design can commit
     */
    public Parameter acceptLength(Design design) {
        LawBand law = Laws.of(form, design);
        double half = sampling.halfWidth(design);
        double value = law.central().acceptLength();
        if (joint != null) {
            double[] around = joint.around(design);
            return new Parameter(
                    value,
                    Math.max(1, value + Math.min(-half, around[0])),
                    Math.min(Math.max(value, law.central().pmf().length), value + Math.max(half, around[1])));
        }
        return new Parameter(
                value,
                Math.min(value, Math.max(1, law.lowAcceptLength() - half)),
                Math.max(value, Math.min(law.central().pmf().length, law.highAcceptLength() + half)));
    }

    /** Every parameter in the order of {@link #NAMES}. */
    public List<Parameter> parameters() {
        AcceptanceForm.Srt f = intervals.form();
        return List.of(f.a(), f.b(), f.c1(), f.sigma(), f.rho(), f.kappa());
    }

    /** Intervals for an acceptance file. */
    public Map<String, Interval> fileIntervals() {
        Map<String, Interval> map = new LinkedHashMap<>();
        List<Parameter> p = parameters();
        for (int k = 0; k < NAMES.size(); k++) {
            map.put(NAMES.get(k), new Interval(p.get(k).lo(), p.get(k).hi(), intervals.level()));
        }
        return map;
    }
}
