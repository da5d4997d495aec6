package dev.foretoken.formats.catalogue;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.foretoken.formats.engine.Engine;
import dev.foretoken.sim.hardware.Gpu;
import dev.foretoken.sim.hardware.LinkCurve;
import dev.foretoken.sim.hardware.LinkProfile;
import dev.foretoken.sim.method.Methods;
import dev.foretoken.sim.model.Drafter;
import dev.foretoken.sim.model.DrafterKind;
import dev.foretoken.sim.model.Dtype;
import dev.foretoken.sim.model.TargetModel;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

/** Holds for every file of the catalogue. */
class CatalogueContractTest {
    private static final Catalogue CATALOGUE = Catalogue.bundled();

    @TestFactory
    Stream<DynamicTest> everyFileIsReadAndNamedAfterItsId() {
        return CatalogueKind.all().stream()
                .flatMap(kind -> CATALOGUE.ids(kind).stream()
                        .map(id -> DynamicTest.dynamicTest(kind.folder() + "/" + id, () -> CATALOGUE.get(kind, id))));
    }

    @Test
    void holdsThePromisedIds() {
        assertTrue(CATALOGUE
                .ids(CatalogueKind.GPU)
                .containsAll(Set.of(
                        "rtx-pro-6000-server",
                        "rtx-pro-6000-workstation",
                        "rtx-pro-6000-max-q",
                        "rtx-5090",
                        "b200",
                        "b300",
                        "gb200",
                        "gb300",
                        "gb10",
                        "h100",
                        "h200",
                        "a100",
                        "l40s")));
        assertTrue(CATALOGUE
                .ids(CatalogueKind.MODEL)
                .containsAll(Set.of(
                        "qwen3.6-27b",
                        "qwen3.5-27b",
                        "qwen3.6-35b-a3b",
                        "qwen3-4b",
                        "qwen3-8b",
                        "qwen3-32b",
                        "qwen3-30b-a3b",
                        "llama-3.1-8b",
                        "llama-3.1-70b",
                        "gpt-oss-20b",
                        "gpt-oss-120b")));
        assertTrue(CATALOGUE.ids(CatalogueKind.LINK).containsAll(Set.of("pcie5-fast", "pcie5-slow", "nvlink5")));
        assertTrue(CATALOGUE.ids(CatalogueKind.ENGINE).containsAll(Set.of("sglang", "vllm", "llama.cpp", "trtllm")));
        assertTrue(CATALOGUE.ids(CatalogueKind.DRAFTER).size() >= 5);
    }

    @Test
    void cardsNameLinkProfilesThatExist() {
        for (String id : CATALOGUE.ids(CatalogueKind.GPU)) {
            Gpu gpu = CATALOGUE.gpu(id);
            assertFalse(gpu.link().profiles().isEmpty(), id);
            gpu.link().profiles().forEach(CATALOGUE::link);
            double bandwidth = gpu.dramBytesPerS();
            assertTrue(bandwidth > 1e11 && bandwidth < 2e13, id + " " + bandwidth);
        }
    }

    @Test
    void draftersFitTheirTargets() {
        for (String id : CATALOGUE.ids(CatalogueKind.DRAFTER)) {
            Drafter drafter = CATALOGUE.drafter(id);
            var target = CATALOGUE.find(CatalogueKind.MODEL, drafter.target());
            if (target.isPresent()) {
                assertEquals(target.get().hidden(), drafter.hidden(), id);
                assertTrue(drafter.draftVocab() <= target.get().vocab(), id);
            } else {
                assertTrue(String.join(" ", drafter.notes()).contains("is not in the catalogue"), id);
            }
            assertEquals(drafter.kind() == DrafterKind.DFLASH, drafter.block() > 0, id);
        }
    }

    @Test
    void linkCurvesAreExactAtTheirKnots() {
        for (String id : CATALOGUE.ids(CatalogueKind.LINK)) {
            LinkProfile link = CATALOGUE.link(id);
            for (LinkCurve curve : link.curves()) {
                for (LinkCurve.Knot knot : curve.knots()) {
                    assertEquals(knot.us(), curve.us(knot.bytes()), 1e-9 * knot.us(), id);
                }
            }
        }
    }

    @Test
    void enginesKnowWhatTheyRun() {
        for (String id : CATALOGUE.ids(CatalogueKind.ENGINE)) {
            Engine engine = CATALOGUE.engine(id);
            assertEquals(id, engine.defaults().name());
            assertTrue(engine.launch().methods().containsKey("autoregressive"), id);
            assertTrue(Methods.kinds().containsAll(engine.launch().methods().keySet()), id);
            boolean sglang = id.equals("sglang");
            assertEquals(sglang, engine.treeWidth() == Engine.TreeWidth.STATIC_BLOCK, id);
            assertEquals(sglang, engine.statePool() == Engine.StatePool.RESERVED, id);
            assertEquals(id.equals("vllm"), engine.graphUnit() == Engine.GraphUnit.TOKENS, id);
        }
    }

    /** Figures of contract and domain for the founding case. */
    @Test
    void knowsQwen36() {
        TargetModel model = CATALOGUE.model("qwen3.6-27b");
        assertEquals(64, model.layers());
        assertEquals(25_621_954_560L, Math.round(model.paramsReadPerPass(1)));
        assertEquals(65_536, model.kvBytesPerTokenPerCard(Dtype.BF16, 1));
        assertEquals(16_384, model.kvBytesPerTokenPerCard(Dtype.BF16, 4));
        assertEquals(16_384, model.kvBytesPerTokenPerCard(Dtype.BF16, 8), "KV is replicated above the KV heads");
        assertEquals(32_768, model.kvBytesPerTokenPerCard(Dtype.FP8, 1));
        assertEquals(150_994_944, model.recurrentStateBytesPerCard(Dtype.FP32, 1));
        assertEquals(150_994_944 / 8, model.recurrentStateBytesPerCard(Dtype.FP32, 8));
        assertEquals(4_096, model.mtpKvBytesPerTokenPerCard(Dtype.BF16, 1));
        assertEquals(20_480, CATALOGUE.drafter("qwen3.6-27b-dflash").kvBytesPerTokenPerCard(Dtype.BF16, 1));
        assertTrue(model.whyNotTp(8).isEmpty());
        assertTrue(model.whyNotTp(3).orElseThrow().contains("TP 3 does not divide the 16 key and 48 value GDN heads"));
        assertTrue(model.whyNotTp(5).orElseThrow().contains("TP 5 does not divide the 24 query heads"));
    }

    @Test
    void shardsAddUp() {
        for (String id : CATALOGUE.ids(CatalogueKind.MODEL)) {
            TargetModel model = CATALOGUE.model(id);
            long whole = model.weightBytesPerCard(Dtype.BF16, 1);
            assertEquals(2 * (model.params()), whole, id);
            for (int tp : List.of(2, 4, 8)) {
                if (model.whyNotTp(tp).isEmpty()) {
                    long sum = tp * model.weightBytesPerCard(Dtype.BF16, tp);
                    double extra = (double) sum / whole - 1;
                    // key and value projections are replicated above the KV heads, which weighs most in a small model
                    assertTrue(extra >= 0 && extra < 0.03, id + " at TP " + tp + ": " + extra);
                }
            }
            assertTrue(model.weightBytesPerCard(Dtype.NVFP4, 1) < model.weightBytesPerCard(Dtype.FP8, 1), id);
            assertTrue(model.weightBytesPerCard(Dtype.FP8, 1) < whole, id);
        }
    }

    @Test
    void expertsAreHitAsExpected() {
        TargetModel model = CATALOGUE.model("qwen3-30b-a3b");
        assertEquals(8, model.moe().expectedExperts(1), 1e-12);
        assertEquals(0, model.moe().expectedExperts(0), 1e-12);
        assertEquals(128 * (1 - Math.pow(1 - 8.0 / 128, 64)), model.moe().expectedExperts(64), 1e-9);
        assertEquals(3_041_656_832L, Math.round(model.paramsReadPerPass(1)));
    }

    @Test
    void namesTheNearestIdOnAMiss() {
        String message = assertThrows(IllegalArgumentException.class, () -> CATALOGUE.gpu("rtx-pro-6000-servr"))
                .getMessage();
        assertEquals("there is no card rtx-pro-6000-servr; did you mean rtx-pro-6000-server?", message);
        assertThrows(IllegalArgumentException.class, () -> CATALOGUE.model("../../pom"));
        assertThrows(IllegalArgumentException.class, () -> CATALOGUE.model(""));
    }

    /** Against the facts that the catalogue was written from, where they are at hand. */
    @Test
    void agreesWithTheFacts() throws IOException {
        Path facts = Path.of(System.getProperty("foretoken.root", "..")).resolve("../shared/data/models.json");
        Assumptions.assumeTrue(Files.exists(facts), "the folder of facts is not here: " + facts);
        JsonNode root = new ObjectMapper().readTree(facts.toFile());
        int compared = 0;
        for (Map.Entry<String, JsonNode> entry : root.get("targets").properties()) {
            TargetModel model = CATALOGUE.model(entry.getKey().toLowerCase(Locale.ROOT));
            Map<String, Long> computed = new HashMap<>();
            computed.put("params_read_per_decode_step_excl_embedding", Math.round(model.paramsReadPerPass(1)));
            computed.put("active_params_per_token_excl_embedding", Math.round(model.paramsReadPerPass(1)));
            computed.put("kv_bytes_per_token_bf16", model.kvBytesPerTokenPerCard(Dtype.BF16, 1));
            computed.put("gdn_state_bytes_per_seq_fp32", model.recurrentStateBytesPerCard(Dtype.FP32, 1));
            computed.put("conv_state_elems_per_seq", model.convStateBytesPerCard(1) / 2);
            computed.put("mtp_head_params_estimate", model.mtpBytesPerCard(1) / 2);
            computed.put("lm_head_params", model.lmHead(1).params());
            compared += compare(entry.getKey(), entry.getValue().get("derived"), computed);
        }
        for (Map.Entry<String, JsonNode> entry : root.get("drafters").properties()) {
            JsonNode derived = entry.getValue().get("derived");
            if (derived != null) {
                String id = entry.getKey().toLowerCase(Locale.ROOT).replaceAll("-b16| \\(third-party\\)", "");
                Drafter drafter = CATALOGUE.drafter(id);
                compared += compare(
                        id,
                        derived,
                        Map.of(
                                "total_params_excl_embed_lm_head", drafter.params(),
                                "bf16_bytes", drafter.weightBytesPerCard(Dtype.BF16, 1)));
            }
        }
        assertTrue(compared > 50, "compared " + compared);
    }

    private static int compare(String name, JsonNode derived, Map<String, Long> computed) {
        int compared = 0;
        for (Map.Entry<String, Long> figure : computed.entrySet()) {
            JsonNode fact = derived.get(figure.getKey());
            if (fact != null) {
                assertEquals(fact.asLong(), figure.getValue(), name + " " + figure.getKey());
                compared++;
            }
        }
        return compared;
    }
}
