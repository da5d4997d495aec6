package dev.foretoken.report;

import java.util.ArrayList;
import java.util.List;

/** A few of many. */
public final class Evenly {
    private Evenly() {}

    /** The values, or {@code most} of them in even steps with both ends. */
    public static <T> List<T> pick(List<T> values, int most) {
        if (most < 2) {
            throw new IllegalArgumentException("at least both ends: " + most);
        }
        if (values.size() <= most) {
            return values;
        }
        List<T> kept = new ArrayList<>(most);
        for (int i = 0; i < most; i++) {
            kept.add(values.get((int) Math.round((double) i * (values.size() - 1) / (most - 1))));
        }
        return kept;
    }
}
