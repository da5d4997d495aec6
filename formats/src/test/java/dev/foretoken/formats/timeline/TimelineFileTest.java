package dev.foretoken.formats.timeline;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.foretoken.formats.requests.ServedRequests;
import dev.foretoken.sim.acceptance.PmfLaw;
import dev.foretoken.sim.round.BlackBoxKnot;
import dev.foretoken.sim.round.BlackBoxRounds;
import dev.foretoken.sim.serving.EngineListener;
import dev.foretoken.sim.serving.EngineSetup;
import dev.foretoken.sim.serving.LengthSampler;
import dev.foretoken.sim.serving.Load;
import dev.foretoken.sim.serving.QueueSeries;
import dev.foretoken.sim.serving.RoundOption;
import dev.foretoken.sim.serving.ServedArm;
import dev.foretoken.sim.serving.ServedWorkload;
import dev.foretoken.sim.serving.SimulationOptions;
import dev.foretoken.sim.serving.SimulationPoint;
import dev.foretoken.sim.serving.Simulator;
import dev.foretoken.sim.serving.TraceRequest;
import dev.foretoken.sim.serving.TraceSource;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Files that a run writes through listeners. */
class TimelineFileTest {
    @TempDir
    Path folder;

    /** Two requests: prompts of 100 tokens at 0.01 ms, rounds of 20 ms for one and 25 ms for two of width 2, 2 ms draft. */
    private static SimulationPoint run(EngineListener... listeners) {
        BlackBoxRounds rounds = BlackBoxRounds.of(
                List.of(new BlackBoxKnot(2, null, 20, null), new BlackBoxKnot(4, null, 25, null)), 0.01);
        RoundOption option = RoundOption.drafting(1, 2, rounds.forArm(2, 2, 0));
        return Simulator.simulate(
                EngineSetup.of("sglang"),
                ServedArm.of(option),
                List.of(ServedWorkload.of("w", LengthSampler.fixed(1), LengthSampler.fixed(1), PmfLaw.of(0.5, 0.5))),
                new Load.Trace(TraceSource.of(
                        "two", List.of(new TraceRequest(0, 100, 15), new TraceRequest(30_000_000, 100, 9)))),
                SimulationOptions.DEFAULT,
                listeners);
    }

    @Test
    void everyRoundAndChunkIsThereWithItsTermsAndCounters() throws IOException {
        Path file = folder.resolve("timeline.json");
        TimelineFile.write(file, "point", 1000, TimelineFileTest::run);
        JsonNode events = new ObjectMapper().readTree(file.toFile()).get("traceEvents");
        Map<String, Integer> count = new HashMap<>();
        double roundUs = 0;
        double termUs = 0;
        for (JsonNode e : events) {
            String kind = e.get("ph").asText() + e.path("tid").asText();
            count.merge(kind, 1, Integer::sum);
            if (kind.equals("X1")) {
                roundUs += e.get("dur").asDouble();
                assertEquals(2.0, e.at("/args/terms_ms/draft").asDouble());
            }
            if (kind.equals("X2")) {
                termUs += e.get("dur").asDouble();
            }
        }
        assertEquals(2, count.get("X4"), "prompt chunks");
        assertTrue(count.get("X1") >= 6, "rounds");
        assertEquals(2 * count.get("X1"), count.get("X2"), "terms");
        assertEquals(roundUs, termUs, 1e-6 * roundUs);
        assertEquals(2 * (count.get("X1") + count.get("X4")), count.get("C"), "counters");
    }

    @Test
    void aLongRunIsCutAndSaysSo() throws IOException {
        Path file = folder.resolve("timeline.json");
        TimelineFile.write(file, "point", 3, TimelineFileTest::run);
        String text = Files.readString(file);
        assertTrue(text.contains("the timeline ends after 3 steps"), text);
        new ObjectMapper().readTree(text);
    }

    @Test
    void theSameRunGivesTheSameBytes() throws IOException {
        Path one = folder.resolve("one.json");
        Path two = folder.resolve("two.json");
        TimelineFile.write(one, "point", 1000, TimelineFileTest::run);
        TimelineFile.write(two, "point", 1000, TimelineFileTest::run);
        assertArrayEquals(Files.readAllBytes(one), Files.readAllBytes(two));
    }

    @Test
    void everyRequestHasARow() throws IOException {
        Path file = folder.resolve("requests.csv");
        ServedRequests.write(file, TimelineFileTest::run);
        List<String> lines = Files.readAllLines(file);
        assertEquals(3, lines.size());
        assertEquals("arrival_s,isl,osl,workload,queue_ms,ttft_ms,tpot_ms,e2e_ms,rounds,accepted", lines.get(0));
        assertTrue(lines.stream().anyMatch(l -> l.startsWith("0.0,100,15,w,0.0,1.0,")), lines::toString);
    }

    @Test
    void runningAndWaitingAreTimeWeighted() {
        QueueSeries series = new QueueSeries();
        run(series);
        List<QueueSeries.Sample> samples = series.samples();
        double end = 0;
        for (QueueSeries.Sample s : samples) {
            assertEquals(end, s.startS(), 1e-9);
            assertTrue(s.running() >= 0 && s.running() <= 2, s.toString());
            end = s.endS();
        }
        assertTrue(samples.stream().anyMatch(s -> s.running() > 1.5));
    }
}
