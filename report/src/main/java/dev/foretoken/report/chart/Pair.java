package dev.foretoken.report.chart;

/**
 * A prediction beside what was measured, both above 0 and in one unit.
 *
 * @param group what gets a colour: a source, a method
 * @param measured what was measured
 * @param predicted what the model said
 * @param extrapolated the model used a curve outside its knots
 */
public record Pair(String group, double measured, double predicted, boolean extrapolated) {
    public Pair {
        if (!(measured > 0 && predicted > 0) || Double.isInfinite(measured) || Double.isInfinite(predicted)) {
            throw new IllegalArgumentException(
                    "a pair needs finite figures above 0, got measured " + measured + " and predicted " + predicted);
        }
    }
}
