package dev.foretoken.calibration.acceptance;

import dev.foretoken.sim.acceptance.AcceptanceForm;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;
import org.apache.commons.math3.linear.Array2DRowRealMatrix;
import org.apache.commons.math3.linear.LUDecomposition;
import org.apache.commons.math3.linear.RealMatrix;

/**
 * Information on the six parameters, on the scale without bounds: what the evidence holds if rounds were independent (Fisher),
 * and the spread of the scores of whole requests, from which the sandwich variance H^-1 J H^-1 follows.
 */
final class Information {
    /** Width of a derivative in steps of the fit: wide, since the trees change their shape in steps. */
    private static final double STEPS = 4;

    private final EvidenceModel model;
    private final double[] free;
    private final AcceptanceForm.Srt form;

    Information(EvidenceModel model, double[] free) {
        this.model = model;
        this.free = free.clone();
        this.form = SrtParameters.form(free, model.depth(), model.ranks());
    }

    /** Derivatives of the cells' log-probabilities (of the mean, for a mean) by parameter. */
    private double[][] logDerivatives(Evidence e, double[] p) {
        double[][] d = new double[SrtParameters.COUNT][];
        for (int k = 0; k < SrtParameters.COUNT; k++) {
            double h = STEPS * SrtParameters.STEP[k];
            double[] above = model.expected(e, shifted(k, h));
            double[] below = model.expected(e, shifted(k, -h));
            d[k] = new double[p.length];
            for (int j = 0; j < p.length; j++) {
                double slope = (above[j] - below[j]) / (2 * h);
                d[k][j] = e instanceof Evidence.MeanTokens ? slope : p[j] > 0 ? slope / p[j] : 0;
            }
        }
        return d;
    }

    private AcceptanceForm.Srt shifted(int k, double h) {
        double[] x = free.clone();
        x[k] += h;
        return SrtParameters.form(x, model.depth(), model.ranks());
    }

    /** Fisher information of one round (one miss, one trial) of a piece of evidence. */
    double[][] perRound(Evidence e) {
        double[] p = model.expected(e, form);
        double[][] d = logDerivatives(e, p);
        double[][] info = new double[SrtParameters.COUNT][SrtParameters.COUNT];
        double variance = 1;
        if (e instanceof Evidence.MeanTokens m) {
            variance = EvidenceModel.variance(EvidenceModel.pmf(form, m.design()));
        }
        for (int k = 0; k < info.length; k++) {
            for (int l = 0; l < info.length; l++) {
                double sum = 0;
                for (int j = 0; j < p.length; j++) {
                    sum += (e instanceof Evidence.MeanTokens ? 1 / variance : p[j]) * d[k][j] * d[l][j];
                }
                info[k][l] = sum;
            }
        }
        return info;
    }

    private double rounds(int index) {
        return model.evidence().get(index) instanceof Evidence.MeanTokens m
                ? m.rounds()
                : Arrays.stream(model.counts(index)).sum();
    }

    /** Information of all evidence and of the prior. */
    double[][] total() {
        double[][] sum = new double[SrtParameters.COUNT][SrtParameters.COUNT];
        for (int i = 0; i < model.evidence().size(); i++) {
            add(sum, perRound(model.evidence().get(i)), rounds(i));
        }
        for (int k = 0; k < sum.length; k++) {
            sum[k][k] += SrtFitter.priorPrecision(k);
        }
        return sum;
    }

    /**
     * Sum of the squared scores of requests, a request being the same in every piece of evidence; evidence without requests
     * counts as independent rounds.
     */
    double[][] clustered() {
        Map<String, double[]> scores = new LinkedHashMap<>();
        double[][] sum = new double[SrtParameters.COUNT][SrtParameters.COUNT];
        for (int i = 0; i < model.evidence().size(); i++) {
            Evidence e = model.evidence().get(i);
            if (!(e instanceof Evidence.RequestRounds r)) {
                add(sum, perRound(e), rounds(i));
                continue;
            }
            double[] p = model.expected(e, form);
            double[][] d = logDerivatives(e, p);
            for (Evidence.Request q : r.requests()) {
                double[] g = scores.computeIfAbsent(q.id(), id -> new double[SrtParameters.COUNT]);
                for (int t = 0; t < q.rounds(); t++) {
                    int cell = q.tokens(t) - 1;
                    for (int k = 0; k < g.length; k++) {
                        g[k] += d[k][cell];
                    }
                }
            }
        }
        int n = scores.size();
        if (n < 2) {
            return total();
        }
        double[] mean = new double[SrtParameters.COUNT];
        for (double[] g : scores.values()) {
            for (int k = 0; k < g.length; k++) {
                mean[k] += g[k] / n;
            }
        }
        for (double[] g : scores.values()) {
            for (int k = 0; k < g.length; k++) {
                for (int l = 0; l < g.length; l++) {
                    sum[k][l] += (g[k] - mean[k]) * (g[l] - mean[l]) * n / (n - 1);
                }
            }
        }
        for (int k = 0; k < sum.length; k++) {
            sum[k][k] += SrtFitter.priorPrecision(k);
        }
        return sum;
    }

    static void add(double[][] sum, double[][] info, double weight) {
        for (int k = 0; k < sum.length; k++) {
            for (int l = 0; l < sum.length; l++) {
                sum[k][l] += weight * info[k][l];
            }
        }
    }

    /** The part of a matrix that belongs to some parameters. */
    static RealMatrix part(double[][] matrix, int[] index) {
        RealMatrix m = new Array2DRowRealMatrix(index.length, index.length);
        for (int i = 0; i < index.length; i++) {
            for (int j = 0; j < index.length; j++) {
                m.setEntry(i, j, matrix[index[i]][index[j]]);
            }
        }
        return m;
    }

    /** Inverse with a ridge so small that it only matters where there is no information. */
    static RealMatrix inverse(RealMatrix m) {
        RealMatrix ridge = m.copy();
        for (int i = 0; i < m.getRowDimension(); i++) {
            ridge.addToEntry(i, i, 1e-3);
        }
        return new LUDecomposition(ridge).getSolver().getInverse();
    }
}
