package dev.foretoken.validation.client;

import java.util.HashSet;
import java.util.Set;

/** How much a text repeats itself: looping text inflates acceptance, above all that of n-gram drafts. */
public final class Repetition {
    private static final int WORDS = 4;
    private static final int SHORTEST = 32;

    private Repetition() {}

    /**
     * Share of 4-word sequences that occurred before in the text.
     *
     * @return 0..1, null for texts under 32 words
     */
    public static Double of(CharSequence text) {
        String[] words = text.toString().strip().split("\\s+");
        if (words.length < SHORTEST) {
            return null;
        }
        Set<String> seen = new HashSet<>();
        int again = 0;
        int total = words.length - WORDS + 1;
        for (int i = 0; i < total; i++) {
            if (!seen.add(String.join(" ", words[i], words[i + 1], words[i + 2], words[i + 3]))) {
                again++;
            }
        }
        return (double) again / total;
    }
}
