package dev.foretoken.validation.testserver;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.foretoken.formats.catalogue.Catalogue;
import dev.foretoken.formats.catalogue.CatalogueFiles;
import dev.foretoken.formats.scenario.ScenarioReader;
import dev.foretoken.formats.scenario.ScenarioResources;
import dev.foretoken.sim.round.BlackBoxTimes;
import dev.foretoken.sim.scenario.Scenario;
import dev.foretoken.validation.client.ApiKey;
import dev.foretoken.validation.client.Endpoint;
import dev.foretoken.validation.session.EndpointSession;
import dev.foretoken.validation.session.PromptBook;
import dev.foretoken.validation.sweep.EndpointSweep;
import dev.foretoken.validation.sweep.SweepResult;
import dev.foretoken.validation.validate.ArmChoice;
import dev.foretoken.validation.validate.LiveOptions;
import dev.foretoken.validation.validate.LiveValidation;
import dev.foretoken.validation.validate.Measurement;
import dev.foretoken.validation.validate.ScenarioPredictor;
import dev.foretoken.validation.validate.Validation;
import dev.foretoken.validation.validate.ValidationReport;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestMethodOrder;

/**
 * A real third-party server on this CPU, at small size: probe, sweep, calibrate, predict, validate. Skipped where the kit is
 * not installed. Times of a shared CPU are noisy: only gross errors fail.
 */
@Tag("llama")
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
class LlamaServerTest {
    private static final Duration START = Duration.ofMinutes(3);
    private static final List<Double> FORCED = List.of(0.85, 0.7225, 0.614);
    private static LlamaKit kit;
    private static SweepResult ar;
    private static final List<Measurement> measurements = new ArrayList<>();

    @BeforeAll
    static void kit() throws Exception {
        kit = new LlamaKit(Path.of(System.getProperty("foretoken.root", "..")));
        kit.installIfAsked(System.out::println);
        Assumptions.assumeTrue(
                kit.present(), "no llama.cpp kit here: ./foretoken test installs it (about 200 MB from PyPI)");
    }

    @AfterAll
    static void say() {
        if (ar != null) {
            ar.knots()
                    .forEach(k -> System.out.printf(
                            Locale.ROOT,
                            "  rows %d: %.1f ms [%.1f, %.1f]%n",
                            k.rows(),
                            k.ms().estimate(),
                            k.ms().lo(),
                            k.ms().hi()));
        }
    }

    private static EndpointSession open(LlamaServer server) {
        return EndpointSession.open(
                new Endpoint(server.uri(), null, ApiKey.NONE),
                new EndpointSession.Limits(Duration.ofSeconds(60), Duration.ofSeconds(120)),
                s -> {});
    }

    private static EndpointSweep.Options options(List<Integer> levels, Integer width) {
        return new EndpointSweep.Options(levels, List.of(24), 24, 1, width, "chat", Duration.ofMinutes(4));
    }

    private static Scenario scenario() {
        StringBuilder knots = new StringBuilder();
        for (SweepResult.Knot k : ar.knots()) {
            knots.append(knots.isEmpty() ? "" : ", ")
                    .append(String.format(Locale.ROOT, "{rows: %d, ms: %.3f}", k.rows(), k.ms().estimate()));
        }
        String yaml = "schema: foretoken/scenario/1\nname: cpu\nseed: 3\nengine: {name: llama.cpp}\n"
                + "methods:\n  - {id: ar, kind: autoregressive}\n  - {id: ngram, kind: mtp, steps: 3}\n"
                + "workloads:\n  - {id: chat, isl: 24, osl: 24, acceptance: {ngram: {per_position: "
                + FORCED
                + "}}}\n"
                + "load:\n  - {kind: closed, concurrency: [2]}\n"
                + "calibration:\n  round_times: ["
                + knots
                + "]\n  draft_ms: {ngram: 0}\n  host_ms: {ngram: 0}\n  prefill_ms_per_token: "
                + String.format(Locale.ROOT, "%.4f", ar.prefillMsPerToken().estimate())
                + "\n";
        return new ScenarioReader(ScenarioResources.of(new Catalogue(CatalogueFiles.bundled()), p -> {
                    throw new IllegalArgumentException("no marginals here");
                }))
                .read("cpu.yaml", yaml.getBytes(StandardCharsets.UTF_8), Path.of("."))
                .variants()
                .get(0);
    }

    @Test
    @Order(1)
    void probeSweepPredictAndValidateAutoregressively() throws Exception {
        try (LlamaServer server = LlamaServer.start(kit, LlamaServer.Options.autoregressive(4), START);
                EndpointSession session = open(server)) {
            assertEquals("llama.cpp", session.probed().adapter().id());
            assertEquals(4, session.probed().snapshot().slots());
            double cpu = server.cpuSeconds();
            ar = new EndpointSweep(session, PromptBook.bundled(), options(List.of(1, 2, 4), null)).run();
            assertTrue(server.cpuSeconds() > cpu);
            assertEquals(3, ar.knots().size());
            assertFalse(ar.speculative());
            ar.knots().forEach(k -> assertTrue(k.ms().estimate() > 0.5 && k.ms().estimate() < 20_000, k.toString()));
            assertNotNull(ar.prefillMsPerToken());
            Scenario s = scenario();
            measurements.addAll(new LiveValidation(
                            s,
                            "h",
                            session,
                            PromptBook.bundled(),
                            new LiveOptions(
                                    new ArmChoice("ar", null, null, null),
                                    2,
                                    6,
                                    0,
                                    false,
                                    null,
                                    false,
                                    1,
                                    Duration.ofMinutes(4),
                                    java.util.Set.of()),
                            LiveValidation.TraceArrivals.NONE,
                            line -> {})
                    .measure());
            ValidationReport r = report(s);
            double error = r.rows().get(0).figures().get("output_tok_s").errorPercent();
            assertTrue(
                    Math.abs(Math.log1p(error / 100)) < Math.log(2.5),
                    "autoregressive throughput is off by " + error + " %");
        }
    }

    private static ValidationReport report(Scenario s) {
        return new Validation(
                        new ScenarioPredictor(
                                s, new BlackBoxTimes(s.calibration(), List.of(1), BlackBoxTimes.MemoryLimit.NONE)),
                        "h")
                .report(measurements);
    }

    @Test
    @Order(2)
    void forcedAcceptanceOfADraftModelIsRecoveredFromBurstsAndCounters() throws Exception {
        Assumptions.assumeTrue(ar != null, "the autoregressive sweep did not finish");
        LlamaServer.Speculation draft = new LlamaServer.Speculation(kit.drafter(4), 3, FORCED);
        try (LlamaServer server = LlamaServer.start(
                        kit, LlamaServer.Options.autoregressive(4).with(draft), START);
                EndpointSession session = open(server)) {
            SweepResult r = new EndpointSweep(session, PromptBook.bundled(), options(List.of(1, 2), 4)).run();
            assertTrue(r.speculative(), r.notes().toString());
            assertNotNull(r.acceptance());
            double forced = 1 + FORCED.stream().mapToDouble(Double::doubleValue).sum();
            assertEquals(forced, r.acceptance().acceptLength(), 0.35 * forced);
            SweepResult.DraftAndHost d = EndpointSweep.draftAndHost(ar.knots(), r.rounds(), 4);
            assertTrue(Double.isFinite(d.ms()) && d.ms() >= 0, d.toString());
        }
    }

    @Test
    @Order(3)
    void ngramDraftsWithForcedRatesAreMeasuredAndTheServerMayDie() throws Exception {
        LlamaServer.Speculation ngram = new LlamaServer.Speculation(null, 3, FORCED);
        try (LlamaServer server = LlamaServer.start(
                        kit, LlamaServer.Options.autoregressive(2).with(ngram), START);
                EndpointSession session = open(server)) {
            assertTrue(session.snapshot().speculative() != null);
            server.kill();
            var e = org.junit.jupiter.api.Assertions.assertThrows(
                    RuntimeException.class,
                    () -> new EndpointSweep(session, PromptBook.bundled(), options(List.of(1), 4)).run());
            assertFalse(e.getMessage().isBlank());
        }
    }
}
