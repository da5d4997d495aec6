package dev.foretoken.sim.serving;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.foretoken.sim.acceptance.AcceptanceLaw;
import dev.foretoken.sim.acceptance.PmfLaw;
import dev.foretoken.sim.acceptance.TruncatedGeometric;
import dev.foretoken.sim.round.BlackBoxKnot;
import dev.foretoken.sim.round.BlackBoxRounds;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;

/** The two scenarios whose results were computed by hand, as inputs of the simulator. */
final class ReferenceScenario {
    private final JsonNode scenario;
    private final List<JsonNode> expected = new ArrayList<>();

    private ReferenceScenario(JsonNode scenario, JsonNode expected) {
        this.scenario = scenario;
        expected.get("points").forEach(this.expected::add);
    }

    static ReferenceScenario plain() {
        return new ReferenceScenario(read("scenario.json"), read("expected.json"));
    }

    static ReferenceScenario loaded() {
        return new ReferenceScenario(read("loaded_scenario.json"), read("loaded_expected.json"));
    }

    private static JsonNode read(String name) {
        try (InputStream in = ReferenceScenario.class.getResourceAsStream("/reference/" + name)) {
            return new ObjectMapper().readTree(in);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    List<JsonNode> expected() {
        return expected;
    }

    SimulationPoint simulate(JsonNode point, SimulationOptions options) {
        String id = point.get("method").asText();
        JsonNode workload = scenario.get("workloads").get(0);
        JsonNode calibration = scenario.get("calibration");
        JsonNode think = scenario.get("load").get(0).get("think_time_ms");
        int clients = point.get("load").get("concurrency").asInt();
        Load load = new Load.Closed(
                clients,
                think == null
                        ? Load.ThinkTime.NONE
                        : Load.ThinkTime.exponential(think.get("mean").asDouble()),
                true);
        List<BlackBoxKnot> knots = new ArrayList<>();
        for (JsonNode k : calibration.get("round_times")) {
            knots.add(new BlackBoxKnot(
                    k.get("rows").asInt(),
                    k.get("context").asDouble(),
                    k.get("ms").asDouble(),
                    null));
        }
        BlackBoxRounds rounds = BlackBoxRounds.of(
                knots, calibration.path("prefill_ms_per_token").asDouble(0));
        int width = width(id, point);
        RoundOption option = id.equals("ar")
                ? RoundOption.autoregressive(rounds)
                : RoundOption.drafting(
                        width - 1,
                        width,
                        rounds.forArm(
                                width,
                                calibration.get("draft_ms").path(id).asDouble(0),
                                calibration.get("host_ms").path(id).asDouble(0)));
        ServedWorkload served = ServedWorkload.of(
                "w",
                LengthSampler.fixed(workload.get("isl").asInt()),
                LengthSampler.fixed(workload.get("osl").asInt()),
                law(id, point, workload.get("acceptance")));
        return Simulator.simulate(EngineSetup.of("sglang"), ServedArm.of(option), List.of(served), load, options);
    }

    private int width(String id, JsonNode point) {
        for (JsonNode m : scenario.get("methods")) {
            if (m.get("id").asText().equals(id)) {
                return switch (id) {
                    case "ar" -> 1;
                    case "mtp3" -> m.get("steps").asInt() + 1;
                    case "dflash" -> m.get("block").asInt();
                    default ->
                        Math.max(m.get("block").asInt(), point.get("budget").asInt() + 1);
                };
            }
        }
        throw new IllegalArgumentException("no method " + id);
    }

    private static AcceptanceLaw law(String id, JsonNode point, JsonNode acceptance) {
        if (id.equals("ar")) {
            return null;
        }
        if (!id.equals("ddtree")) {
            JsonNode survival = acceptance.get(id).get("per_position");
            double[] s = new double[survival.size()];
            for (int i = 0; i < s.length; i++) {
                s[i] = survival.get(i).asDouble();
            }
            return PmfLaw.ofSurvival(s);
        }
        int budget = point.get("budget").asInt();
        double mean = acceptLength(acceptance.get("ddtree").get("accept_length_by_budget"), budget);
        int depth = Math.min(budget, 7);
        return PmfLaw.ofSurvival(TruncatedGeometric.survival(solve(mean, depth), depth));
    }

    private static double solve(double mean, int depth) {
        double lo = 0;
        double hi = 1;
        for (int i = 0; i < 200; i++) {
            double p = (lo + hi) / 2;
            double tau = 1;
            for (double s : TruncatedGeometric.survival(p, depth)) {
                tau += s;
            }
            if (tau < mean) {
                lo = p;
            } else {
                hi = p;
            }
        }
        return lo;
    }

    private static double acceptLength(JsonNode byBudget, int budget) {
        int below = -1;
        int above = -1;
        for (var names = byBudget.fieldNames(); names.hasNext(); ) {
            int b = Integer.parseInt(names.next());
            if (b <= budget && b > below) {
                below = b;
            }
            if (b >= budget && (above < 0 || b < above)) {
                above = b;
            }
        }
        double lower = byBudget.get(Integer.toString(below)).asDouble();
        double upper = byBudget.get(Integer.toString(above)).asDouble();
        return above == below ? lower : lower + (upper - lower) * (budget - below) / (above - below);
    }
}
