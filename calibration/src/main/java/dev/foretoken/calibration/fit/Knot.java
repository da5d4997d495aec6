package dev.foretoken.calibration.fit;

/**
 * One measured time along the axis of a curve.
 *
 * @param at position: rows, tokens, KV tokens, elements; not negative
 * @param us median time, microseconds, positive
 * @param relativeSd standard deviation of that median over the median, positive
 * @param samples timings behind it
 */
public record Knot(double at, double us, double relativeSd, int samples) {
    public Knot {
        if (!(at >= 0) || Double.isInfinite(at)) {
            throw new IllegalArgumentException("a knot's position must be finite and not negative: " + at);
        }
        if (!(us > 0) || Double.isInfinite(us)) {
            throw new IllegalArgumentException("time at " + at + " must be finite and positive: " + us + " us");
        }
        if (!(relativeSd > 0) || Double.isInfinite(relativeSd)) {
            throw new IllegalArgumentException(
                    "relative standard deviation at " + at + " must be finite and positive: " + relativeSd);
        }
        if (samples < 1) {
            throw new IllegalArgumentException("a knot needs at least one sample: " + samples);
        }
    }

    /** Standard deviation of the median, microseconds. */
    public double sdUs() {
        return relativeSd * us;
    }

    Knot with(double time, double sd) {
        return new Knot(at, time, sd, samples);
    }
}
