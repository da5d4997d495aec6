package dev.foretoken.validation.server;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What two looks at a server say about its speculation. */
class ServerWindowTest {
    private static ServerSnapshot snapshot(String speculative, Double steps) {
        ServerSnapshot.Builder b = ServerSnapshot.of("llama.cpp");
        b.speculative = speculative;
        b.verifySteps = steps;
        return b.build();
    }

    /** Empty text: the server says that speculation is off; NA: it does not say. */
    @ParameterizedTest
    @CsvSource(
            nullValues = "NA",
            value = {
                "'', 0, 50, true, ''",
                "'', 0, 50, false, on",
                "'', 50, 50, true, off",
                "draft-simple, 50, 50, true, off",
                "draft-simple, 0, 50, true, ''",
                "draft-simple, NA, NA, true, ''",
                "draft-simple, NA, NA, false, on",
                "'', NA, NA, true, off",
                "'', NA, NA, false, ''",
                "NA, NA, NA, true, ''"
            })
    void countersWinOverTheSettingsPage(
            String speculative, Double before, Double after, boolean expected, String finding) {
        ServerWindow w = ServerWindow.between(
                snapshot(speculative, before),
                snapshot(speculative, after),
                List.of(),
                List.of(),
                new ServerWindow.Expected(1, expected));
        String found = w.findings().stream()
                .filter(f -> f.startsWith("speculation is "))
                .map(f -> f.replaceAll("^speculation is (on|off).*", "$1"))
                .findFirst()
                .orElse("");
        assertEquals(finding, found);
    }
}
