package dev.foretoken.calibration.acceptance;

import dev.foretoken.sim.acceptance.AcceptanceForm;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import org.apache.commons.math3.analysis.MultivariateFunction;
import org.apache.commons.math3.exception.MathIllegalStateException;
import org.apache.commons.math3.exception.TooManyEvaluationsException;
import org.apache.commons.math3.fitting.leastsquares.LeastSquaresFactory;
import org.apache.commons.math3.fitting.leastsquares.LevenbergMarquardtOptimizer;
import org.apache.commons.math3.fitting.leastsquares.ValueAndJacobianFunction;
import org.apache.commons.math3.linear.Array2DRowRealMatrix;
import org.apache.commons.math3.linear.ArrayRealVector;
import org.apache.commons.math3.linear.RealMatrix;
import org.apache.commons.math3.linear.RealVector;
import org.apache.commons.math3.optim.InitialGuess;
import org.apache.commons.math3.optim.MaxEval;
import org.apache.commons.math3.optim.nonlinear.scalar.GoalType;
import org.apache.commons.math3.optim.nonlinear.scalar.ObjectiveFunction;
import org.apache.commons.math3.optim.nonlinear.scalar.noderiv.NelderMeadSimplex;
import org.apache.commons.math3.optim.nonlinear.scalar.noderiv.SimplexOptimizer;
import org.apache.commons.math3.util.Pair;

/**
 * Maximum likelihood of the spine, rank, tail family over any mix of evidence: Levenberg-Marquardt on the deviance residuals,
 * from several starts. The spine has a weak prior, so that evidence of few positions gives a definite answer; with a few
 * hundred rounds over many positions it does not matter. Rho and kappa have none: where no evidence speaks of branches they
 * are not fitted.
 */
public final class SrtFitter {
    /** Centre and spread of the prior of a, b, c1 and ln sigma: a middling drafter, wide. */
    private static final double[] PRIOR_MEAN = {1.5, 0.1, -0.3, 0};

    private static final double[] PRIOR_SPREAD = {2, 0.3, 1.5, 0.7};

    private static final int MOST_ITERATIONS = 30;
    /** Starts whose result is taken further. */
    private static final int DESCENTS = 2;

    private static final int MOST_DESCENT_EVALUATIONS = 320;
    /** First simplex of the descent, on the free scale. */
    private static final double[] SIMPLEX = {0.3, 0.04, 0.4, 0.2, 0.3, 0.5};

    private static final double TOLERANCE = 1e-9;

    private final EvidenceModel model;
    private final boolean[] fitted;

    /**
     * @param evidence at least one piece
     * @param depth positions that the drafter drafts at most (block - 1, or steps)
     * @param ranks candidates per position
     */
    public SrtFitter(List<Evidence> evidence, int depth, int ranks) {
        if (evidence.isEmpty()) {
            throw new IllegalArgumentException("a fit needs evidence");
        }
        this.model = new EvidenceModel(evidence, depth, ranks);
        boolean branches = false;
        boolean rho = false;
        boolean kappa = false;
        for (Evidence e : evidence) {
            branches |= e instanceof Evidence.RequestRounds r && EvidenceModel.branches(r.design());
            branches |= e instanceof Evidence.Histogram h && EvidenceModel.branches(h.design());
            branches |= e instanceof Evidence.MeanTokens m && EvidenceModel.branches(m.design());
            rho |= e instanceof Evidence.FirstMissRank;
            kappa |= e instanceof Evidence.AfterSibling;
        }
        this.fitted = new boolean[] {true, true, true, true, branches || rho, branches || kappa};
    }

    EvidenceModel model() {
        return model;
    }

    /** Which of a, b, c1, sigma, rho, kappa the evidence speaks of. */
    boolean[] fitted() {
        return fitted.clone();
    }

    /** Fits from several starts, and takes the best of them down to the bottom without derivatives. */
    public Point fit() {
        List<Point> reached = new ArrayList<>();
        for (double[] start : starts()) {
            reached.add(fitFrom(start, fitted, MOST_ITERATIONS));
        }
        reached.sort(Comparator.comparingDouble(Point::objective));
        Point best = reached.get(0);
        for (Point p : reached.subList(0, Math.min(DESCENTS, reached.size()))) {
            Point down = descend(p, 1);
            best = down.objective() < best.objective() ? down : best;
        }
        return descend(best, 0.5);
    }

    /** Nelder-Mead: the likelihood has small steps where trees change their shape, over which derivatives stumble. */
    private Point descend(Point from, double scale) {
        int[] index = indices(fitted);
        double[] start = from.freeArray();
        double[] x = new double[index.length];
        double[] simplex = new double[index.length];
        for (int i = 0; i < x.length; i++) {
            x[i] = start[index[i]];
            simplex[i] = scale * SIMPLEX[index[i]];
        }
        double[] free = start.clone();
        MultivariateFunction objective = v -> {
            for (int i = 0; i < index.length; i++) {
                free[index[i]] = SrtParameters.clamp(index[i], v[i]);
            }
            return point(free).objective();
        };
        Point best = from;
        try {
            double[] end = new SimplexOptimizer(1e-7, 1e-4)
                    .optimize(
                            new MaxEval(MOST_DESCENT_EVALUATIONS),
                            GoalType.MINIMIZE,
                            new InitialGuess(x),
                            new ObjectiveFunction(objective),
                            new NelderMeadSimplex(simplex))
                    .getPoint();
            objective.value(end);
            Point p = point(free);
            best = p.objective() < best.objective() ? p : best;
        } catch (TooManyEvaluationsException e) {
            // slow at the end of a valley: the last point asked for is as good as any
            Point p = point(free);
            best = p.objective() < best.objective() ? p : best;
        }
        return best;
    }

    private List<double[]> starts() {
        List<double[]> starts = new ArrayList<>();
        for (double sigma : new double[] {0.6, 1.4}) {
            for (double kappa : fitted[SrtParameters.KAPPA] ? new double[] {0.35, 0.85} : new double[] {0}) {
                double[] s = {
                    1.8,
                    0.1,
                    -0.5,
                    SrtParameters.free(SrtParameters.SIGMA, sigma),
                    SrtParameters.free(SrtParameters.RHO, SrtParameters.TYPICAL_RHO),
                    SrtParameters.free(
                            SrtParameters.KAPPA, fitted[SrtParameters.KAPPA] ? kappa : SrtParameters.TYPICAL_KAPPA)
                };
                starts.add(s);
            }
        }
        return starts;
    }

    /**
     * A fit.
     *
     * @param free parameters on the scale without bounds
     * @param form the same as a form
     * @param deviance twice the gap of the log-likelihood to the saturated model
     * @param objective deviance and prior
     */
    public record Point(List<Double> free, AcceptanceForm.Srt form, double deviance, double objective) {
        double[] freeArray() {
            return free.stream().mapToDouble(Double::doubleValue).toArray();
        }
    }

    /** Fits the marked parameters from a start; the others keep their values. */
    Point fitFrom(double[] start, boolean[] vary, int iterations) {
        int[] index = indices(vary);
        if (index.length == 0) {
            return point(start);
        }
        double[] x = new double[index.length];
        for (int i = 0; i < x.length; i++) {
            x[i] = start[index[i]];
        }
        Residuals residuals = new Residuals(start, index);
        try {
            new LevenbergMarquardtOptimizer()
                    .withCostRelativeTolerance(TOLERANCE)
                    .withParameterRelativeTolerance(1e-7)
                    .optimize(LeastSquaresFactory.create(
                            residuals,
                            new ArrayRealVector(model.cells() + PRIOR_MEAN.length),
                            new ArrayRealVector(x),
                            null,
                            null,
                            iterations * 4,
                            iterations,
                            true,
                            null));
        } catch (MathIllegalStateException e) {
            // the tree changes its shape in steps, so the last digits of a descent may not come: the best point seen
            // stands
            return point(residuals.best());
        }
        return point(residuals.best());
    }

    /**
     * Fits the marked parameters from a start, and again from the middle where a share starts at a bound: its logit has no
     * derivative there and would stay.
     */
    Point refit(double[] start, boolean[] vary, int iterations) {
        Point best = fitFrom(start, vary, iterations);
        for (int k : new int[] {SrtParameters.RHO, SrtParameters.KAPPA}) {
            if (vary[k] && Math.abs(start[k]) > SrtParameters.AT_BOUND) {
                double[] inside = start.clone();
                inside[k] = 0;
                Point p = fitFrom(inside, vary, iterations);
                best = p.objective() < best.objective() ? p : best;
            }
        }
        return best;
    }

    static int[] indices(boolean[] vary) {
        int n = 0;
        int[] index = new int[vary.length];
        for (int k = 0; k < vary.length; k++) {
            if (vary[k]) {
                index[n++] = k;
            }
        }
        return Arrays.copyOf(index, n);
    }

    Point point(double[] free) {
        AcceptanceForm.Srt form = form(free);
        double deviance = model.deviance(form);
        double objective = deviance;
        for (double r : prior(free)) {
            objective += r * r;
        }
        return new Point(Arrays.stream(free).boxed().toList(), form, deviance, objective);
    }

    AcceptanceForm.Srt form(double[] free) {
        return SrtParameters.form(free, model.depth(), model.ranks());
    }

    private static double[] prior(double[] free) {
        double[] r = new double[PRIOR_MEAN.length];
        for (int k = 0; k < r.length; k++) {
            r[k] = (free[k] - PRIOR_MEAN[k]) / PRIOR_SPREAD[k];
        }
        return r;
    }

    /** Precision of the prior of a parameter, 0 for none. */
    static double priorPrecision(int k) {
        return k < PRIOR_SPREAD.length ? 1 / (PRIOR_SPREAD[k] * PRIOR_SPREAD[k]) : 0;
    }

    private double[] residuals(double[] free) {
        double[] cells = model.residuals(form(free));
        double[] prior = prior(free);
        double[] all = Arrays.copyOf(cells, cells.length + prior.length);
        System.arraycopy(prior, 0, all, cells.length, prior.length);
        return all;
    }

    /** Residuals of the parameters that vary, with central differences. */
    private final class Residuals implements ValueAndJacobianFunction {
        private final double[] base;
        private final int[] index;
        private double[] best;
        private double least = Double.POSITIVE_INFINITY;

        Residuals(double[] base, int[] index) {
            this.base = base;
            this.index = index;
            this.best = base;
        }

        /** The best of all points at which the optimiser asked for residuals. */
        double[] best() {
            return best;
        }

        private double[] at(double[] x) {
            double[] free = base.clone();
            for (int i = 0; i < index.length; i++) {
                free[index[i]] = SrtParameters.clamp(index[i], x[i]);
            }
            return free;
        }

        @Override
        public Pair<RealVector, RealMatrix> value(RealVector point) {
            double[] x = point.toArray();
            return new Pair<>(computeValue(x), computeJacobian(x));
        }

        @Override
        public RealVector computeValue(double[] x) {
            double[] free = at(x);
            double[] r = residuals(free);
            double sum = 0;
            for (double v : r) {
                sum += v * v;
            }
            if (sum < least) {
                least = sum;
                best = free;
            }
            return new ArrayRealVector(r, false);
        }

        @Override
        public RealMatrix computeJacobian(double[] x) {
            double[][] columns = new double[index.length][];
            for (int i = 0; i < index.length; i++) {
                double h = SrtParameters.STEP[index[i]];
                double[] up = x.clone();
                double[] down = x.clone();
                up[i] += h;
                down[i] -= h;
                double[] above = residuals(at(up));
                double[] below = residuals(at(down));
                for (int j = 0; j < above.length; j++) {
                    above[j] = (above[j] - below[j]) / (2 * h);
                }
                columns[i] = above;
            }
            return new Array2DRowRealMatrix(columns, false).transpose();
        }
    }
}
