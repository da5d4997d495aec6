package dev.foretoken.formats.acceptance.readers;

import java.util.function.Consumer;
import java.util.function.Supplier;

/** Where a reader puts what it finds. Builds of impossible observations become counted skips, never exceptions. */
public final class AcceptanceSink {
    private final String source;
    private final AcceptanceKey known;
    private final ReadReport report;
    private final Consumer<AcceptanceObservation> observer;

    AcceptanceSink(String source, AcceptanceKey known, ReadReport report, Consumer<AcceptanceObservation> observer) {
        this.source = source;
        this.known = known;
        this.report = report;
        this.observer = observer;
    }

    /**
     * The key of a record: what it says itself, else what the user said, else the reader's engine.
     *
     * @param fromRecord parts the record states, null where it does not
     */
    public AcceptanceKey key(AcceptanceKey fromRecord) {
        return fromRecord.orElse(known);
    }

    /** Builds and delivers an observation; an {@link IllegalArgumentException} counts as a skip with its message. */
    public void observe(long line, Supplier<AcceptanceObservation> build) {
        AcceptanceObservation o;
        try {
            o = build.get();
        } catch (IllegalArgumentException e) {
            skip(line, "refused: " + e.getMessage());
            return;
        }
        report.observed();
        observer.accept(o);
    }

    /** Counts a record that could not be used. */
    public void skip(long line, String reason) {
        report.skip(source + ":" + line, reason);
    }

    /** Says once that a definition was converted or an assumption made. */
    public void converted(String what) {
        report.converted(what);
    }
}
