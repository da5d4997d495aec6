package dev.foretoken.report.document;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.foretoken.formats.document.DocumentError;
import dev.foretoken.formats.scenario.Effective;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class RunFolderTest {
    @TempDir
    Path folder;

    @Test
    void readsWhatItWrote() throws Exception {
        RunFolder run = new RunFolder(Reports.PLAIN, List.of(new Effective("a", "b", "c")));
        run.write(folder);
        assertEquals(run, RunFolder.read(folder));
        assertEquals(run, RunFolder.read(folder.resolve(RunFolder.RESULT)));
    }

    @Test
    void saysWhatIsWrong() throws Exception {
        assertMessage("holds no result.json", folder.resolve("absent"));
        Path file = folder.resolve("result.json");
        Files.writeString(
                file,
                "{\"schema\": \"foretoken/result/2\", \"points\": [], \"best\": [], \"switch_table\": [],"
                        + " \"crossovers\": [], \"goodput\": [], \"warnings\": []}");
        assertMessage("newer major version", folder);
        Files.writeString(file, "{\"points\": [\n{]");
        assertMessage("result.json:2", folder);
        Files.writeString(file, "null");
        assertMessage("must be a JSON object", folder);
    }

    private static void assertMessage(String expected, Path path) {
        String message =
                assertThrows(DocumentError.class, () -> RunFolder.read(path)).getMessage();
        assertTrue(message.contains(expected), message);
    }
}
