package dev.foretoken.sim.hardware;

import java.util.List;

/**
 * Time of one collective or transfer against its size, measured.
 *
 * @param operation what moves
 * @param ranks cards that take part
 * @param implementation who moves it: nccl, custom (an engine's own one-shot kernels), or mixed where a table took the faster
 * @param knots sizes and times, sizes strictly rising
 * @param source where they come from
 */
public record LinkCurve(Operation operation, int ranks, String implementation, List<Knot> knots, String source) {
    /** What moves: the sum of a buffer to all ranks, the parts of a buffer to all ranks, a buffer to one peer. */
    public enum Operation {
        ALL_REDUCE,
        ALL_GATHER,
        PEER
    }

    /**
     * One measured size.
     *
     * @param bytes the whole message: the reduced buffer, the gathered result, the buffer sent
     * @param us microseconds
     */
    public record Knot(long bytes, double us) {
        public Knot {
            if (bytes < 1 || !(us > 0) || Double.isInfinite(us)) {
                throw new IllegalArgumentException(
                        "a knot needs positive bytes and time: " + bytes + " bytes, " + us + " us");
            }
        }
    }

    public LinkCurve {
        if (ranks < 2) {
            throw new IllegalArgumentException("a link has at least 2 ranks: " + ranks);
        }
        knots = List.copyOf(knots);
        if (knots.isEmpty()) {
            throw new IllegalArgumentException("a link curve needs at least one knot");
        }
        for (int i = 1; i < knots.size(); i++) {
            if (knots.get(i).bytes() <= knots.get(i - 1).bytes()) {
                throw new IllegalArgumentException("knots must rise in bytes: "
                        + knots.get(i - 1).bytes() + " before " + knots.get(i).bytes());
            }
        }
    }

    /** True when a size lies outside the measured ones. */
    public boolean extrapolates(double bytes) {
        return bytes < knots.get(0).bytes()
                || bytes > knots.get(knots.size() - 1).bytes();
    }

    /**
     * Microseconds for a message: exact at knots, linear in bytes between them, the first time below the first knot; above
     * the last in proportion to the bytes for the slope of the last two knots, and at least the last time.
     */
    public double us(double bytes) {
        Knot previous = knots.get(0);
        if (bytes <= previous.bytes() || knots.size() == 1) {
            return previous.us();
        }
        for (int i = 1; i < knots.size(); i++) {
            Knot next = knots.get(i);
            if (bytes <= next.bytes() || i == knots.size() - 1) {
                double slope = (next.us() - previous.us()) / (next.bytes() - previous.bytes());
                double time = previous.us() + slope * (bytes - previous.bytes());
                return bytes > next.bytes() ? Math.max(time, next.us()) : time;
            }
            previous = next;
        }
        throw new AssertionError("unreachable: the loop returns at the last knot");
    }
}
