package dev.foretoken.sim.profile;

/** Rules between neighbouring measured shapes. Each is exact at both neighbours. */
public final class Interpolation {
    private Interpolation() {}

    /** Linear through (x0, y0) and (x1, y1). */
    public static double linear(double x0, double y0, double x1, double y1, double x) {
        return y0 + (y1 - y0) * (x - x0) / (x1 - x0);
    }

    /**
     * Between two output widths of a matrix product at m rows: linear in n, or in waves of tiles where the kernel's tile is
     * known, m is large enough and the neighbours differ in waves.
     *
     * @param tile null for none
     */
    public static double acrossOutputs(Tile tile, double m, double n0, double y0, double n1, double y1, double n) {
        if (tile != null && m >= tile.fromRows()) {
            long w0 = tile.waves(m, n0);
            long w1 = tile.waves(m, n1);
            if (w1 > w0) {
                return linear(w0, y0, w1, y1, tile.waves(m, n));
            }
        }
        return linear(n0, y0, n1, y1, n);
    }

    /**
     * Between two batch sizes of a kernel whose time is flat while the card is not full and then grows: half way between
     * the chord and the hinge that the outer segments draw. Never outside the two neighbours' times.
     *
     * @param xm position below x0, or NaN for none
     * @param xp position above x1, or NaN for none
     */
    public static double hinge(
            double xm, double ym, double x0, double y0, double x1, double y1, double xp, double yp, double x) {
        double chord = linear(x0, y0, x1, y1, x);
        double bend = Double.NEGATIVE_INFINITY;
        if (!Double.isNaN(xm)) {
            bend = linear(xm, ym, x0, y0, x);
        }
        if (!Double.isNaN(xp)) {
            bend = Math.max(bend, linear(x1, y1, xp, yp, x));
        }
        if (bend == Double.NEGATIVE_INFINITY) {
            return chord;
        }
        double inside = Math.max(Math.min(y0, y1), Math.min(Math.max(y0, y1), bend));
        return 0.5 * (chord + Math.min(inside, chord));
    }
}
