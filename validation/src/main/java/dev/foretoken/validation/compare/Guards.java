package dev.foretoken.validation.compare;

import dev.foretoken.formats.document.Nearest;
import dev.foretoken.validation.measure.RunMeasures;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;

/** What must hold before figures are compared, and what a reader must be warned of. */
public final class Guards {
    private static final double SHORT_TOKENS = 64;
    private static final double REPETITIVE = 0.3;
    private static final double LOW_ACCEPTANCE = 0.1;
    private static final double ROOFLINE_SLACK = 1.02;

    /** Warning of a run without a baseline. */
    public static final String NO_BASELINE =
            "no autoregressive baseline under the same conditions: a speed-up cannot be stated";

    private static final String EVERYTHING = "all";

    private Guards() {}

    /** The comparison is refused; the message names every difference. */
    public static final class RefusedException extends IllegalArgumentException {
        private static final long serialVersionUID = 1;

        RefusedException(String message) {
            super(message);
        }
    }

    /**
     * The names of differences that a user accepts; case counts no more than dashes, underscores or blanks between words.
     *
     * @throws IllegalArgumentException for a name that no difference has, with the nearest one
     */
    public static Set<String> allowed(Collection<String> written) {
        List<String> valid = new ArrayList<>(Conditions.NAMES);
        valid.add(EVERYTHING);
        Set<String> names = new LinkedHashSet<>();
        for (String w : written) {
            names.add(valid.stream()
                    .filter(v -> plain(v).equals(plain(w)))
                    .findFirst()
                    .orElseThrow(() -> new IllegalArgumentException("nothing that can differ is called " + w
                            + Nearest.phrase(
                                    option(w),
                                    valid.stream().map(Guards::option).toList())
                            + "; names are "
                            + String.join(
                                    ", ", valid.stream().map(Guards::option).toList()))));
        }
        return names;
    }

    private static String plain(String name) {
        return name.strip().toLowerCase(Locale.ROOT).replaceAll("[\\s_-]+", " ");
    }

    /** A name as one word of a command line. */
    private static String option(String name) {
        return name.strip().toLowerCase(Locale.ROOT).replaceAll("[\\s_]+", "-");
    }

    /**
     * Refuses to compare what differs in more than the method, unless told to.
     *
     * @param allowed names of differences that the user accepts, such as {@code context}; "all" accepts everything
     * @return the accepted differences, to be printed with the result
     */
    public static List<String> comparable(String what, Conditions a, Conditions b, Set<String> allowed) {
        List<String> refused = new ArrayList<>();
        List<String> accepted = new ArrayList<>();
        for (String d : a.differences(b)) {
            String name = d.substring(0, d.indexOf(':'));
            (allowed.contains(EVERYTHING) || allowed.contains(name) ? accepted : refused).add(d);
        }
        if (!refused.isEmpty()) {
            throw new RefusedException(what + " cannot be compared: they differ in " + String.join("; ", refused)
                    + " (to compare all the same: --allow-different "
                    + String.join(
                            ",",
                            refused.stream()
                                    .map(d -> option(d.substring(0, d.indexOf(':'))))
                                    .toList())
                    + ")");
        }
        return accepted;
    }

    /**
     * Facts about a run that a warning may need.
     *
     * @param distinctPrompts different prompts sent, null if unknown
     * @param meanOutputTokens mean tokens per answer, null if unknown
     * @param outputTokS measured tokens per second, null if unknown
     * @param peakTokS reported peak of tokens per second, null if unknown
     * @param medianRepetition share of repeated 4-word sequences, null if unknown
     * @param rooflineTokS tokens per second that memory bandwidth allows at most, null if unknown
     * @param hasBaseline an autoregressive run of the same conditions exists
     * @param firstAfterStart first run after the server started, without a discarded warm-up
     */
    public record Facts(
            Integer distinctPrompts,
            Double meanOutputTokens,
            Double outputTokS,
            Double peakTokS,
            Double medianRepetition,
            Double rooflineTokS,
            boolean hasBaseline,
            boolean firstAfterStart) {

        /** Facts of a run of this client. */
        public static Facts of(RunMeasures m, int distinctPrompts, Double rooflineTokS, boolean hasBaseline) {
            return new Facts(
                    distinctPrompts,
                    m.meanOutputTokens(),
                    m.outputTokS(),
                    m.peakTokS(),
                    m.medianRepetition(),
                    rooflineTokS,
                    hasBaseline,
                    false);
        }
    }

    /** Warnings, each a sentence. */
    public static List<String> warnings(Facts f) {
        List<String> w = new ArrayList<>();
        if (f.meanOutputTokens != null && f.meanOutputTokens < SHORT_TOKENS) {
            w.add(say(
                    "answers are short (mean %.0f tokens): the first and the last round weigh much",
                    f.meanOutputTokens));
        }
        if (f.distinctPrompts != null && f.distinctPrompts == 1) {
            w.add(
                    "one prompt only: acceptance is that of one text, and prefix caching may hide prefill of repeated requests");
        }
        if (!f.hasBaseline) {
            w.add(NO_BASELINE);
        }
        if (f.rooflineTokS != null && f.outputTokS != null) {
            w.addAll(rooflineWarnings(f.outputTokS, f.rooflineTokS));
        }
        if (f.peakTokS != null && f.outputTokS != null && f.peakTokS < f.outputTokS) {
            w.add(say(
                    "peak throughput (%.0f tok/s) is below the mean (%.0f tok/s): the peak counts events, not tokens",
                    f.peakTokS, f.outputTokS));
        }
        if (f.medianRepetition != null && f.medianRepetition > REPETITIVE) {
            w.add(say(
                    "answers repeat themselves (%.0f %% of 4-word sequences occurred before): acceptance is inflated, above"
                            + " all that of n-gram drafts",
                    100 * f.medianRepetition));
        }
        if (f.firstAfterStart) {
            w.add("first run after a start without a discarded warm-up: such runs read 30-50 % low");
        }
        return w;
    }

    /**
     * Warnings about an accept length, each a sentence.
     *
     * @param acceptLength tokens per round
     * @param draftLength drafts per round
     */
    public static List<String> acceptanceWarnings(double acceptLength, int draftLength) {
        double accepted = (acceptLength - 1) / draftLength;
        return accepted >= LOW_ACCEPTANCE
                ? List.of()
                : List.of(say(
                        "%.1f %% of the drafts are accepted: check that the drafter was trained for this target and"
                                + " quantisation",
                        100 * accepted));
    }

    /**
     * Warnings about a throughput, each a sentence.
     *
     * @param outputTokS measured tokens per second
     * @param rooflineTokS what memory bandwidth allows at most
     */
    public static List<String> rooflineWarnings(double outputTokS, double rooflineTokS) {
        return outputTokS <= rooflineTokS * ROOFLINE_SLACK
                ? List.of()
                : List.of(say(
                        "%.0f tok/s is above what memory bandwidth allows (%.0f tok/s): the count, the card or the model is not"
                                + " what it seems",
                        outputTokS, rooflineTokS));
    }

    /**
     * Largest tokens per second of a card at its memory bandwidth: every round reads the weights once.
     *
     * @param weightBytes bytes read per pass over all cards
     * @param bandwidth bytes per second of one card
     * @param tp cards
     * @param tokensPerRound tokens per request and round
     * @param concurrency requests in the batch
     */
    public static double rooflineTokS(
            double weightBytes, double bandwidth, int tp, double tokensPerRound, int concurrency) {
        return concurrency * tokensPerRound * bandwidth * tp / weightBytes;
    }

    private static String say(String format, Object... args) {
        return String.format(Locale.ROOT, format, args);
    }
}
