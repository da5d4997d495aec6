package dev.foretoken.sim.explore;

import dev.foretoken.sim.analytical.Steady;
import dev.foretoken.sim.method.Arm;
import dev.foretoken.sim.result.Point;
import dev.foretoken.sim.serving.SimulationPoint;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;

/** A point while its figures come together. */
final class PointDraft {
    final int tp;
    Arm arm;
    final String workload;
    final Point.LoadPoint load;
    String reason;
    boolean unstable;
    Steady steady;
    double[] cornerTokS;
    double prefillMs;
    double meanOsl;
    Double outputTokS;
    Double outputTokSPerRequest;
    Double outputTokSPerGpu;
    Double requestsPerS;
    Double speedupVsAr;
    Double acceptLength;
    Double roundsPerRequest;
    Double roundMs;
    Double rowsPerRound;
    Double residentRequests;
    Point.Stat ttftMs;
    Point.Stat tpotMs;
    Point.Stat roundGapMs;
    Point.Stat e2eMs;
    final Map<String, Double> termsMs = new LinkedHashMap<>();
    Double hiddenMs;
    Double prefillShare;
    String boundBy;
    Boolean meetsSlo;
    Double costPerMillionTokens;
    Double breakEvenAcceptLength;
    Point.Interval interval;
    String calibrated;
    boolean extrapolated;
    /** True where acceptance leaves a range open that the interval does not hold: a simulated interval is noise. */
    boolean openAcceptance;

    SimulationPoint simulated;
    final List<String> notes = new ArrayList<>();

    PointDraft(int tp, Arm arm, String workload, Point.LoadPoint load) {
        this.tp = tp;
        this.arm = arm;
        this.workload = workload;
        this.load = load;
    }

    PointDraft infeasible(String why) {
        reason = why;
        return this;
    }

    boolean feasible() {
        return reason == null;
    }

    /** Mean TPOT, null when unknown. */
    Double meanTpotMs() {
        return tpotMs == null ? null : tpotMs.mean();
    }

    Point finish(Map<String, String> variant, Map<String, Object> parameters) {
        return new Point(
                variant.isEmpty() ? null : variant,
                tp,
                arm.id(),
                arm.kind(),
                arm.budget(),
                arm.topK(),
                arm.method().draftTokens(arm),
                parameters.isEmpty() ? null : parameters,
                workload,
                load,
                feasible(),
                reason,
                outputTokS,
                outputTokSPerRequest,
                outputTokSPerGpu,
                requestsPerS,
                speedupVsAr,
                acceptLength,
                roundsPerRequest,
                roundMs,
                rowsPerRound,
                residentRequests,
                ttftMs,
                tpotMs,
                roundGapMs,
                e2eMs,
                termsMs.isEmpty() ? null : termsMs,
                hiddenMs,
                prefillShare,
                boundBy,
                meetsSlo,
                costPerMillionTokens,
                breakEvenAcceptLength,
                interval,
                calibrated,
                feasible() ? extrapolated : null,
                List.copyOf(new LinkedHashSet<>(notes)));
    }
}
