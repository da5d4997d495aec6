package dev.foretoken.formats.trace;

import dev.foretoken.sim.round.RoundTimeModel;
import dev.foretoken.sim.serving.EngineListener;
import dev.foretoken.sim.serving.EngineSetup;
import dev.foretoken.sim.serving.EngineStep;
import dev.foretoken.sim.serving.LengthSampler;
import dev.foretoken.sim.serving.Load;
import dev.foretoken.sim.serving.RoundOption;
import dev.foretoken.sim.serving.ServedArm;
import dev.foretoken.sim.serving.ServedRequest;
import dev.foretoken.sim.serving.ServedWorkload;
import dev.foretoken.sim.serving.SimulationOptions;
import dev.foretoken.sim.serving.Simulator;
import dev.foretoken.sim.serving.TraceRequest;
import dev.foretoken.sim.serving.TraceSource;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.function.ToDoubleFunction;

/**
 * Replays the requests of a live autoregressive run in the simulator and compares request by request. Definitions are the
 * server's: first token and end-to-end time count from when the engine read the request from its input queue.
 */
public final class LiveLogReplay {
    private final List<VllmRequestTimes> live;
    private final ServedRequest[] simulated;
    private final List<EngineStep> decodeSteps;

    private LiveLogReplay(List<VllmRequestTimes> live, ServedRequest[] simulated, List<EngineStep> decodeSteps) {
        this.live = live;
        this.simulated = simulated;
        this.decodeSteps = decodeSteps;
    }

    /**
     * Signed relative errors of a figure over the requests, (simulated - live)/live.
     *
     * @param mean error of the mean
     * @param median error of the median
     * @param p90 error of the 90th percentile
     */
    public record Errors(double mean, double median, double p90) {}

    /**
     * Replays a log.
     *
     * @param live what the server did, in order of arrival
     * @param cachedTokens prompt tokens found in the prefix cache by position in the log; absent = none
     * @param setup the server's engine
     * @param rounds its round times
     */
    public static LiveLogReplay run(
            List<VllmRequestTimes> live, Map<Integer, Integer> cachedTokens, EngineSetup setup, RoundTimeModel rounds) {
        List<TraceRequest> requests = new ArrayList<>();
        double firstS = live.get(0).arrivalS();
        for (int i = 0; i < live.size(); i++) {
            VllmRequestTimes r = live.get(i);
            requests.add(new TraceRequest(
                    Math.round((r.arrivalS() - firstS) * 1e9),
                    r.isl(),
                    r.osl(),
                    null,
                    cachedTokens.getOrDefault(i, 0)));
        }
        ServedRequest[] simulated = new ServedRequest[live.size()];
        List<EngineStep> decodeSteps = new ArrayList<>();
        Simulator.simulate(
                setup,
                ServedArm.of(RoundOption.autoregressive(rounds)),
                List.of(ServedWorkload.of("live", LengthSampler.fixed(1), LengthSampler.fixed(1), null)),
                new Load.Trace(TraceSource.of("live log", requests)),
                SimulationOptions.DEFAULT,
                new EngineListener() {
                    @Override
                    public void completed(ServedRequest request) {
                        simulated[(int) request.id()] = request;
                    }

                    @Override
                    public void stepped(EngineStep step) {
                        if (step.prefillTokens() == 0) {
                            decodeSteps.add(step);
                        }
                    }
                });
        return new LiveLogReplay(live, simulated, decodeSteps);
    }

    /** Time per output token after the first. */
    public Errors tpot() {
        return errors(
                r -> (r.lastTokenS() - r.firstTokenS()) / (r.osl() - 1),
                r -> (r.lastTokenNs() - r.firstTokenNs()) / 1e9 / (r.osl() - 1));
    }

    /** Input queue to last token. */
    public Errors e2e() {
        return errors(r -> r.lastTokenS() - r.queuedS(), r -> (r.lastTokenNs() - r.queuedNs()) / 1e9);
    }

    /** Input queue to first token. */
    public Errors ttft() {
        return errors(r -> r.firstTokenS() - r.queuedS(), r -> (r.firstTokenNs() - r.queuedNs()) / 1e9);
    }

    /** First scheduled to first token: what tells a synchronous engine from one with two batches in flight. */
    public Errors scheduledToFirst() {
        return errors(r -> r.firstTokenS() - r.scheduledS(), r -> (r.firstTokenNs() - r.scheduledNs()) / 1e9);
    }

    /** Relative error of the time from the first request's queueing to the last token of all. */
    public double duration() {
        double liveEnd =
                live.stream().mapToDouble(VllmRequestTimes::lastTokenS).max().orElseThrow();
        double end = Arrays.stream(simulated)
                .mapToDouble(ServedRequest::lastTokenNs)
                .max()
                .orElseThrow();
        double liveS = liveEnd - live.get(0).queuedS();
        return (end - simulated[0].queuedNs()) / 1e9 / liveS - 1;
    }

    /**
     * Simulated time of a pure decode step at a batch and mean KV length, ms: least squares over KV of the run's steps with
     * that batch.
     *
     * @throws IllegalStateException when the run has fewer than 3 such steps
     */
    public double decodeMs(int requests, double kvTokens) {
        List<EngineStep> steps =
                decodeSteps.stream().filter(s -> s.requests() == requests).toList();
        if (steps.size() < 3) {
            throw new IllegalStateException(steps.size() + " decode steps of " + requests + " requests");
        }
        double n = steps.size();
        double meanKv = steps.stream().mapToDouble(EngineStep::meanContext).sum() / n;
        double meanMs = steps.stream().mapToDouble(EngineStep::ms).sum() / n;
        double sxy = 0;
        double sxx = 0;
        for (EngineStep s : steps) {
            sxy += (s.meanContext() - meanKv) * (s.ms() - meanMs);
            sxx += (s.meanContext() - meanKv) * (s.meanContext() - meanKv);
        }
        return meanMs + (sxx == 0 ? 0 : sxy / sxx) * (kvTokens - meanKv);
    }

    private Errors errors(ToDoubleFunction<VllmRequestTimes> ofLive, ToDoubleFunction<ServedRequest> ofSimulated) {
        double[] l = live.stream().mapToDouble(ofLive).sorted().toArray();
        double[] s = Arrays.stream(simulated).mapToDouble(ofSimulated).sorted().toArray();
        return new Errors(
                Arrays.stream(s).sum() / Arrays.stream(l).sum() - 1,
                quantile(s, 0.5) / quantile(l, 0.5) - 1,
                quantile(s, 0.9) / quantile(l, 0.9) - 1);
    }

    /** Linear between order statistics. */
    private static double quantile(double[] sorted, double p) {
        double at = p * (sorted.length - 1);
        int i = Math.min((int) at, sorted.length - 2);
        return sorted[i] + (at - i) * (sorted[i + 1] - sorted[i]);
    }
}
