package dev.foretoken.sim.hardware;

import dev.foretoken.sim.hardware.LinkCurve.Operation;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;

/**
 * A named set of measured link curves of one kind of node.
 *
 * @param id catalogue id
 * @param name what kind of node it is
 * @param curves at most one per operation, ranks and implementation; empty when nobody published any
 * @param notes what to know before using it
 * @param sources where the figures come from
 */
public record LinkProfile(String id, String name, List<LinkCurve> curves, List<String> notes, List<String> sources) {
    public LinkProfile {
        curves = List.copyOf(curves);
        notes = List.copyOf(notes);
        sources = List.copyOf(sources);
        Set<String> seen = new HashSet<>();
        for (LinkCurve curve : curves) {
            String key = curve.operation() + " over " + curve.ranks() + " ranks by " + curve.implementation();
            if (!seen.add(key)) {
                throw new IllegalArgumentException(id + " has two curves of " + key);
            }
        }
    }

    /** The curve of an operation; empty when it is not known. */
    public Optional<LinkCurve> curve(Operation operation, int ranks, String implementation) {
        return curves.stream()
                .filter(c -> c.operation() == operation
                        && c.ranks() == ranks
                        && c.implementation().equals(implementation))
                .findFirst();
    }

    /** Numbers of ranks for which an operation has curves, ascending. */
    public Set<Integer> ranks(Operation operation) {
        Set<Integer> ranks = new TreeSet<>();
        curves.stream().filter(c -> c.operation() == operation).forEach(c -> ranks.add(c.ranks()));
        return ranks;
    }
}
