package dev.foretoken.formats.io;

import java.io.BufferedOutputStream;
import java.io.FilterOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.channels.Channels;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.AtomicMoveNotSupportedException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.HexFormat;
import java.util.concurrent.ThreadLocalRandom;

/**
 * Writes files so that a reader sees the old content or the new one, never a part: into a temporary file of the same folder,
 * forced to the disk, then moved over the name. When writing fails the temporary file is removed and the old content stays.
 */
public final class AtomicFiles {
    private AtomicFiles() {}

    /** What writes the content. */
    @FunctionalInterface
    public interface Content {
        /** Writes everything; the stream is flushed and closed by the caller. */
        void writeTo(OutputStream out) throws IOException;
    }

    /** Writes text as UTF-8. */
    public static void write(Path file, String text) throws IOException {
        write(file, out -> out.write(text.getBytes(StandardCharsets.UTF_8)));
    }

    /**
     * Writes a file; missing folders are made. A link is followed, and what is no regular file (a pipe, a terminal) is
     * written to as it is.
     */
    public static void write(Path file, Content content) throws IOException {
        Path target = Files.exists(file) ? file.toRealPath() : file.toAbsolutePath();
        if (Files.isDirectory(target)) {
            throw new FileAlreadyExistsException(file.toString(), null, "is a folder");
        }
        if (Files.exists(target) && !Files.isRegularFile(target)) {
            try (OutputStream out = Files.newOutputStream(target)) {
                content.writeTo(out);
            }
            return;
        }
        Path folder = target.getParent();
        Files.createDirectories(folder);
        Path temporary = folder.resolve("." + target.getFileName() + "."
                + HexFormat.of().toHexDigits(ThreadLocalRandom.current().nextLong()) + ".tmp");
        try {
            try (FileChannel channel =
                            FileChannel.open(temporary, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE);
                    OutputStream out = new BufferedOutputStream(Channels.newOutputStream(channel), 1 << 16)) {
                content.writeTo(new UnclosedStream(out));
                out.flush();
                channel.force(true);
            }
            move(temporary, target);
        } finally {
            Files.deleteIfExists(temporary);
        }
    }

    private static void move(Path from, Path to) throws IOException {
        try {
            Files.move(from, to, StandardCopyOption.ATOMIC_MOVE);
        } catch (AtomicMoveNotSupportedException e) {
            Files.move(from, to, StandardCopyOption.REPLACE_EXISTING);
        }
    }

    /** Lets content close its stream, as libraries do, before the file is forced to the disk. */
    private static final class UnclosedStream extends FilterOutputStream {
        UnclosedStream(OutputStream out) {
            super(out);
        }

        @Override
        public void write(byte[] bytes, int from, int length) throws IOException {
            out.write(bytes, from, length);
        }

        @Override
        public void close() throws IOException {
            flush();
        }
    }
}
