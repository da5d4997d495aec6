package dev.foretoken.formats.profile;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.foretoken.formats.catalogue.Catalogue;
import dev.foretoken.formats.document.DocumentError;
import dev.foretoken.formats.scenario.ScenarioReader;
import dev.foretoken.formats.scenario.ScenarioResources;
import dev.foretoken.sim.profile.Profile;
import dev.foretoken.sim.profile.ProfileSource;
import dev.foretoken.sim.round.BlackBoxKnot;
import dev.foretoken.sim.scenario.Calibration;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class BlackBoxProfileTest {
    private static final ProfileSource SOURCE = new ProfileSource("a sweep", null, null, List.of(), true);

    @TempDir
    Path folder;

    private static BlackBoxProfile.Measured ms(double ms) {
        return new BlackBoxProfile.Measured(ms, 0.99 * ms, 1.02 * ms, 50);
    }

    private static Profile profile(Integer tp, boolean overhead) {
        Map<BlackBoxKnot, BlackBoxProfile.Measured> rounds = new LinkedHashMap<>();
        for (double context : new double[] {100, 900}) {
            for (int rows : new int[] {1, 8, 64}) {
                rounds.put(new BlackBoxKnot(rows, context, 20, tp), ms(20 + 0.1 * rows + context / 1000));
            }
        }
        return BlackBoxProfile.of(
                "h100", "vllm", "0.24", "bf16", SOURCE, rounds, ms(0.02), overhead ? ms(6.5) : null, List.of("a note"));
    }

    private Calibration read(String hardware, String calibration) throws IOException {
        Path file = folder.resolve("s.yaml");
        Files.writeString(
                file,
                "schema: foretoken/scenario/1\nengine: {name: vllm}\n" + hardware
                        + "methods: [{id: ar, kind: autoregressive}, {id: m, kind: mtp, steps: 2}]\n"
                        + "workloads: [{id: w, isl: 8, osl: 8, acceptance: {accept_length: 2}}]\n"
                        + "load: [{kind: closed, concurrency: 1}]\ncalibration: " + calibration + "\n");
        return new ScenarioReader(ScenarioResources.of(Catalogue.bundled(), p -> null))
                .read(file)
                .variants()
                .get(0)
                .calibration();
    }

    @Test
    void goesThroughAFileAndIntoAScenario() throws IOException {
        ProfileWriter.write(profile(null, true), folder.resolve("server.json"));
        Profile back = ProfileReader.read(folder.resolve("server.json"));
        assertTrue(BlackBoxProfile.isOne(back));
        assertEquals(6, BlackBoxProfile.knots(back).size());
        Calibration c = read("", "{profile: server.json}");
        assertTrue(c.blackBox());
        assertNull(c.profile());
        BlackBoxKnot knot = c.roundTimes().get(1);
        assertEquals(new BlackBoxKnot(8, 100.0, 20.9, null, knot.lowMs(), knot.highMs()), knot);
        assertEquals(0.99 * 20.9, knot.lowMs(), 1e-6);
        assertEquals(1.02 * 20.9, knot.highMs(), 1e-6);
        assertEquals(0.02, c.prefillMsPerToken(), 1e-12);
        assertEquals(6.5, Calibration.lookup(c.draftMs(), "m", "mtp"), 1e-12);
        assertEquals(0, Calibration.lookup(c.hostMs(), "m", "mtp"), 0);
    }

    @Test
    void theScenarioWins() throws IOException {
        ProfileWriter.write(profile(null, true), folder.resolve("server.json"));
        Calibration c =
                read("", "{profile: server.json, draft_ms: {mtp: 1.5}, host_ms: 0.25, prefill_ms_per_token: 0.5}");
        assertEquals(1.5, Calibration.lookup(c.draftMs(), "m", "mtp"), 0);
        assertEquals(0.25, Calibration.lookup(c.hostMs(), "m", "mtp"), 0);
        assertEquals(0.5, c.prefillMsPerToken(), 0);
    }

    @Test
    void withoutAnOverheadNothingIsMadeUp() throws IOException {
        ProfileWriter.write(profile(null, false), folder.resolve("server.json"));
        assertTrue(read("", "{profile: server.json}").draftMs().isEmpty());
    }

    @Test
    void tpMustFit() throws IOException {
        ProfileWriter.write(profile(2, false), folder.resolve("two.json"));
        ProfileWriter.write(profile(null, false), folder.resolve("any.json"));
        String several = "hardware: {gpu: h100, count: 4, tp: [1, 2]}\n";
        assertTrue(assertThrows(DocumentError.class, () -> read(several, "{profile: two.json}"))
                .getMessage()
                .contains("no knot for tp 1"));
        assertTrue(assertThrows(DocumentError.class, () -> read(several, "{profile: any.json}"))
                .getMessage()
                .contains("every knot needs tp"));
    }

    @Test
    void aProfileOfNothingIsRefused() {
        assertThrows(
                IllegalArgumentException.class,
                () -> BlackBoxProfile.of("x", "vllm", null, "bf16", SOURCE, Map.of(), null, null, List.of()));
        assertFalse(BlackBoxProfile.isOne(
                BlackBoxProfile.of("x", "vllm", null, "bf16", SOURCE, Map.of(), ms(0.1), null, List.of())));
    }
}
