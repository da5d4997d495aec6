package dev.foretoken.formats.document;

import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.Charset;
import java.nio.charset.CharsetDecoder;
import java.nio.charset.CoderResult;
import java.nio.charset.CodingErrorAction;
import java.nio.charset.StandardCharsets;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;

/** Reads a text file within a size limit: UTF-8, or UTF-16 with a byte order mark; anything else is refused. */
final class TextInput {
    private TextInput() {}

    static String read(Path path, String file, long maxBytes) {
        try {
            if (Files.isDirectory(path)) {
                throw new DocumentError(file, 0, "", "is a directory, not a file");
            }
            if (Files.isRegularFile(path) && Files.size(path) > maxBytes) {
                throw tooLarge(file, maxBytes);
            }
            try (InputStream in = Files.newInputStream(path)) {
                return decode(file, in.readNBytes((int) Math.min(maxBytes + 1, Integer.MAX_VALUE - 16)), maxBytes);
            }
        } catch (NoSuchFileException e) {
            throw new DocumentError(file, 0, "", "no such file");
        } catch (AccessDeniedException e) {
            throw new DocumentError(file, 0, "", "cannot be read: permission denied");
        } catch (IOException e) {
            throw new DocumentError(file, 0, "", "cannot be read: " + e.getMessage());
        }
    }

    static String decode(String file, byte[] bytes, long maxBytes) {
        if (bytes.length > maxBytes) {
            throw tooLarge(file, maxBytes);
        }
        Charset charset = StandardCharsets.UTF_8;
        int skip = 0;
        if (startsWith(bytes, 0xEF, 0xBB, 0xBF)) {
            skip = 3;
        } else if (startsWith(bytes, 0xFF, 0xFE)) {
            charset = StandardCharsets.UTF_16LE;
            skip = 2;
        } else if (startsWith(bytes, 0xFE, 0xFF)) {
            charset = StandardCharsets.UTF_16BE;
            skip = 2;
        }
        String text = strictly(file, ByteBuffer.wrap(bytes, skip, bytes.length - skip), charset);
        refuseControlCharacters(file, text);
        if (text.isBlank()) {
            throw new DocumentError(file, 0, "", "is empty");
        }
        return text;
    }

    private static String strictly(String file, ByteBuffer bytes, Charset charset) {
        CharsetDecoder decoder = charset.newDecoder()
                .onMalformedInput(CodingErrorAction.REPORT)
                .onUnmappableCharacter(CodingErrorAction.REPORT);
        CharBuffer chars = CharBuffer.allocate(bytes.remaining() + 1);
        CoderResult result = decoder.decode(bytes, chars, true);
        if (!result.isError()) {
            result = decoder.flush(chars);
        }
        chars.flip();
        if (result.isError()) {
            throw new DocumentError(file, lines(chars, chars.length()), "", "is not " + charset + " text");
        }
        return chars.toString();
    }

    private static void refuseControlCharacters(String file, String text) {
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if ((c < ' ' && c != '\t' && c != '\n' && c != '\r') || c == 0x7F) {
                String code = String.format("U+%04X", (int) c);
                throw new DocumentError(
                        file, lines(text, i), "", "is not a text file: it holds the control character " + code);
            }
        }
    }

    private static int lines(CharSequence text, int end) {
        int line = 1;
        for (int i = 0; i < end; i++) {
            if (text.charAt(i) == '\n') {
                line++;
            }
        }
        return line;
    }

    private static boolean startsWith(byte[] bytes, int... prefix) {
        if (bytes.length < prefix.length) {
            return false;
        }
        for (int i = 0; i < prefix.length; i++) {
            if ((bytes[i] & 0xFF) != prefix[i]) {
                return false;
            }
        }
        return true;
    }

    private static DocumentError tooLarge(String file, long maxBytes) {
        return new DocumentError(file, 0, "", "is too large: at most " + maxBytes + " bytes are read");
    }
}
