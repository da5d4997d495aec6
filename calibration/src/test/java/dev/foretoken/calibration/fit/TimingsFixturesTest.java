package dev.foretoken.calibration.fit;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.networknt.schema.JsonSchema;
import com.networknt.schema.JsonSchemaFactory;
import com.networknt.schema.SpecVersion.VersionFlag;
import com.networknt.schema.ValidationMessage;
import dev.foretoken.formats.json.Json;
import dev.foretoken.formats.profile.ProfileReader;
import dev.foretoken.formats.profile.ProfileWriter;
import dev.foretoken.formats.schema.Schemas;
import dev.foretoken.formats.timings.KernelTimings;
import dev.foretoken.formats.timings.TimingsFile;
import dev.foretoken.sim.profile.Curve;
import dev.foretoken.sim.profile.Op;
import dev.foretoken.sim.profile.Profile;
import dev.foretoken.sim.profile.Shape;
import java.io.IOException;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The three golden files: no card, a real run of the host backend on a busy machine, and a made-up run of two cards. */
class TimingsFixturesTest {
    private static Path fixture(String name) {
        try {
            return Path.of(
                    TimingsFixturesTest.class.getResource("/timings/" + name).toURI());
        } catch (URISyntaxException e) {
            throw new IllegalStateException(e);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"no_device.json", "host.json", "synthetic_gpu.json"})
    void everyFileMeetsItsSchema(String name) throws IOException {
        JsonSchema schema =
                JsonSchemaFactory.getInstance(VersionFlag.V202012).getSchema(Schemas.text("kernel-timings"));
        Set<ValidationMessage> messages = schema.validate(Json.mapper().readTree(Files.readString(fixture(name))));
        assertTrue(messages.isEmpty(), messages::toString);
    }

    @Test
    void withoutACardNothingIsFitted() {
        KernelTimings t = TimingsFile.read(fixture("no_device.json"));
        assertEquals("no_device", t.status());
        FitResult r = new KernelFit(new FitOptions("card", "own", null, 1)).fit(Map.of("no_device.json", t));
        assertTrue(r.fits().isEmpty());
    }

    @Test
    void theHostRunBecomesAProfileThatIsReadBack(@TempDir Path dir) {
        KernelTimings t = TimingsFile.read(fixture("host.json"));
        FitResult r = new KernelFit(new FitOptions("host-cpu", "own", null, 1)).fit(Map.of("host.json", t));
        assertNotNull(r.profile());
        assertTrue(r.profile().families(Op.GEMM).get(0).curves().size() >= 4);
        assertEquals(
                t.points().size(),
                r.rejected().stream()
                                .filter(x -> !x.reason().startsWith("an isolated"))
                                .count()
                        + r.fits().stream()
                                .mapToLong(f -> f.fit().knots().size()
                                        + f.fit().outliers().size())
                                .sum(),
                "every point is in a curve or in the list of rejected ones");
        Path file = dir.resolve("host.json");
        ProfileWriter.write(r.profile(), file);
        Profile back = ProfileReader.read(file);
        assertEquals(r.profile().id(), back.id());
        assertEquals(r.profile().families().size(), back.families().size());
    }

    @Test
    void theSyntheticRunIsTheGeneratorsAndIsFitted() throws IOException {
        assertEquals(
                Json.canonical(SyntheticGpuRun.run()),
                Json.canonical(TimingsFile.read(fixture("synthetic_gpu.json"))),
                "regenerate with SyntheticGpuRun");
        FitResult r = new KernelFit(new FitOptions("rtx-pro-6000-server", "own", null, 1))
                .fit(Map.of("synthetic_gpu.json", SyntheticGpuRun.run()));
        Curve gemm = r.profile().families(Op.GEMM, "bf16").get(0).find(Shape.gemm(16384, 5120));
        KnownTruth truth = KnownTruth.verifyGemm();
        for (int m : new int[] {18, 28, 60, 100, 300, 700}) {
            assertEquals(1, gemm.us(m) / truth.us(m), 0.02, "rows " + m);
        }
        assertTrue(r.rejected().stream().anyMatch(x -> x.reason().contains("beats the memory of its card")));
        assertTrue(r.rejected().stream().anyMatch(x -> x.reason().startsWith("failed")));
        assertEquals("the timings are synthetic", r.profile().notes().get(0));
        assertNotNull(r.links());
    }
}
