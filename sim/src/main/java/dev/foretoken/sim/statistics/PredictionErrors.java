package dev.foretoken.sim.statistics;

import java.util.OptionalDouble;
import org.apache.commons.math3.stat.correlation.KendallsCorrelation;

/** Predictions against measurements of the same points. */
public final class PredictionErrors {
    private final double[] predicted;
    private final double[] measured;

    /** @param measured positive, one per prediction */
    public PredictionErrors(double[] predicted, double[] measured) {
        if (predicted.length != measured.length || predicted.length == 0) {
            throw new IllegalArgumentException(predicted.length + " predictions, " + measured.length + " measurements");
        }
        for (int i = 0; i < measured.length; i++) {
            if (!Double.isFinite(predicted[i]) || !(measured[i] > 0) || Double.isInfinite(measured[i])) {
                throw new IllegalArgumentException(
                        "point " + i + " has prediction " + predicted[i] + " and measurement " + measured[i]);
            }
        }
        this.predicted = predicted.clone();
        this.measured = measured.clone();
    }

    /** Mean absolute error relative to the measurement. */
    public double meanAbsoluteRelativeError() {
        double sum = 0;
        for (int i = 0; i < measured.length; i++) {
            sum += Math.abs(predicted[i] - measured[i]) / measured[i];
        }
        return sum / measured.length;
    }

    /** Mean signed error relative to the measurement. */
    public double bias() {
        double sum = 0;
        for (int i = 0; i < measured.length; i++) {
            sum += (predicted[i] - measured[i]) / measured[i];
        }
        return sum / measured.length;
    }

    /** Mean of ln(predicted/measured); predictions must be positive. */
    public double meanLogRatio() {
        double sum = 0;
        for (int i = 0; i < measured.length; i++) {
            sum += Math.log(predicted[i] / measured[i]);
        }
        return sum / measured.length;
    }

    /** Agreement of the rankings, Kendall's tau-b; empty when one side is all ties. */
    public OptionalDouble kendallTauB() {
        return kendallTauB(predicted, measured);
    }

    /** Kendall's tau-b; empty when one side is all ties or there is one point only. */
    public static OptionalDouble kendallTauB(double[] x, double[] y) {
        if (x.length < 2) {
            return OptionalDouble.empty();
        }
        double tau = new KendallsCorrelation().correlation(x, y);
        return Double.isNaN(tau) ? OptionalDouble.empty() : OptionalDouble.of(tau);
    }

    /** What following the prediction costs: 1 - measured value of the predicted best over the best measured value. */
    public double regret() {
        int chosen = 0;
        int best = 0;
        for (int i = 1; i < measured.length; i++) {
            chosen = predicted[i] > predicted[chosen] ? i : chosen;
            best = measured[i] > measured[best] ? i : best;
        }
        return 1 - measured[chosen] / measured[best];
    }
}
