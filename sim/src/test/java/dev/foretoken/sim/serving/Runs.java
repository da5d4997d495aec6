package dev.foretoken.sim.serving;

import dev.foretoken.sim.acceptance.AcceptanceLaw;
import java.util.ArrayList;
import java.util.List;

/** Short runs for hand-worked examples: everything that happened, in order. */
final class Runs {
    final List<ServedRequest> served = new ArrayList<>();
    final List<EngineStep> steps = new ArrayList<>();
    SimulationPoint point;

    private Runs() {}

    /** A request at a time in ms. */
    static TraceRequest at(double ms, int isl, int osl) {
        return new TraceRequest(Math.round(ms * 1e6), isl, osl);
    }

    static ServedWorkload workload(AcceptanceLaw law) {
        return ServedWorkload.of("w", LengthSampler.fixed(1), LengthSampler.fixed(1), law);
    }

    static Runs trace(EngineSetup setup, RoundOption option, AcceptanceLaw law, TraceRequest... requests) {
        return trace(setup, ServedArm.of(option), List.of(workload(law)), requests);
    }

    static Runs trace(EngineSetup setup, ServedArm arm, List<ServedWorkload> workloads, TraceRequest... requests) {
        Runs run = new Runs();
        run.point = Simulator.simulate(
                setup,
                arm,
                workloads,
                new Load.Trace(TraceSource.of("trace", List.of(requests))),
                SimulationOptions.DEFAULT,
                run.listener());
        return run;
    }

    private EngineListener listener() {
        return new EngineListener() {
            @Override
            public void completed(ServedRequest request) {
                served.add(request);
            }

            @Override
            public void stepped(EngineStep step) {
                steps.add(step);
            }
        };
    }

    ServedRequest request(long id) {
        return served.stream().filter(r -> r.id() == id).findFirst().orElseThrow();
    }
}
