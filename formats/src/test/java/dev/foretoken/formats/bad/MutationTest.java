package dev.foretoken.formats.bad;

import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assertions.fail;

import dev.foretoken.formats.acceptance.AcceptanceReader;
import dev.foretoken.formats.catalogue.Catalogue;
import dev.foretoken.formats.document.DocumentError;
import dev.foretoken.formats.json.JsonFile;
import dev.foretoken.formats.scenario.ScenarioReader;
import dev.foretoken.formats.scenario.ScenarioResources;
import dev.foretoken.formats.timings.TimingsFile;
import dev.foretoken.sim.result.Result;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Random;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Whatever is done to a file, its reader reads it or refuses it with a {@link DocumentError}. */
class MutationTest {
    private static final Path GOLDEN = Path.of("src/test/resources/golden");
    private static final String[] PIECES = {
        "-1",
        "0",
        "1e309",
        ".nan",
        "~",
        "null",
        "[]",
        "{}",
        "[[1]]",
        "true",
        "\"",
        "'",
        "*a",
        "&a ",
        "!!x ",
        "<<: ",
        "\t",
        ":",
        ",",
        "}",
        "]",
        "999999999999999999999",
        "0x1",
        "\u0000",
        "\uD83D\uDE00",
        "foretoken/x/9",
        "\n",
        "  ",
        "- ",
        "? ",
        "|",
        "> "
    };
    private static final int TRIES = 400;

    @TempDir
    Path folder;

    @Test
    void scenarios() throws IOException {
        ScenarioReader reader = new ScenarioReader(ScenarioResources.of(Catalogue.bundled(), path -> {
            throw new IllegalArgumentException("no traces in this test");
        }));
        mutate("scenario.yaml", reader::read);
        mutate("scenario-black-box.yaml", reader::read);
    }

    @Test
    void acceptanceFiles() throws IOException {
        mutate("acceptance/code.yaml", AcceptanceReader::read);
    }

    @Test
    void timings() throws IOException {
        mutate("timings-gpu.json", TimingsFile::read);
    }

    @Test
    void results() throws IOException {
        mutate("result.json", path -> JsonFile.read(path, Result.class, Result.SCHEMA));
    }

    private void mutate(String name, Consumer<Path> reader) throws IOException {
        String text = Files.readString(GOLDEN.resolve(name));
        Random random = new Random(name.hashCode());
        Path file = folder.resolve(Path.of(name).getFileName());
        int refused = 0;
        for (int i = 0; i < TRIES; i++) {
            StringBuilder mutated = new StringBuilder(text);
            for (int edits = 1 + random.nextInt(3); edits > 0; edits--) {
                edit(mutated, random);
            }
            Files.write(file, mutated.toString().getBytes(StandardCharsets.UTF_8));
            try {
                reader.accept(file);
            } catch (DocumentError e) {
                refused++;
                assertTrue(e.getMessage().length() < 20_000 && !e.getMessage().contains("Exception"), e.getMessage());
            } catch (RuntimeException | StackOverflowError e) {
                fail("try " + i + " on " + name + ":\n" + mutated, e);
            }
        }
        assertTrue(refused > TRIES / 4, "refused " + refused + " of " + TRIES);
    }

    private static void edit(StringBuilder text, Random random) {
        int at = random.nextInt(text.length());
        int length = 1 + random.nextInt(12);
        int end = Math.min(text.length(), at + length);
        switch (random.nextInt(4)) {
            case 0 -> text.delete(at, end);
            case 1 -> text.insert(at, PIECES[random.nextInt(PIECES.length)]);
            case 2 -> text.replace(at, end, PIECES[random.nextInt(PIECES.length)]);
            default -> text.insert(at, text.substring(at, end));
        }
    }
}
