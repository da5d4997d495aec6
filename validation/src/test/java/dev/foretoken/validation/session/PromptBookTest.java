package dev.foretoken.validation.session;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.foretoken.validation.client.Repetition;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class PromptBookTest {
    @TempDir
    Path dir;

    /** Q24: a generator that loops text makes acceptance meaningless. */
    @ParameterizedTest
    @ValueSource(strings = {"code", "prose", "chat", "math", "extraction"})
    void q24LengthsAreMetWithoutRepeatedText(String workload) {
        PromptBook book = PromptBook.bundled();
        Set<String> seen = new HashSet<>();
        for (int i = 0; i < 20; i++) {
            for (int tokens : new int[] {20, 200, 1500}) {
                String p = book.prompt(workload, tokens, 4.5, "salt", i);
                assertTrue(seen.add(p), "every prompt is new");
                assertEquals(tokens * 4.5, p.length(), Math.max(25, 0.02 * tokens * 4.5));
                Double repeated = Repetition.of(p);
                assertTrue(repeated == null || repeated < 0.02, workload + " " + tokens + ": " + repeated);
            }
        }
        assertEquals(Set.of(), book.notes());
        String looped = "the same filler text again and ".repeat(100);
        assertTrue(Repetition.of(looped) > 0.95);
    }

    @Test
    void promptsAreNewInEveryRun() {
        PromptBook book = PromptBook.bundled();
        assertNotEquals(PromptBook.newSalt(), PromptBook.newSalt());
        String a = book.prompt("code", 100, 4, "one", 3);
        String b = book.prompt("code", 100, 4, "two", 3);
        assertNotEquals(a.substring(0, 5), b.substring(0, 5), "the salt comes first: no common prefix to cache");
        assertEquals(a, book.prompt("code", 100, 4, "one", 3));
    }

    @Test
    void moreThanThereIsTextForIsSaid() {
        PromptBook book = PromptBook.bundled();
        book.prompt("math", 20_000, 4, "s", 1);
        assertTrue(book.notes().stream().anyMatch(n -> n.contains("repeat")));
        book.prompt("unheard-of", 50, 4, "s", 1);
        assertTrue(book.notes().stream().anyMatch(n -> n.contains("unheard-of")));
    }

    @Test
    void ownFiles() throws Exception {
        Path file = dir.resolve("p.jsonl");
        Files.writeString(file, "{\"prompt\":\"Hello there\"}\nplain line\n");
        PromptBook own = PromptBook.of(file);
        assertTrue(own.prompt("x", 1000, 4, "s", 0).endsWith("Hello there"));
        assertTrue(own.prompt("x", 1000, 4, "s", 1).endsWith("plain line"));
        Files.writeString(file, "{\"prompt\":\n");
        var e = assertThrows(IllegalArgumentException.class, () -> PromptBook.of(file));
        assertTrue(e.getMessage().contains(":1:"), e.getMessage());
        Files.writeString(file, "\n");
        assertThrows(IllegalArgumentException.class, () -> PromptBook.of(file));
    }
}
