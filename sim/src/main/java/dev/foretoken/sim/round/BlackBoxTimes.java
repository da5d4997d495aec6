package dev.foretoken.sim.round;

import dev.foretoken.sim.method.Arm;
import dev.foretoken.sim.result.Point;
import dev.foretoken.sim.scenario.Calibration;
import dev.foretoken.sim.scenario.EngineSettings;
import dev.foretoken.sim.scenario.Workload;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentSkipListSet;

/** Round times of every arm from a server's own autoregressive knots (see {@link BlackBoxRounds}). */
public final class BlackBoxTimes implements RoundTimes {
    private final Calibration calibration;
    private final Map<Integer, BlackBoxRounds> byTp = new HashMap<>();
    private final Map<Integer, Ends> endsByTp = new HashMap<>();
    private final MemoryLimit memory;
    private final Set<String> uncharged = new ConcurrentSkipListSet<>();

    /** The curve with every knot at the lower, and at the upper end of its interval: knots of a server err together. */
    private record Ends(BlackBoxRounds low, BlackBoxRounds high) {}

    /** Memory limit of a scenario with card and model; {@code (arm, engine, tp, workload) -> UNLIMITED} without. */
    public interface MemoryLimit {
        Capacity of(Arm arm, EngineSettings engine, int tp, Workload workload);

        /** No memory limit. */
        MemoryLimit NONE = (arm, engine, tp, workload) -> Capacity.UNLIMITED;
    }

    /**
     * @param calibration with round times
     * @param tps TP sizes of the grid; with several every knot must carry its own
     * @param memory limit of resident requests
     * @throws IllegalArgumentException when knots do not serve the TP sizes, or repeat
     */
    public BlackBoxTimes(Calibration calibration, List<Integer> tps, MemoryLimit memory) {
        this.calibration = calibration;
        this.memory = memory;
        double prefill = calibration.prefillMsPerToken() == null ? 0 : calibration.prefillMsPerToken();
        for (int tp : tps) {
            List<BlackBoxKnot> knots = new ArrayList<>();
            for (BlackBoxKnot k : calibration.roundTimes()) {
                if (k.tp() == null && tps.size() > 1) {
                    throw new IllegalArgumentException("round_times: with several TP sizes " + tps
                            + " every knot needs tp; the knot at rows " + k.rows() + " has none");
                }
                if (k.tp() == null || k.tp() == tp) {
                    knots.add(k);
                }
            }
            if (knots.isEmpty()) {
                throw new IllegalArgumentException("round_times: no knot for tp " + tp);
            }
            byTp.put(tp, BlackBoxRounds.of(knots, prefill));
            if (knots.stream().anyMatch(k -> k.lowMs() != null)) {
                endsByTp.put(tp, new Ends(end(knots, false, prefill), end(knots, true, prefill)));
            }
        }
    }

    private static BlackBoxRounds end(List<BlackBoxKnot> knots, boolean upper, double prefill) {
        return BlackBoxRounds.of(knots.stream().map(k -> k.end(upper)).toList(), prefill);
    }

    /** What weakens every figure, each a sentence: falling knots, and drafts that are charged no time. */
    public List<String> warnings() {
        List<String> warnings = new ArrayList<>(byTp.values().stream()
                .flatMap(r -> r.warnings().stream())
                .distinct()
                .toList());
        if (!uncharged.isEmpty()) {
            warnings.add("calibration.draft_ms has nothing for " + String.join(", ", uncharged)
                    + ": their drafts are charged no time, so their output is an upper bound");
        }
        return warnings;
    }

    @Override
    public Timing of(Arm arm, EngineSettings engine, int tp) {
        BlackBoxRounds curve = byTp.get(tp);
        List<String> notes = new ArrayList<>();
        double draft = 0;
        double host = 0;
        if (arm.speculative()) {
            Double d = Calibration.lookup(calibration.draftMs(), arm.id(), arm.kind());
            Double h = Calibration.lookup(calibration.hostMs(), arm.id(), arm.kind());
            if (d == null) {
                notes.add("draft_ms is not given: drafting is charged no time");
                uncharged.add(arm.id());
            } else {
                draft = d;
            }
            if (h == null) {
                notes.add("host_ms is not given: host work beyond the autoregressive round is charged no time");
            } else {
                host = h;
            }
        }
        if (calibration.prefillMsPerToken() == null) {
            notes.add("prefill_ms_per_token is not given: prompts are charged no time");
        }
        int w = arm.method().verifyWidth(arm, engine.name());
        double f = arm.method().fireRate(arm);
        double width = 1 + f * (w - 1);
        BlackBoxRounds rounds = curve.forArm(width, draft, host);
        boolean band = rounds.dependsOnContext() && w > 1;
        if (!rounds.dependsOnContext()) {
            notes.add("round_times are of one context: no dependence on context");
        } else if (band) {
            notes.add(
                    "round times are looked up at context / width (equal KV bytes); the band reaches to the full context");
        }
        List<RoundTimeModel> ends = band ? List.of(rounds.atFullContext()) : List.of();
        Ends measured = endsByTp.get(tp);
        if (measured != null) {
            BlackBoxRounds high = measured.high().forArm(width, draft, host);
            ends = List.of(measured.low().forArm(width, draft, host), band ? high.atFullContext() : high);
        }
        return new Timing(
                rounds, ends, tokens -> tokens * rounds.prefillMsPerToken(), Point.CALIBRATED_BLACK_BOX, notes);
    }

    @Override
    public Capacity capacity(Arm arm, EngineSettings engine, int tp, Workload workload) {
        return memory.of(arm, engine, tp, workload);
    }
}
