package dev.foretoken.calibration.host;

/** Prompts for which an n-gram drafter fires in every round. */
public final class Prompts {
    private static final int NUMBERS = 10;

    private Prompts() {}

    /**
     * Counting from 1 to 10 over and over, begun at a number of the request's own: greedy continuations go on counting, so
     * n-gram drafts are always found, and forced acceptance of a right draft changes no text.
     *
     * @param counts how often to count to ten
     */
    public static String counting(int request, int counts) {
        StringBuilder s = new StringBuilder();
        for (int i = 0; i < NUMBERS * counts; i++) {
            s.append(1 + (i + request) % NUMBERS).append(' ');
        }
        return s.toString();
    }
}
