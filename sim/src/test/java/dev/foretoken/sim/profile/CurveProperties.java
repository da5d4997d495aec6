package dev.foretoken.sim.profile;

import java.util.Arrays;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.constraints.DoubleRange;

class CurveProperties {
    @Provide
    Arbitrary<Curve> curves() {
        Arbitrary<double[]> at = Arbitraries.integers()
                .between(1, 5000)
                .set()
                .ofMinSize(1)
                .ofMaxSize(20)
                .map(s -> s.stream().mapToDouble(i -> i).sorted().toArray());
        return Combinators.combine(
                        at, Arbitraries.doubles().between(0.5, 1e6).list().ofSize(20))
                .as((x, us) -> Curve.of(
                        Shape.gemm(1, 1),
                        x,
                        us.stream().mapToDouble(v -> v).limit(x.length).toArray(),
                        Arrays.stream(x).filter(v -> (long) v % 3 == 0).toArray()));
    }

    @Property(seed = "20261130")
    boolean liesBetweenItsNeighbours(@ForAll("curves") Curve c, @ForAll @DoubleRange(min = 0, max = 1) double u) {
        double x = c.first() + u * (c.last() - c.first());
        int hi = 0;
        while (c.at(hi) < x) {
            hi++;
        }
        int lo = c.at(hi) == x ? hi : hi - 1;
        double a = Math.min(c.medianUs(lo), c.medianUs(hi));
        double b = Math.max(c.medianUs(lo), c.medianUs(hi));
        double us = c.us(x);
        return us >= a * (1 - 1e-12) && us <= b * (1 + 1e-12);
    }

    @Property(seed = "20261130")
    boolean exactAtEveryKnot(@ForAll("curves") Curve c) {
        for (int i = 0; i < c.size(); i++) {
            if (c.us(c.at(i)) != c.medianUs(i)) {
                return false;
            }
        }
        return true;
    }

    @Property(seed = "20261130")
    boolean neverFallsAboveTheLastKnot(
            @ForAll("curves") Curve c, @ForAll @DoubleRange(min = 0, max = 1e6) double beyond) {
        return c.us(c.last() + beyond) >= c.medianUs(c.size() - 1);
    }
}
