package dev.foretoken.formats.document;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.List;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.AlphaChars;
import net.jqwik.api.constraints.StringLength;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class NearestTest {
    private static final List<String> KEYS = List.of(
            "isl", "osl", "think_time_ms", "rate_per_s", "max_running_requests", "concurrency", "power_limit_w");

    @ParameterizedTest
    @CsvSource({
        "isl_tokens, '; the unit differs, did you mean isl?'",
        "think_time_s, '; the unit differs, did you mean think_time_ms?'",
        "rate_per_min, '; the unit differs, did you mean rate_per_s?'",
        "maxRunningRequests, '; did you mean max_running_requests?'",
        "max-running-requests, '; did you mean max_running_requests?'",
        "concurency, '; did you mean concurrency?'",
        "conucrrency, '; did you mean concurrency?'",
        "powerlimit_w, '; did you mean power_limit_w?'",
        "zzzzzzzz, '; the nearest valid one is isl'"
    })
    void suggests(String written, String phrase) {
        assertEquals(phrase, Nearest.phrase(written, KEYS));
    }

    @ParameterizedTest
    @CsvSource({
        "rtx-6000, rtx-pro-6000-server",
        "rtx-a600, rtx-a6000",
        "pro-6000, rtx-pro-6000-server",
        "rtx6000, rtx-a6000",
        "6000-max-q, rtx-pro-6000-max-q"
    })
    void aShortNameMeansTheCardThatHasAllItsParts(String written, String card) {
        List<String> cards = List.of("rtx-a6000", "rtx-pro-6000-server", "rtx-pro-6000-max-q", "b200");
        assertEquals("; did you mean " + card + "?", Nearest.phrase(written, cards));
    }

    @Test
    void saysNothingWithoutValidWords() {
        assertEquals("", Nearest.phrase("x", List.of()));
    }

    @Property(tries = 200, seed = "11")
    void distanceIsAMetricOfEdits(
            @ForAll @AlphaChars @StringLength(max = 8) String a, @ForAll @AlphaChars @StringLength(max = 8) String b) {
        assertEquals(0, Nearest.distance(a, a));
        assertEquals(Nearest.distance(a, b), Nearest.distance(b, a));
        assertEquals(1, Nearest.distance(a, a + "x"));
    }
}
