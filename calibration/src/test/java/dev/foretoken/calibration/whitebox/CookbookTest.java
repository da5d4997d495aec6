package dev.foretoken.calibration.whitebox;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.foretoken.sim.method.Arm;
import dev.foretoken.sim.model.Dtype;
import dev.foretoken.sim.scenario.EngineSettings;
import dev.foretoken.sim.scenario.MethodSpec;
import dev.foretoken.sim.scenario.Target;
import dev.foretoken.sim.whitebox.WhiteBox;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.apache.commons.csv.CSVFormat;
import org.apache.commons.csv.CSVParser;
import org.apache.commons.csv.CSVRecord;
import org.junit.jupiter.api.Test;

/**
 * Public figures of SGLang servers (Qwen3.6, one card, random 8,192/1,024, MTP of three steps): accept length and TTFT are
 * taken from the row at concurrency 1, TPOT at concurrency 16 is predicted. Nothing is fitted: e2e = E[R] t + N p and tpot =
 * (e2e - p) / (L - 1), prefill serial.
 */
class CookbookTest {
    private static final int ISL = 8192;
    private static final int OSL = 1024;
    private static final int CLIENTS = 16;

    private record Cell(String what, double acceptLength, double error) {}

    private static List<Cell> cells() throws IOException {
        Map<String, CSVRecord> alone = new HashMap<>();
        List<CSVRecord> loaded = new ArrayList<>();
        try (CSVParser rows = CSVParser.parse(
                Bundled.shared("sglang_cookbook_qwen36.csv"),
                StandardCharsets.UTF_8,
                CSVFormat.DEFAULT
                        .builder()
                        .setHeader()
                        .setSkipHeaderRecord(true)
                        .get())) {
            for (CSVRecord r : rows) {
                if (r.get("max_concurrency").equals("1")) {
                    alone.put(key(r), r);
                } else if (r.get("max_concurrency").equals(String.valueOf(CLIENTS))) {
                    loaded.add(r);
                }
            }
        }
        Arm mtp = Arm.expand(new MethodSpec("mtp", "mtp", Map.of("steps", List.of(3)), EngineSettings.NONE))
                .get(0);
        double context = ISL + OSL / 2.0;
        List<Cell> cells = new ArrayList<>();
        for (CSVRecord r : loaded) {
            CSVRecord one = alone.get(key(r));
            WhiteBox box = Bundled.times(
                            r.get("hw"),
                            "sglang",
                            r.get("model").toLowerCase(Locale.ROOT),
                            Dtype.of(r.get("quant")),
                            Target.SAVED)
                    .rounds(mtp, EngineSettings.NONE, 1);
            double tau = box.roundMs(1, 4, context, context) / number(one, "tpot_ms");
            double rounds = (OSL - 1) / tau;
            double prefill = number(one, "ttft_ms");
            double round = box.roundMs(CLIENTS, 4L * CLIENTS, context, context);
            double tpot = (rounds * round + (CLIENTS - 1) * prefill) / (OSL - 1);
            cells.add(new Cell(key(r), tau, tpot / number(r, "tpot_ms") - 1));
        }
        return cells;
    }

    private static String key(CSVRecord r) {
        return r.get("hw") + " " + r.get("model") + " " + r.get("quant");
    }

    private static double number(CSVRecord r, String column) {
        return Double.parseDouble(r.get(column));
    }

    @Test
    void tpotUnderLoadOfTheDenseModelIsWithinEightPercent() throws IOException {
        int checked = 0;
        for (Cell c : cells()) {
            System.out.printf(
                    Locale.ROOT,
                    "%s: accept length at concurrency 1 %.2f, TPOT at %d %+.1f %%%n",
                    c.what,
                    c.acceptLength,
                    CLIENTS,
                    100 * c.error);
            if (c.what.contains("27B bf16") || c.what.contains("27B fp8")) {
                assertTrue(Math.abs(c.error) <= 0.08, c::toString);
                checked++;
            }
        }
        assertEquals(4, checked);
    }

    /** Acceptance does not depend on card and hardly on fp8, so the accept lengths that the round times imply must agree. */
    @Test
    void impliedAcceptLengthsAgreeAcrossCards() throws IOException {
        double low = Double.POSITIVE_INFINITY;
        double high = 0;
        for (Cell c : cells()) {
            if (!c.what.contains("nvfp4")) {
                low = Math.min(low, c.acceptLength);
                high = Math.max(high, c.acceptLength);
            }
        }
        assertTrue(low > 1 && high < 4, low + ".." + high);
        assertTrue(high / low < 1.08, low + ".." + high);
    }
}
