package dev.foretoken.formats.cases;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayInputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class CasesTest {
    @ParameterizedTest
    @CsvSource({
        "12, 12, 12",
        "1.5e3, 1500, 1500",
        "-3.5, -3.5, -3.5",
        "28-40, 28, 40",
        "0.69-0.97, 0.69, 0.97",
        "40-28, 28, 40",
        "63/78, 63, 78",
        "23\u201327, 23, 27",
        "~14.7, 14.7, 14.7",
        "<100, 100, 100"
    })
    void readsFiguresAndRanges(String text, double lo, double hi) {
        assertEquals(Optional.of(new Figure(lo, hi)), Figure.parse(text));
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "n/a", "1.2.3", "1e999", "NaN", "fast", "1-2-3"})
    void readsNothingElse(String text) {
        assertEquals(Optional.empty(), Figure.parse(text));
    }

    @Test
    void keepsTheRestWhenAValueIsNoFigure() {
        String csv = "case_id,gpu,tp,method,metric,value,unit,accept_len,later\n"
                + "a,B200,4,MTP,tok_s,63/78,tok/s,2.5,x\n"
                + "b,B200,,AR,tok_s,fast,tok/s,,x\n"
                + "c,\"a, b\",2,AR,tok_s,7,tok/s,,x\n";
        CasesFile.Cases cases =
                CasesFile.read("cases.csv", new ByteArrayInputStream(csv.getBytes(StandardCharsets.UTF_8)));
        assertEquals(2, cases.cases().size());
        assertEquals(70.5, cases.cases().get(0).value().middle());
        assertEquals(4, cases.cases().get(0).tp());
        assertEquals(2.5, cases.cases().get(0).acceptLength().lo());
        assertEquals("a, b", cases.cases().get(1).gpu());
        assertNull(cases.cases().get(1).acceptLength());
        assertEquals(1, cases.skipped().count());
        assertEquals(
                "cases.csv:3: value is no figure: \"fast\"",
                cases.skipped().examples().get(0));
    }

    @Test
    void readsThePublicMeasurements() {
        Path facts = Path.of(System.getProperty("foretoken.root", "..")).resolve("../shared/data/measured_cases.csv");
        Assumptions.assumeTrue(Files.exists(facts), "the folder of facts is not here: " + facts);
        CasesFile.Cases cases = CasesFile.read(facts);
        assertEquals(951, cases.cases().size() + cases.skipped().count());
        assertEquals(0, cases.skipped().count(), cases.skipped().examples().toString());
        assertTrue(cases.cases().stream().anyMatch(c -> c.value().isRange()));
    }
}
