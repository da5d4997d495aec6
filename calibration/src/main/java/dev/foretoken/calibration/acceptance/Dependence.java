package dev.foretoken.calibration.acceptance;

import dev.foretoken.sim.acceptance.AcceptanceForm;
import dev.foretoken.sim.acceptance.LatentRound;
import java.util.ArrayList;
import java.util.List;

/**
 * Dependence of the rounds of a request: the share s of the variance of z that stays with the request and the autocorrelation
 * phi of the rest, by moments. Rounds h apart have difficulties correlated by r = s + (1 - s) phi^h, and tokens with
 * covariance sum over k of c_k^2 r^k, where c_k are the Hermite coefficients of the mean tokens at z; s and phi minimise the
 * squared gaps to the observed covariances up to {@link #LAGS} rounds, each weighted by its pairs.
 *
 * @param autocorrelation phi
 * @param requestShare s
 * @param lag1 observed autocorrelation of the tokens of neighbouring rounds
 * @param requestVarianceRatio variance of request means over what independent rounds would have
 */
public record Dependence(double autocorrelation, double requestShare, double lag1, double requestVarianceRatio) {
    private static final int LAGS = 20;
    private static final int ORDER = 12;
    private static final double STEP = 0.01;

    /**
     * @param rounds requests in order; designs may differ
     * @param form the fitted parameters
     */
    public static Dependence of(List<Evidence.RequestRounds> rounds, AcceptanceForm.Srt form) {
        List<double[]> coefficients = new ArrayList<>();
        List<double[]> observed = new ArrayList<>();
        List<double[]> pairs = new ArrayList<>();
        double lag1 = 0;
        double variance0 = 0;
        double ratio = 0;
        double weight = 0;
        for (Evidence.RequestRounds r : rounds) {
            double mean = EvidenceModel.mean(relative(r.counts()));
            double[] cov = new double[LAGS + 1];
            double[] n = new double[LAGS + 1];
            double between = 0;
            double within = 0;
            for (Evidence.Request q : r.requests()) {
                double sum = 0;
                for (int t = 0; t < q.rounds(); t++) {
                    double x = q.tokens(t) - mean;
                    sum += x;
                    for (int h = 0; h <= LAGS && t + h < q.rounds(); h++) {
                        cov[h] += x * (q.tokens(t + h) - mean);
                        n[h]++;
                    }
                }
                between += sum * sum / q.rounds();
                within++;
            }
            for (int h = 0; h <= LAGS; h++) {
                cov[h] = n[h] > 0 ? cov[h] / n[h] : 0;
            }
            coefficients.add(hermite(form, r));
            observed.add(cov);
            pairs.add(n);
            lag1 += n[1] * cov[1];
            variance0 += n[1] * cov[0];
            ratio += between / within / cov[0] * n[0];
            weight += n[0];
        }
        double[] best = search(coefficients, observed, pairs);
        return new Dependence(best[0], best[1], variance0 > 0 ? lag1 / variance0 : 0, ratio / weight);
    }

    private static double[] relative(double[] counts) {
        double total = 0;
        for (double c : counts) {
            total += c;
        }
        double[] p = new double[counts.length];
        for (int j = 0; j < p.length; j++) {
            p[j] = counts[j] / total;
        }
        return p;
    }

    /** Least squares over a grid of phi and s, to a hundredth. */
    private static double[] search(List<double[]> coefficients, List<double[]> observed, List<double[]> pairs) {
        double least = Double.POSITIVE_INFINITY;
        double[] best = {0, 0};
        for (int i = 0; i < 99; i++) {
            double phi = i * STEP;
            for (int j = 0; j <= 99; j++) {
                double share = j * STEP;
                double sum = 0;
                for (int d = 0; d < observed.size(); d++) {
                    double power = 1;
                    for (int h = 1; h <= LAGS; h++) {
                        power *= phi;
                        double gap = observed.get(d)[h] - covariance(coefficients.get(d), share + (1 - share) * power);
                        sum += pairs.get(d)[h] * gap * gap;
                    }
                }
                if (sum < least) {
                    least = sum;
                    best = new double[] {phi, share};
                }
            }
        }
        return best;
    }

    private static double covariance(double[] squares, double r) {
        double sum = 0;
        for (int k = ORDER; k >= 1; k--) {
            sum = r * (squares[k] + sum);
        }
        return sum;
    }

    /** Squared coefficients of the mean tokens at z in normalised Hermite polynomials. */
    private static double[] hermite(AcceptanceForm.Srt form, Evidence.RequestRounds r) {
        LatentRound.AtDifficulty at = new LatentRound.AtDifficulty(form, r.design());
        double[] c = new double[ORDER + 1];
        double total = 0;
        for (double z = -5; z <= 5; z += 0.05) {
            double[] survival = new double[at.depth()];
            at.addSurvival(z, 1, survival);
            double tokens = 1;
            for (double s : survival) {
                tokens += s;
            }
            double w = Math.exp(-z * z / 2);
            total += w;
            double before = 0;
            double now = 1;
            for (int k = 0; k <= ORDER; k++) {
                c[k] += w * tokens * now;
                double next = (z * now - Math.sqrt(k) * before) / Math.sqrt(k + 1.0);
                before = now;
                now = next;
            }
        }
        double[] squares = new double[ORDER + 1];
        for (int k = 0; k <= ORDER; k++) {
            squares[k] = c[k] / total * (c[k] / total);
        }
        return squares;
    }
}
