package dev.foretoken.formats.golden;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.networknt.schema.JsonSchema;
import com.networknt.schema.JsonSchemaFactory;
import com.networknt.schema.SpecVersion;
import com.networknt.schema.ValidationMessage;
import dev.foretoken.formats.acceptance.AcceptanceFile;
import dev.foretoken.formats.acceptance.AcceptanceReader;
import dev.foretoken.formats.acceptance.AcceptanceWriter;
import dev.foretoken.formats.catalogue.Catalogue;
import dev.foretoken.formats.catalogue.CatalogueKind;
import dev.foretoken.formats.document.DocumentError;
import dev.foretoken.formats.json.Json;
import dev.foretoken.formats.json.JsonFile;
import dev.foretoken.formats.marginals.MarginalRound;
import dev.foretoken.formats.marginals.Marginals;
import dev.foretoken.formats.marginals.MarginalsHeader;
import dev.foretoken.formats.requests.TraceFile;
import dev.foretoken.formats.requests.TraceRow;
import dev.foretoken.formats.rounds.RoundHeader;
import dev.foretoken.formats.rounds.RoundLog;
import dev.foretoken.formats.rounds.RoundRecord;
import dev.foretoken.formats.scenario.ScenarioFile;
import dev.foretoken.formats.scenario.ScenarioReader;
import dev.foretoken.formats.scenario.ScenarioResources;
import dev.foretoken.formats.schema.Schemas;
import dev.foretoken.formats.timings.KernelTimings;
import dev.foretoken.formats.timings.TimingsFile;
import dev.foretoken.sim.result.Result;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.yaml.snakeyaml.LoaderOptions;
import org.yaml.snakeyaml.Yaml;
import org.yaml.snakeyaml.constructor.SafeConstructor;

/** Every format has an example that its schema accepts, its reader reads and its writer writes again. */
class GoldenTest {
    private static final Path GOLDEN = Path.of("src/test/resources/golden");
    private static final JsonSchemaFactory FACTORY = JsonSchemaFactory.getInstance(SpecVersion.VersionFlag.V202012);

    @TempDir
    Path folder;

    private static JsonSchema schema(String name) {
        return FACTORY.getSchema(Schemas.text(name));
    }

    private static JsonNode tree(Path file) throws IOException {
        String text = Files.readString(file);
        return file.toString().endsWith(".json") ? Json.mapper().readTree(text) : yaml(text);
    }

    private static JsonNode yaml(String text) {
        return Json.mapper().valueToTree(new Yaml(new SafeConstructor(new LoaderOptions())).load(text));
    }

    private static void assertValid(String schema, JsonNode node) {
        Set<ValidationMessage> problems = schema(schema).validate(node);
        assertTrue(problems.isEmpty(), problems.toString());
    }

    @ParameterizedTest
    @CsvSource({
        "scenario, scenario.yaml",
        "scenario, scenario-black-box.yaml",
        "scenario, ../reference/scenario.json",
        "scenario, ../reference/loaded_scenario.json",
        "result, result.json",
        "profile, profile.json",
        "acceptance, acceptance/code.yaml",
        "kernel-timings, timings-no-device.json",
        "kernel-timings, timings-host.json",
        "kernel-timings, timings-gpu.json"
    })
    void schemasAcceptTheExamplesAndRefuseAnotherMajorVersion(String schema, String file) throws IOException {
        JsonNode node = tree(GOLDEN.resolve(file));
        assertValid(schema, node);
        ((ObjectNode) node).put("schema", "foretoken/" + schema + "/2");
        assertFalse(schema(schema).validate(node).isEmpty());
    }

    @ParameterizedTest
    @ValueSource(strings = {"rounds", "marginals"})
    void schemasAcceptEveryLine(String name) throws IOException {
        for (String line : Files.readAllLines(GOLDEN.resolve(name + ".jsonl"))) {
            assertValid(name, Json.mapper().readTree(line));
        }
        assertFalse(
                schema(name).validate(Json.mapper().readTree("{\"round\": -1}")).isEmpty());
    }

    @TestFactory
    Stream<DynamicTest> schemasAcceptTheWholeCatalogue() {
        Catalogue catalogue = Catalogue.bundled();
        return CatalogueKind.all().stream()
                .flatMap(kind -> catalogue.ids(kind).stream().map(id -> {
                    String name = kind.schema().split("/")[1];
                    return DynamicTest.dynamicTest(kind.folder() + "/" + id, () -> {
                        try (InputStream in = catalogue
                                .files()
                                .find(kind.folder(), id, List.of(".yaml"))
                                .orElseThrow()
                                .open()) {
                            assertValid(name, yaml(new String(in.readAllBytes(), StandardCharsets.UTF_8)));
                        }
                    });
                }));
    }

    @Test
    void scenarioIsRead() {
        ScenarioReader reader = new ScenarioReader(ScenarioResources.of(Catalogue.bundled(), path -> {
            throw new IllegalArgumentException("no traces in this test");
        }));
        ScenarioFile white = reader.read(GOLDEN.resolve("scenario.yaml"));
        assertEquals(1, white.variants().size());
        assertEquals(10, white.variants().get(0).methods().size());
        assertEquals(4, white.variants().get(0).workloads().get(0).acceptance().size());
        assertTrue(white.effective().stream()
                .anyMatch(e ->
                        e.key().equals("engine.memory_fraction") && e.origin().endsWith("scenario.yaml:7")));
        ScenarioFile black = reader.read(GOLDEN.resolve("scenario-black-box.yaml"));
        assertEquals(2, black.variants().size(), "one scenario per prompt length");
        assertTrue(black.effective().stream()
                .anyMatch(e -> e.key().equals("engine.page_size") && e.origin().contains("default")));
    }

    @Test
    void acceptanceIsReadAndWritten() throws IOException {
        AcceptanceFile file = AcceptanceReader.read(GOLDEN.resolve("acceptance/code.yaml"));
        assertEquals(4, file.entries().size());
        for (String name : List.of("again.yaml", "again.json")) {
            AcceptanceWriter.write(folder.resolve(name), file);
            assertEquals(file, AcceptanceReader.read(folder.resolve(name)));
            assertValid("acceptance", tree(folder.resolve(name)));
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"timings-no-device.json", "timings-host.json", "timings-gpu.json"})
    void timingsAreReadAndWritten(String name) throws IOException {
        KernelTimings timings = TimingsFile.read(GOLDEN.resolve(name));
        TimingsFile.write(folder.resolve("again.json"), timings);
        assertEquals(timings, TimingsFile.read(folder.resolve("again.json")));
        assertValid("kernel-timings", tree(folder.resolve("again.json")));
    }

    @Test
    void resultIsReadAndWritten() throws IOException {
        Result result = JsonFile.read(GOLDEN.resolve("result.json"), Result.class, Result.SCHEMA);
        assertEquals(208.24099075740895, result.points().get(0).outputTokS());
        JsonFile.write(folder.resolve("again.json"), result);
        assertEquals(result, JsonFile.read(folder.resolve("again.json"), Result.class, Result.SCHEMA));
        assertValid("result", tree(folder.resolve("again.json")));
        assertEquals(
                Json.mapper().readTree(GOLDEN.resolve("result.json").toFile()),
                tree(folder.resolve("again.json")),
                "what is absent stays absent");
    }

    @ParameterizedTest
    @ValueSource(strings = {"again.jsonl", "again.jsonl.gz"})
    void roundsAreReadAndWritten(String name) throws IOException {
        List<RoundRecord> rounds = new ArrayList<>();
        List<RoundHeader> headers = new ArrayList<>();
        assertEquals(
                0,
                RoundLog.read(GOLDEN.resolve("rounds.jsonl"), (header, round) -> {
                            headers.add(header);
                            rounds.add(round);
                        })
                        .count());
        assertEquals(3, rounds.size());
        assertEquals(1, rounds.get(0).firstMissRank());
        assertEquals(16, headers.get(0).design().budget());
        RoundLog.write(folder.resolve(name), headers.get(0), out -> {
            for (RoundRecord round : rounds) {
                out.add(round);
            }
        });
        List<RoundRecord> again = new ArrayList<>();
        RoundLog.read(folder.resolve(name), (header, round) -> {
            assertEquals(headers.get(0), header);
            again.add(round);
        });
        assertEquals(rounds, again);
    }

    @ParameterizedTest
    @ValueSource(strings = {"again.jsonl", "again.jsonl.gz"})
    void marginalsAreReadAndWritten(String name) throws IOException {
        List<MarginalRound> rounds = new ArrayList<>();
        List<MarginalsHeader> headers = new ArrayList<>();
        Marginals.read(GOLDEN.resolve("marginals.jsonl"), (header, round) -> {
            headers.add(header);
            rounds.add(round);
        });
        assertEquals(3, rounds.size());
        assertEquals(Arrays.asList(1, null), rounds.get(1).targetRanks());
        Marginals.write(folder.resolve(name), headers.get(0), out -> {
            for (MarginalRound round : rounds) {
                out.add(round);
            }
        });
        List<MarginalRound> again = new ArrayList<>();
        assertEquals(
                0,
                Marginals.read(folder.resolve(name), (header, round) -> again.add(round))
                        .count());
        assertEquals(rounds, again);
    }

    @Test
    void traceIsReadAndWritten() throws IOException {
        List<TraceRow> rows = trace(GOLDEN.resolve("traces/day.csv"));
        assertEquals(new TraceRow(0.25, 300, 80, null, null), rows.get(2));
        TraceFile.write(folder.resolve("again.csv"), rows);
        assertEquals(rows, trace(folder.resolve("again.csv")));
    }

    private static List<TraceRow> trace(Path path) {
        List<TraceRow> rows = new ArrayList<>();
        try (TraceFile.Rows open = TraceFile.open(path, Set.of("code", "prose"))) {
            open.forEachRemaining(rows::add);
        }
        return rows;
    }

    @Test
    void newerMajorVersionsAreRefusedAndUnknownFieldsIgnored() throws IOException {
        Map<String, ThrowingRead> readers = Map.of(
                "acceptance/code.yaml", AcceptanceReader::read,
                "timings-host.json", TimingsFile::read,
                "result.json", path -> JsonFile.read(path, Result.class, Result.SCHEMA),
                "rounds.jsonl", path -> RoundLog.read(path, (header, round) -> {}),
                "marginals.jsonl", path -> Marginals.read(path, (header, round) -> {}));
        for (Map.Entry<String, ThrowingRead> reader : readers.entrySet()) {
            String text = Files.readString(GOLDEN.resolve(reader.getKey()));
            Path newer = folder.resolve("newer" + reader.getKey().replace('/', '-'));
            Files.writeString(newer, text.replaceFirst("(foretoken/[a-z-]+)/1", "$1/2"));
            String message = assertThrows(
                            DocumentError.class, () -> reader.getValue().read(newer), reader.getKey())
                    .getMessage();
            assertTrue(message.contains("is of a newer major version, foretoken/"), message);
            Path unknown = folder.resolve("unknown" + reader.getKey().replace('/', '-'));
            Files.writeString(
                    unknown,
                    reader.getKey().endsWith(".yaml")
                            ? text + "later: 3\n"
                            : text.replaceFirst("\\{", "{\"later\": {\"x\": [1]}, "));
            reader.getValue().read(unknown);
        }
    }

    private interface ThrowingRead {
        Object read(Path path);
    }
}
