package dev.foretoken.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import dev.foretoken.formats.json.Json;
import dev.foretoken.formats.profile.ProfileReader;
import dev.foretoken.sim.profile.Curve;
import dev.foretoken.sim.profile.Profile;
import dev.foretoken.sim.profile.Shape;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class CalibrateFitTest {
    @TempDir
    Path folder;

    private static CliRun run(Object... args) {
        return CliRun.of(
                Stream.concat(Stream.of("calibrate", "fit"), Stream.of(args).map(Object::toString))
                        .toArray(String[]::new));
    }

    private static String point(String op, String impl, String params, int m, double us, String extra) {
        return String.format(
                Locale.ROOT,
                "{\"id\":\"%s/%s/%s/m=%d\",\"op\":\"%s\",\"impl\":\"%s\",\"devices\":[0],\"params\":{%s},"
                        + "\"dtype\":{\"a\":\"bf16\",\"b\":\"bf16\",\"c\":\"bf16\"},\"mode\":\"graph\",\"cache\":\"cold\","
                        + "\"thermal\":\"burst\",\"unit\":\"us\",\"n\":60,\"passes\":3,\"median\":%.4f,\"ci95_lo\":%.4f,"
                        + "\"ci95_hi\":%.4f,\"status\":\"ok\"%s}",
                op,
                impl,
                params.hashCode(),
                m,
                op,
                impl,
                params,
                us,
                us * 0.999,
                us * 1.001,
                extra);
    }

    /** A floor of 40 us up to 16 rows, a stair there, then a rise; and all-reduces of two cards. */
    private Path timings(String name, String device) throws IOException {
        StringBuilder points = new StringBuilder();
        int[] rows = {1, 2, 4, 8, 12, 16, 17, 24, 32, 48, 64};
        for (int m : rows) {
            double us = m <= 16 ? 40 : 52 + 0.1 * (m - 17);
            points.append(point("gemm", "cublaslt", "\"m\":" + m + ",\"n\":4096,\"k\":5120", m, us, ""))
                    .append(",\n");
        }
        for (int b : new int[] {4096, 65536, 1048576}) {
            points.append(point("all_reduce", "nccl", "\"bytes\":" + b + ",\"ranks\":2", b, 5 + b / 40000.0, ""))
                    .append(",\n");
        }
        points.append(point("gemm", "cublaslt", "\"m\":128,\"n\":4096,\"k\":5120", 128, 60, ",\"throttled\":true"));
        Path file = folder.resolve(name);
        Files.writeString(
                file,
                "{\"schema\":\"foretoken/kernel-timings/1\",\"status\":\"ok\",\"backend\":\"cuda\",\"synthetic\":true,"
                        + "\"tool\":{\"version\":\"0.1.0\"},\"software\":{\"driver_version\":\"580\"},"
                        + "\"devices\":[{\"index\":0,\"name\":\"" + device + "\"}],\"points\":[\n" + points + "]}");
        return file;
    }

    @Test
    void timingsToAProfile() throws Exception {
        Path profile = folder.resolve("mine.json");
        Path out = folder.resolve("out");
        CliRun run =
                run(timings("t.json", "NVIDIA RTX PRO 6000 Blackwell Server Edition"), "-o", profile, "--out", out);
        assertEquals(0, run.exit(), run.err());
        Profile read = ProfileReader.read(profile);
        assertEquals("rtx-pro-6000-server", read.card());
        Curve curve = read.families("gemm").get(0).find(Shape.gemm(4096, 5120));
        assertEquals(40, curve.us(10), 0.4);
        assertEquals(52 + 0.1 * 23, curve.us(40), 0.6);
        assertTrue(run.out().contains("throttled"), run.out());
        assertTrue(run.out().contains("all_reduce over 2 ranks by nccl: 3 sizes"), run.out());
        String link = Files.readString(folder.resolve("mine-link.yaml"));
        assertTrue(link.contains("id: mine-link") && link.contains("bytes: 65536"), link);
        assertTrue(Files.exists(out.resolve("fit-rejected-rows.csv")));
        try (Stream<Path> files = Files.list(out)) {
            assertTrue(files.anyMatch(f -> f.toString().endsWith(".png")));
        }
        JsonNode json = Json.mapper().readTree(out.resolve("fit.json").toFile());
        assertEquals(1, json.get("rejected").size());
        for (JsonNode residual : json.get("residuals")) {
            assertTrue(residual.get("worst_residual").asDouble() < 0.02, residual.toString());
        }
    }

    @Test
    void measurementsOverAPublishedProfile() throws Exception {
        Path profile = folder.resolve("over.json.gz");
        Path timings = timings("t.json", "NVIDIA RTX PRO 6000 Blackwell Server Edition");
        CliRun run = run(timings, "--base", "rtx-pro-6000-server/sglang", "-o", profile);
        assertEquals(0, run.exit(), run.err());
        Profile read = ProfileReader.read(profile);
        assertEquals("sglang", read.engine());
        assertTrue(run.out().contains("in place of"), run.out());
        double mine = read.families("gemm", "bf16").stream()
                .filter(f -> f.find(Shape.gemm(4096, 5120)) != null)
                .findFirst()
                .orElseThrow()
                .find(Shape.gemm(4096, 5120))
                .us(8);
        assertEquals(40, mine, 0.4);
        assertTrue(read.families("attention_generation").size() > 0);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "absent.json",
                ".",
                "text.json",
                "other.json",
                "t.json --base b200/vlm",
                "t.json --base b200/sglang",
                "empty.json",
                "unusable.json"
            })
    void refusesWithOneSentence(String arguments) throws Exception {
        timings("t.json", "NVIDIA RTX PRO 6000 Blackwell Server Edition");
        timings("other.json", "NVIDIA Unheard-of");
        Files.writeString(folder.resolve("text.json"), "{\"schema\": \"foretoken/kernel-timings/1\", \"status\": ");
        Files.writeString(
                folder.resolve("empty.json"),
                "{\"schema\":\"foretoken/kernel-timings/1\",\"status\":\"no_device\",\"backend\":\"cuda\",\"points\":[]}");
        Files.writeString(
                folder.resolve("unusable.json"),
                "{\"schema\":\"foretoken/kernel-timings/1\",\"status\":\"ok\",\"backend\":\"host\",\"points\":["
                        + "{\"id\":\"x\",\"op\":\"gemm\",\"impl\":\"own\",\"params\":{},\"status\":\"failed\"}]}");
        String[] words = arguments.isEmpty() ? new String[0] : arguments.split(" ");
        for (int i = 0; i < words.length; i++) {
            String w = words[i];
            words[i] = w.endsWith(".json") || w.equals(".") ? folder.resolve(w).toString() : w;
        }
        Path output = folder.resolve("never.json");
        CliRun run =
                run(Stream.concat(Stream.of(words), Stream.of("-o", output)).toArray());
        assertEquals(2, run.exit(), run.out() + run.err());
        assertFalse(run.err().isBlank());
        assertFalse(run.err().contains("\tat "), run.err());
        assertFalse(Files.exists(output));
    }
}
