package dev.foretoken.formats.document;

import java.util.Collection;
import java.util.Locale;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * The valid word nearest to what was written: the same word spelled otherwise (case, dashes, camel case), the same quantity
 * in another unit, a longer one that has all its parts in their order (rtx-6000 for rtx-pro-6000-server), and else the smallest edit distance of Damerau and Levenshtein (optimal string alignment).
 */
public final class Nearest {
    private static final Pattern UNIT = Pattern.compile(
            "_(?:ns|us|ms|s|sec|secs|seconds|min|minutes|h|hours?|millis|micros|tokens?|toks?|gb|gib|mb|mib|kb|bytes|b|w|watts"
                    + "|kw|per_s|per_sec|per_min|rps|qps|hz|mhz|ghz|pct|percent)$");

    private static final Pattern PARTS = Pattern.compile("[_./]");

    private Nearest() {}

    /** A suggestion and how good it is. */
    public record Suggestion(String word, boolean close, boolean sameQuantity) {
        /** The end of an error message: {@code ; did you mean X?}. */
        public String phrase() {
            if (sameQuantity) {
                return "; the unit differs, did you mean " + word + "?";
            }
            return close ? "; did you mean " + word + "?" : "; the nearest valid one is " + word;
        }
    }

    /** Nearest of the valid words; empty only when there are none. Ties go to the first in the given order. */
    public static Optional<Suggestion> of(String written, Collection<String> valid) {
        String plain = normalise(written);
        for (String word : valid) {
            if (normalise(word).equals(plain)) {
                return Optional.of(new Suggestion(word, true, false));
            }
        }
        String stem = stem(plain);
        for (String word : valid) {
            if (stem(normalise(word)).equals(stem)) {
                return Optional.of(new Suggestion(word, true, true));
            }
        }
        for (String word : valid) {
            if (hasParts(normalise(word), plain)) {
                return Optional.of(new Suggestion(word, true, false));
            }
        }
        String best = null;
        int bestDistance = Integer.MAX_VALUE;
        for (String word : valid) {
            String candidate = normalise(word);
            int distance = Math.min(distance(plain, candidate), 1 + distance(stem, stem(candidate)));
            if (distance < bestDistance) {
                best = word;
                bestDistance = distance;
            }
        }
        if (best == null) {
            return Optional.empty();
        }
        boolean close = bestDistance <= Math.max(2, Math.min(plain.length(), best.length()) / 3);
        return Optional.of(new Suggestion(best, close && bestDistance < plain.length(), false));
    }

    /** The end of an error message for a word that is not among the valid ones, empty when there is no valid word. */
    public static String phrase(String written, Collection<String> valid) {
        return of(written, valid).map(Suggestion::phrase).orElse("");
    }

    /** True when a word has all parts of what was written, at least two, in their order. */
    private static boolean hasParts(String word, String written) {
        String[] wanted = PARTS.split(written);
        int found = 0;
        for (String part : PARTS.split(word)) {
            if (found < wanted.length && part.equals(wanted[found])) {
                found++;
            }
        }
        return wanted.length >= 2 && found == wanted.length;
    }

    private static String normalise(String word) {
        String shown = word.length() > 200 ? word.substring(0, 200) : word;
        return shown.replaceAll("([a-z0-9])([A-Z])", "$1_$2")
                .replace('-', '_')
                .replace(' ', '_')
                .toLowerCase(Locale.ROOT);
    }

    private static String stem(String word) {
        return UNIT.matcher(word).replaceFirst("");
    }

    /** Edits (insert, delete, replace, swap of neighbours) that turn a into b. */
    static int distance(String a, String b) {
        int[] before = new int[b.length() + 1];
        int[] previous = new int[b.length() + 1];
        int[] current = new int[b.length() + 1];
        for (int j = 0; j <= b.length(); j++) {
            previous[j] = j;
        }
        for (int i = 1; i <= a.length(); i++) {
            current[0] = i;
            for (int j = 1; j <= b.length(); j++) {
                int cost = a.charAt(i - 1) == b.charAt(j - 1) ? 0 : 1;
                current[j] = Math.min(Math.min(current[j - 1], previous[j]) + 1, previous[j - 1] + cost);
                if (i > 1 && j > 1 && a.charAt(i - 1) == b.charAt(j - 2) && a.charAt(i - 2) == b.charAt(j - 1)) {
                    current[j] = Math.min(current[j], before[j - 2] + 1);
                }
            }
            int[] recycled = before;
            before = previous;
            previous = current;
            current = recycled;
        }
        return previous[b.length()];
    }
}
