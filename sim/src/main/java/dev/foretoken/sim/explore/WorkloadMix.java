package dev.foretoken.sim.explore;

import dev.foretoken.sim.analytical.AnswerRounds;
import dev.foretoken.sim.round.RoundTimes.Capacity;
import dev.foretoken.sim.scenario.Workload;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import java.util.function.IntToDoubleFunction;
import java.util.function.ToDoubleFunction;

/**
 * One workload, or several that share the server: a request is of workload i with probability weights[i].
 *
 * @param id workload id, or {@link #MIX}
 */
record WorkloadMix(String id, List<Workload> workloads, double[] weights) {
    /** Name of the mix of every workload with a share. */
    static final String MIX = "mix";

    static WorkloadMix of(Workload w) {
        return new WorkloadMix(w.id(), List.of(w), new double[] {1.0});
    }

    /** Each workload alone, and the mix when at least two carry a share. */
    static List<WorkloadMix> of(List<Workload> workloads) {
        List<WorkloadMix> mixes = new ArrayList<>();
        workloads.forEach(w -> mixes.add(of(w)));
        List<Workload> shared =
                workloads.stream().filter(w -> w.share() != null).toList();
        if (shared.size() > 1) {
            double sum = shared.stream().mapToDouble(Workload::share).sum();
            mixes.add(new WorkloadMix(
                    MIX,
                    shared,
                    shared.stream().mapToDouble(w -> w.share() / sum).toArray()));
        }
        return mixes;
    }

    /** Mean of a figure over requests. */
    double mean(ToDoubleFunction<Workload> figure) {
        double m = 0;
        for (int i = 0; i < weights.length; i++) {
            m += weights[i] * figure.applyAsDouble(workloads.get(i));
        }
        return m;
    }

    /** Mean of a figure over resident time: requests weighted by their rounds. */
    double weightedByRounds(double[] rounds, IntToDoubleFunction figure) {
        double sum = 0;
        double m = 0;
        for (int i = 0; i < weights.length; i++) {
            double w = weights[i] * rounds[i];
            sum += w;
            m += w * figure.applyAsDouble(i);
        }
        if (sum == 0) {
            for (int i = 0; i < weights.length; i++) {
                m += weights[i] * figure.applyAsDouble(i);
            }
            return m;
        }
        return m / sum;
    }

    /** Rounds of a random request of the mix. */
    AnswerRounds combine(List<AnswerRounds> each) {
        if (each.size() == 1) {
            return each.get(0);
        }
        double mean = 0;
        double perToken = 0;
        double square = 0;
        double several = 0;
        for (int i = 0; i < weights.length; i++) {
            AnswerRounds r = each.get(i);
            mean += weights[i] * r.mean();
            if (r.perToken() > 0) {
                several += weights[i];
                perToken += weights[i] * r.perToken();
                square += weights[i] * (r.perTokenVariance() + r.perToken() * r.perToken());
            }
        }
        if (several == 0) {
            return new AnswerRounds(mean, 0, 0);
        }
        perToken /= several;
        return new AnswerRounds(mean, perToken, Math.max(0, square / several - perToken * perToken));
    }

    /** Memory limit: requests of the mix fit when their mean need does. */
    Capacity capacity(Function<Workload, Capacity> each) {
        if (workloads.size() == 1) {
            return each.apply(workloads.get(0));
        }
        double need = 0;
        Capacity tightest = Capacity.UNLIMITED;
        for (int i = 0; i < weights.length; i++) {
            Capacity c = each.apply(workloads.get(i));
            if (c.maxResident() < 1) {
                return c;
            }
            if (c.maxResident() < Integer.MAX_VALUE) {
                need += weights[i] / c.maxResident();
            }
            if (c.maxResident() < tightest.maxResident()) {
                tightest = c;
            }
        }
        return need == 0
                ? Capacity.UNLIMITED
                : new Capacity((int) Math.floor(1 / need * (1 + 1e-12)), tightest.reason(), tightest.lines());
    }
}
