package dev.foretoken.formats.scenario;

import dev.foretoken.formats.document.Nearest;
import dev.foretoken.formats.document.Node;
import dev.foretoken.sim.method.Methods;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/**
 * Method ids and kinds of a scenario, which figures refer to. A figure for a method that the scenario does not have is left
 * unused with a warning, so that methods can be taken out and put back; a name close to one it has is taken for a slip of the
 * pen and refused.
 */
final class MethodKeys {
    private final Set<String> keys;
    private final List<String> warnings;
    private final boolean judged;

    MethodKeys(Collection<String> keys) {
        this(keys, new ArrayList<>(), true);
    }

    private MethodKeys(Collection<String> keys, List<String> warnings, boolean judged) {
        this.keys = new LinkedHashSet<>(keys);
        this.warnings = warnings;
        this.judged = judged;
    }

    /** For a scenario whose methods cannot be read: the keys that could be read, and no judgement on others. */
    static MethodKeys unjudged(Collection<String> keys) {
        return new MethodKeys(keys, new ArrayList<>(), false);
    }

    /** These keys and other words that may stand beside them. */
    MethodKeys with(Collection<String> words) {
        MethodKeys more = new MethodKeys(keys, warnings, judged);
        more.keys.addAll(words);
        return more;
    }

    /**
     * The key itself.
     *
     * @throws IllegalArgumentException when it looks like a misspelt one
     */
    String check(String key, Node map) {
        if (judged && !keys.contains(key)) {
            if (slip(key)) {
                throw new IllegalArgumentException(
                        key + " is neither a method id nor a kind of the scenario" + Nearest.phrase(key, keys));
            }
            Node at = map.at(key);
            String warning = (at == null ? map : at).place() + ": no method of the scenario is called " + key
                    + ": the figure is not used";
            if (!warnings.contains(warning)) {
                warnings.add(warning);
            }
        }
        return key;
    }

    /** Close to a valid word, and not just another number or another registered kind. */
    private boolean slip(String key) {
        return !Methods.kinds().contains(key)
                && Nearest.of(key, keys)
                        .filter(s -> s.close() && !letters(s.word()).equals(letters(key)))
                        .isPresent();
    }

    private static String letters(String word) {
        return word.replaceAll("[0-9]+", "#").replaceAll("#$", "");
    }

    List<String> warnings() {
        return warnings;
    }
}
