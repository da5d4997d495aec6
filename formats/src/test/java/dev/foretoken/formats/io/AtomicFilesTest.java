package dev.foretoken.formats.io;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class AtomicFilesTest {
    @TempDir
    Path folder;

    private List<String> names() throws IOException {
        try (Stream<Path> files = Files.list(folder)) {
            return files.map(p -> p.getFileName().toString()).sorted().toList();
        }
    }

    @Test
    void writesAndReplacesAndMakesFolders() throws IOException {
        AtomicFiles.write(folder.resolve("a.txt"), "one");
        AtomicFiles.write(folder.resolve("a.txt"), "two");
        assertEquals("two", Files.readString(folder.resolve("a.txt")));
        AtomicFiles.write(folder.resolve("deep/er/b.txt"), "three");
        assertEquals("three", Files.readString(folder.resolve("deep/er/b.txt")));
        assertEquals(List.of("a.txt", "deep"), names());
    }

    @Test
    void keepsTheOldContentAndNothingElseWhenWritingFails() throws IOException {
        Path file = folder.resolve("a.txt");
        AtomicFiles.write(file, "old");
        assertThrows(
                IOException.class,
                () -> AtomicFiles.write(file, out -> {
                    out.write(new byte[100_000]);
                    throw new IOException("the disk is full");
                }));
        assertEquals("old", Files.readString(file));
        assertEquals(List.of("a.txt"), names());
    }

    @Test
    void leavesAFolderAlone() {
        assertThrows(IOException.class, () -> AtomicFiles.write(folder, "x"));
    }

    @Test
    void followsALink() throws IOException {
        Path target = folder.resolve("target.txt");
        Files.writeString(target, "old");
        Path link = folder.resolve("link.txt");
        try {
            Files.createSymbolicLink(link, target);
        } catch (IOException | UnsupportedOperationException e) {
            Assumptions.abort("links cannot be made here: " + e.getMessage());
        }
        AtomicFiles.write(link, "new");
        assertTrue(Files.isSymbolicLink(link));
        assertEquals("new", Files.readString(target));
    }

    @Test
    void filesMayBeReadByOthersAsUsual() throws IOException {
        Path plain = folder.resolve("plain.txt");
        Files.writeString(plain, "x");
        Path atomic = folder.resolve("atomic.txt");
        AtomicFiles.write(atomic, "x");
        Assumptions.assumeTrue(
                Files.getFileStore(folder).supportsFileAttributeView("posix"), "no POSIX permissions here");
        assertEquals(Files.getPosixFilePermissions(plain), Files.getPosixFilePermissions(atomic));
    }
}
