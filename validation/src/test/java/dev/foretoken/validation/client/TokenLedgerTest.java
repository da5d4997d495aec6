package dev.foretoken.validation.client;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.foretoken.validation.sse.StreamChunk;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;

class TokenLedgerTest {
    private static RequestRecord record(String usage) {
        TokenLedger ledger =
                new TokenLedger(new PlannedRequest(0, Phase.values()[0], "w", "a b c", 4), UnaryOperator.identity());
        for (int i = 0; i < 2; i++) {
            ledger.book(
                    StreamChunk.parse("{\"choices\":[{\"index\":0,\"text\":\"a \",\"finish_reason\":"
                            + (i == 0 ? "null" : "\"length\"") + "}],\"usage\":" + usage + "}"),
                    1000 + i);
        }
        return ledger.settle(null, null, 0, 0, 0, 2000);
    }

    @Test
    void absurdUsageIsNotBelievedAndSaid() {
        for (String prompt : new String[] {"-5", "999999999"}) {
            RequestRecord r = record("{\"prompt_tokens\":" + prompt + ",\"completion_tokens\":999999999}");
            assertNull(r.promptTokens());
            assertNull(r.chunkTokens());
            String said = r.anomalies().toString();
            assertTrue(said.contains("999999999 completion tokens, 4 were allowed: not used"), said);
            // a negative count is unknown when read already
            assertTrue(
                    prompt.startsWith("-")
                            || said.contains(prompt + " prompt tokens for a prompt of 5 characters: not used"),
                    said);
        }
    }

    @Test
    void plausibleUsageIs() {
        assertEquals(7L, record("{\"prompt_tokens\":7,\"completion_tokens\":2}").promptTokens());
    }
}
