package dev.foretoken.formats.acceptance.readers;

import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.zip.GZIPInputStream;

/**
 * Somewhere to read from, plus what the user has said about it.
 *
 * @param name shown in messages, such as a file name
 * @param opener opens the bytes anew each time
 * @param known parts of the key that the user states; they fill what the records leave open
 */
public record AcceptanceSource(String name, Opener opener, AcceptanceKey known) {

    /** Opens a stream of bytes. */
    @FunctionalInterface
    public interface Opener {
        InputStream open() throws IOException;
    }

    /** A file, unpacked when it is gzip. */
    public static AcceptanceSource of(Path file, AcceptanceKey known) {
        return new AcceptanceSource(file.getFileName().toString(), () -> gunzip(Files.newInputStream(file)), known);
    }

    private static InputStream gunzip(InputStream raw) throws IOException {
        BufferedInputStream in = new BufferedInputStream(raw, 1 << 16);
        in.mark(2);
        boolean gzip = in.read() == 0x1f && in.read() == 0x8b;
        in.reset();
        return gzip ? new GZIPInputStream(in, 1 << 16) : in;
    }
}
