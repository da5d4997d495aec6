package dev.foretoken.validation.sse;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class SseDecoderTest {
    record Event(String name, String data) {}

    static List<Event> decode(byte[] bytes, int piece) {
        List<Event> events = new ArrayList<>();
        SseDecoder d = new SseDecoder(
                (name, b, o, n) -> events.add(new Event(name, new String(b, o, n, StandardCharsets.UTF_8))));
        for (int i = 0; i < bytes.length; i += piece) {
            d.feed(ByteBuffer.wrap(bytes, i, Math.min(piece, bytes.length - i)));
        }
        d.finish();
        return events;
    }

    static List<Event> decode(String text, int piece) {
        return decode(text.getBytes(StandardCharsets.UTF_8), piece);
    }

    @Test
    void everyCutGivesTheSameEvents() {
        String text =
                "\uFEFF: hello\n\ndata: {\"a\":\"東京 \uD83D\uDE80\"}\r\n\r\nevent: sglext_ids\rdata:[1,2]\r\rid: 7\nretry: 3\n"
                        + "data: one\ndata:two\ndata\n\ndata:  spaced\n\n:\n\nevent: alone\n\ndata: [DONE]\n\n";
        List<Event> expected = List.of(
                new Event("", "{\"a\":\"東京 \uD83D\uDE80\"}"),
                new Event("sglext_ids", "[1,2]"),
                new Event("", "one\ntwo\n"),
                new Event("", " spaced"),
                new Event("", "[DONE]"));
        int length = text.getBytes(StandardCharsets.UTF_8).length;
        for (int piece = 1; piece <= length; piece++) {
            assertEquals(expected, decode(text, piece), "pieces of " + piece);
        }
    }

    @Test
    void theRestIsDeliveredAtTheEnd() {
        SseDecoder d =
                new SseDecoder((name, b, o, n) -> assertEquals("last", new String(b, o, n, StandardCharsets.UTF_8)));
        d.feed(ByteBuffer.wrap("data: last".getBytes(StandardCharsets.UTF_8)));
        assertTrue(d.finish());
        assertFalse(d.finish());
    }

    @Test
    void commentsAreCounted() {
        SseDecoder d = new SseDecoder((name, b, o, n) -> {
            throw new AssertionError("no event");
        });
        d.feed(ByteBuffer.wrap(":\n\n: ping\n\n".getBytes(StandardCharsets.UTF_8)));
        assertEquals(2, d.comments());
    }

    @Test
    void anEventWithoutEndIsRefused() {
        SseDecoder d = new SseDecoder((name, b, o, n) -> {});
        byte[] block = new byte[1 << 20];
        java.util.Arrays.fill(block, (byte) 'x');
        assertThrows(IllegalStateException.class, () -> {
            for (int i = 0; i < 20; i++) {
                d.feed(ByteBuffer.wrap(block));
            }
        });
    }
}
