package dev.foretoken.calibration.fit;

import java.util.ArrayList;
import java.util.List;

/**
 * Best constant, line and hinge over any run of knots by weighted least squares. Sums over prefixes make a constant or a line
 * O(1) and a hinge one step per candidate knee; weights are the inverse variances of the medians.
 */
final class SegmentFitter {
    private final double[] x;
    private final double[] w;
    private final double[] wx;
    private final double[] wxx;
    private final double[] wy;
    private final double[] wxy;
    private final double[] wyy;

    SegmentFitter(double[] at, double[] us, double[] sdUs) {
        int n = at.length;
        x = at.clone();
        w = new double[n + 1];
        wx = new double[n + 1];
        wxx = new double[n + 1];
        wy = new double[n + 1];
        wxy = new double[n + 1];
        wyy = new double[n + 1];
        for (int i = 0; i < n; i++) {
            double weight = 1 / (sdUs[i] * sdUs[i]);
            w[i + 1] = w[i] + weight;
            wx[i + 1] = wx[i] + weight * at[i];
            wxx[i + 1] = wxx[i] + weight * at[i] * at[i];
            wy[i + 1] = wy[i] + weight * us[i];
            wxy[i + 1] = wxy[i] + weight * at[i] * us[i];
            wyy[i + 1] = wyy[i] + weight * us[i] * us[i];
        }
    }

    /** Candidates over knots [from, to): the constant, the line and the hinge, as far as the knots allow. */
    List<Segment> candidates(int from, int to) {
        List<Segment> out = new ArrayList<>(3);
        out.add(constant(from, to));
        if (to - from >= 3) {
            Segment line = line(from, to);
            if (line != null) {
                out.add(line);
            }
        }
        if (to - from >= 5) {
            Segment hinge = hinge(from, to);
            if (hinge != null) {
                out.add(hinge);
            }
        }
        return out;
    }

    /** The segment of a given kind; falls back to a simpler one where the kind cannot be fitted. */
    Segment ofKind(int from, int to, int parameters) {
        Segment s = parameters == 3 ? hinge(from, to) : null;
        if (s == null && parameters >= 2) {
            s = line(from, to);
        }
        return s == null ? constant(from, to) : s;
    }

    private Segment constant(int i, int j) {
        double weight = w[j] - w[i];
        double mean = (wy[j] - wy[i]) / weight;
        double loss = wyy[j] - wyy[i] - mean * (wy[j] - wy[i]);
        return new Segment(i, j, mean, 0, x[i], 1, Math.max(0, loss));
    }

    /** Null unless it rises and stays positive. */
    private Segment line(int i, int j) {
        double weight = w[j] - w[i];
        double meanX = (wx[j] - wx[i]) / weight;
        double meanY = (wy[j] - wy[i]) / weight;
        double sxx = wxx[j] - wxx[i] - weight * meanX * meanX;
        double sxy = wxy[j] - wxy[i] - weight * meanX * meanY;
        double syy = wyy[j] - wyy[i] - weight * meanY * meanY;
        if (!(sxx > 1e-12 * (wxx[j] - wxx[i])) || !(sxy > 0)) {
            return null;
        }
        double slope = sxy / sxx;
        double floor = meanY + slope * (x[i] - meanX);
        if (!(floor > 0)) {
            return null;
        }
        return new Segment(i, j, floor, slope, x[i], 2, Math.max(0, syy - slope * sxy));
    }

    /** The best knee over knots and four points between each pair; null unless some hinge rises. */
    private Segment hinge(int i, int j) {
        Segment best = null;
        for (int k = i + 1; k < j - 1; k++) {
            // knees in [x[k-1], x[k]): knots before k are on the floor, the rest on the rise
            for (int part = 0; part < 5; part++) {
                double knee = x[k - 1] + (x[k] - x[k - 1]) * part / 5;
                if (knee <= x[i]) {
                    continue;
                }
                Segment s = hinge(i, k, j, knee);
                if (s != null && (best == null || s.loss() < best.loss())) {
                    best = s;
                }
            }
        }
        return best;
    }

    private Segment hinge(int i, int k, int j, double knee) {
        // z = max(0, x - knee): zero on the floor
        double weight = w[j] - w[i];
        double right = w[j] - w[k];
        double z = wx[j] - wx[k] - knee * right;
        double zz = wxx[j] - wxx[k] - 2 * knee * (wx[j] - wx[k]) + knee * knee * right;
        double zy = wxy[j] - wxy[k] - knee * (wy[j] - wy[k]);
        double y = wy[j] - wy[i];
        double yy = wyy[j] - wyy[i];
        double determinant = weight * zz - z * z;
        if (!(determinant > 1e-12 * weight * zz)) {
            return null;
        }
        double floor = (zz * y - z * zy) / determinant;
        double slope = (weight * zy - z * y) / determinant;
        if (!(slope > 0) || !(floor > 0)) {
            return null;
        }
        return new Segment(i, j, floor, slope, knee, 3, Math.max(0, yy - floor * y - slope * zy));
    }
}
