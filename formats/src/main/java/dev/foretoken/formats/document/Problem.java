package dev.foretoken.formats.document;

/**
 * One thing that is wrong with a file.
 *
 * @param file the file as the user named it
 * @param line line from 1, 0 when the problem is about the whole file
 * @param key path of the key, such as {@code methods[2].budget}; empty when there is none
 * @param message what is wrong, with the value and the nearest valid key where there is one
 */
public record Problem(String file, int line, String key, String message) {

    @Override
    public String toString() {
        StringBuilder text = new StringBuilder(file);
        if (line > 0) {
            text.append(':').append(line);
        }
        text.append(": ");
        if (!key.isEmpty()) {
            text.append(key).append(": ");
        }
        return text.append(message).toString();
    }
}
