package dev.foretoken.sim.serving;

import java.util.List;
import java.util.function.Supplier;

/** Registered schedulers. A new one is one class and one line here. */
public final class Schedulers {
    /**
     * A scheduler family.
     *
     * @param name engine id
     * @param summary one sentence
     * @param create a scheduler for one run
     */
    public record Entry(String name, String summary, Supplier<Scheduler> create) {}

    private static final List<Entry> ENTRIES = List.of(
            new Entry(
                    "sglang",
                    "prefill first in chunks, then decode rounds; retraction when memory runs out",
                    SglangScheduler::new),
            new Entry(
                    "vllm",
                    "decode rows and prompt chunks share a step under a token budget; preemption by recompute",
                    VllmScheduler::new));

    private Schedulers() {}

    /** Every registered scheduler. */
    public static List<Entry> all() {
        return ENTRIES;
    }

    /**
     * A scheduler family by name.
     *
     * @throws IllegalArgumentException naming the known ones
     */
    public static Entry byName(String name) {
        return ENTRIES.stream()
                .filter(e -> e.name().equals(name))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException("unknown scheduler " + name + "; known: "
                        + ENTRIES.stream().map(Entry::name).toList()));
    }
}
