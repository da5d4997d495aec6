package dev.foretoken.sim.result;

/** Numbers as people read them. */
public final class Num {
    private Num() {}

    /** A number without a trailing ".0". */
    public static String plain(double x) {
        return x == Math.rint(x) && Math.abs(x) < 1e15 ? Long.toString((long) x) : Double.toString(x);
    }
}
