package dev.foretoken.report.page;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.foretoken.formats.catalogue.Catalogue;
import dev.foretoken.formats.scenario.ScenarioFile;
import dev.foretoken.formats.scenario.ScenarioReader;
import dev.foretoken.formats.scenario.ScenarioResources;
import dev.foretoken.report.Hostile;
import dev.foretoken.sim.explore.Explorer;
import dev.foretoken.sim.explore.LaunchFlags;
import dev.foretoken.sim.result.Result;
import dev.foretoken.sim.round.BlackBoxTimes;
import dev.foretoken.sim.scenario.Scenario;
import java.io.IOException;
import java.io.InputStream;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

class PageServerTest {
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final HttpClient CLIENT = HttpClient.newHttpClient();
    private static PageServer server;

    /** Round times are those of the settings. */
    private static final class BlackBox implements WhatIfModel {
        @Override
        public Catalogue catalogue() {
            return Catalogue.bundled();
        }

        @Override
        public boolean hasProfile(String gpu, String engine) {
            return false;
        }

        @Override
        public ScenarioFile read(String name, String text) {
            ScenarioResources resources = ScenarioResources.of(Catalogue.bundled(), path -> {
                throw new IllegalStateException("no trace expected: " + path);
            });
            return new ScenarioReader(resources).read(name, text.getBytes(StandardCharsets.UTF_8), Path.of(""));
        }

        @Override
        public Result explore(ScenarioFile file) {
            Scenario s = file.variants().get(0);
            BlackBoxTimes times = new BlackBoxTimes(s.calibration(), s.tpSizes(), BlackBoxTimes.MemoryLimit.NONE);
            return new Explorer(s, times, LaunchFlags.NONE).explore("test", "hash", n -> {});
        }
    }

    @BeforeAll
    static void start() throws Exception {
        server = PageServer.start("127.0.0.1", 0, new BlackBox());
    }

    @AfterAll
    static void stop() {
        server.close();
    }

    private static Map<String, Object> settings() {
        Map<String, Object> s = new HashMap<>(Map.of(
                "gpu",
                "rtx-pro-6000-server",
                "tp",
                1,
                "model",
                "qwen3.6-27b",
                "weights",
                "bf16",
                "engine",
                "sglang",
                "method",
                "ddtree",
                "parameters",
                Map.of("block", 16, "budget", 20, "top_k", 8),
                "isl",
                512,
                "osl",
                256,
                "concurrency",
                3));
        s.put("acceptance", Map.of("spine", 2.0, "kappa", 0.6, "band", 0.1));
        s.put(
                "round_times",
                List.of(Map.of("rows", 1, "ms", 20), Map.of("rows", 64, "ms", 30), Map.of("rows", 16384, "ms", 900)));
        return s;
    }

    private static HttpResponse<String> ask(String path, Object body, String... headers) throws Exception {
        HttpRequest.Builder request = HttpRequest.newBuilder(URI.create(server.url() + path.substring(1)));
        for (int i = 0; i < headers.length; i += 2) {
            request.header(headers[i], headers[i + 1]);
        }
        if (body != null) {
            request.header("Content-Type", "application/json")
                    .POST(HttpRequest.BodyPublishers.ofString(
                            body instanceof String s ? s : JSON.writeValueAsString(body)));
        }
        return CLIENT.send(request.build(), HttpResponse.BodyHandlers.ofString());
    }

    /** The status line's code of a request written by hand. */
    private static int raw(String request) throws IOException {
        try (Socket socket = new Socket("127.0.0.1", server.port())) {
            socket.setSoTimeout(20_000);
            socket.getOutputStream().write(request.getBytes(StandardCharsets.ISO_8859_1));
            InputStream in = socket.getInputStream();
            String line = new String(in.readNBytes(12), StandardCharsets.ISO_8859_1);
            return Integer.parseInt(line.substring(9, 12));
        }
    }

    @Test
    void answersWithPointTreeChartsAndScenario() throws Exception {
        HttpResponse<String> r = ask("/api/answer", settings());
        assertEquals(200, r.statusCode(), r.body());
        JsonNode answer = JSON.readTree(r.body());
        assertEquals(20, answer.get("point").get("budget").asInt());
        assertEquals(3, answer.get("point").get("load").get("concurrency").asInt());
        assertEquals(20, answer.get("tree").size());
        assertTrue(answer.get("charts").has("budget"));
        assertTrue(answer.get("yaml").asText().contains("kind: ddtree"));
        double low =
                answer.get("point").get("interval").get("output_tok_s").get(0).asDouble();
        assertTrue(low < answer.get("point").get("output_tok_s").asDouble());
        double best = answer.get("best_size").get("output_tok_s").asDouble();
        assertTrue(best >= answer.get("point").get("output_tok_s").asDouble());
        ScenarioFile again =
                new BlackBox().read("scenario.yaml", answer.get("yaml").asText());
        Result result = new BlackBox().explore(again);
        assertTrue(result.points().stream()
                .anyMatch(p -> p.outputTokS()
                        == answer.get("point").get("output_tok_s").asDouble()));
    }

    @Test
    void everyKindIsOfferedWithItsParameters() throws Exception {
        JsonNode choices = JSON.readTree(ask("/api/choices", null).body());
        assertEquals(9, choices.get("methods").size());
        assertEquals(
                Catalogue.bundled()
                        .ids(dev.foretoken.formats.catalogue.CatalogueKind.GPU)
                        .size(),
                choices.get("gpus").size());
    }

    @Test
    void drawsAChartAsPng() throws Exception {
        HttpRequest request = HttpRequest.newBuilder(URI.create(server.url() + "api/chart/budget.png"))
                .header("Content-Type", "application/json")
                .POST(HttpRequest.BodyPublishers.ofString(JSON.writeValueAsString(settings())))
                .build();
        HttpResponse<byte[]> r = CLIENT.send(request, HttpResponse.BodyHandlers.ofByteArray());
        assertEquals("image/png", r.headers().firstValue("Content-Type").orElseThrow());
        assertEquals((byte) 'P', r.body()[1]);
        assertEquals(422, ask("/api/chart/nothing.png", settings()).statusCode());
    }

    @Test
    void refusesOtherHostsAndPages() throws Exception {
        String at = "127.0.0.1:" + server.port();
        assertEquals(200, raw("GET / HTTP/1.1\r\nHost: " + at + "\r\nConnection: close\r\n\r\n"));
        assertEquals(200, raw("GET / HTTP/1.1\r\nHost: localhost:" + server.port() + "\r\nConnection: close\r\n\r\n"));
        for (String headers : List.of(
                "Host: evil.example",
                "Host: evil.example:" + server.port(),
                "Host: 127.0.0.1",
                "Host: " + at + "\r\nHost: evil.example",
                "Host: " + at + "\r\nOrigin: http://evil.example",
                "Host: " + at + "\r\nOrigin: null",
                "Host: " + at + "\r\nSec-Fetch-Site: cross-site",
                "Host: " + at + "\r\nSec-Fetch-Site: same-site")) {
            int status = raw("GET /api/choices HTTP/1.1\r\n" + headers + "\r\nConnection: close\r\n\r\n");
            assertTrue(status == 403 || status == 400, headers + " was answered with " + status);
        }
    }

    @Test
    void servesItsFilesOnlyAndWithAPolicy() throws Exception {
        HttpResponse<String> page = ask("/", null);
        assertEquals(200, page.statusCode());
        assertTrue(page.headers()
                .firstValue("Content-Security-Policy")
                .orElseThrow()
                .startsWith("default-src 'none'"));
        assertFalse(page.body().contains("http://") || page.body().contains("https://"));
        for (String path : List.of(
                "/index.html", "/../page.js", "/%2e%2e/page.js", "/PageServer.class", "/page.js/", "/api", "//")) {
            int status = raw(
                    "GET " + path + " HTTP/1.1\r\nHost: 127.0.0.1:" + server.port() + "\r\nConnection: close\r\n\r\n");
            assertTrue(status == 404 || status == 400, path + " was answered with " + status);
        }
        assertEquals(405, ask("/page.js", "{}").statusCode());
        assertEquals(405, ask("/api/answer", null).statusCode());
    }

    @Test
    void badSettingsAreExplained() throws Exception {
        for (String body : List.of("", "{", "[]", "{}", "null", "{\"tp\": \"x\"}", "9".repeat(1000))) {
            HttpResponse<String> r = ask("/api/answer", body);
            assertEquals(422, r.statusCode(), body);
            String error = JSON.readTree(r.body()).get("error").asText();
            assertFalse(error.isBlank() || error.contains("null\"") || error.contains("java"), error);
            assertFalse(error.contains("invoke"), error);
        }
        assertEquals(413, ask("/api/answer", " ".repeat(70_000)).statusCode());
        for (Map.Entry<String, Object> bad : Map.<String, Object>of(
                        "gpu",
                        Hostile.NAME,
                        "model",
                        "../../etc/passwd",
                        "tp",
                        5,
                        "isl",
                        -1,
                        "concurrency",
                        0,
                        "method",
                        "no-such-method",
                        "parameters",
                        Map.of("block", 16, "budget", -3),
                        "acceptance",
                        Map.of("accept_length", 1e308))
                .entrySet()) {
            Map<String, Object> settings = settings();
            settings.put(bad.getKey(), bad.getValue());
            HttpResponse<String> r = ask("/api/answer", settings);
            assertEquals(422, r.statusCode(), bad.getKey() + ": " + r.body());
            String said = JSON.readTree(r.body()).get("error").asText();
            assertFalse(said.contains("Exception"), said);
        }
    }
}
