package dev.foretoken.formats.timeline;

import com.fasterxml.jackson.core.JsonGenerator;
import dev.foretoken.formats.io.AtomicFiles;
import dev.foretoken.formats.json.Json;
import dev.foretoken.sim.round.RoundTime;
import dev.foretoken.sim.serving.EngineListener;
import dev.foretoken.sim.serving.EngineStep;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Consumer;

/**
 * Timeline of a run: JSON in the Trace Event Format. Tracks: decode rounds (with requests, rows, context and terms), the GPU
 * terms of each round end to end, its host time, prompt chunks; counters: resident and waiting requests, KV pages in use.
 */
public final class TimelineFile {
    /** Steps that are written when the caller sets no other limit. */
    public static final int DEFAULT_STEPS = 20_000;

    private static final int PROCESS = 1;
    private static final int ROUNDS = 1;
    private static final int TERMS = 2;
    private static final int HOST = 3;
    private static final int PREFILL = 4;
    private static final String HOST_TERM = "host";

    private TimelineFile() {}

    /**
     * Writes the timeline of a run.
     *
     * @param title name of the point, shown as the process
     * @param maxSteps steps that are written; the run goes on without being written
     * @param run simulates, with the listener that it is given
     */
    public static void write(Path path, String title, int maxSteps, Consumer<EngineListener> run) throws IOException {
        try {
            AtomicFiles.write(path, out -> {
                try (JsonGenerator json = Json.mapper().getFactory().createGenerator(out)) {
                    json.writeStartObject();
                    json.writeStringField("displayTimeUnit", "ms");
                    json.writeArrayFieldStart("traceEvents");
                    name(json, "process_name", 0, title);
                    name(json, "thread_name", ROUNDS, "decode rounds");
                    name(json, "thread_name", TERMS, "GPU terms");
                    name(json, "thread_name", HOST, "host");
                    name(json, "thread_name", PREFILL, "prompt chunks");
                    run.accept(new Writer(json, maxSteps));
                    json.writeEndArray();
                    json.writeEndObject();
                }
            });
        } catch (UncheckedIOException e) {
            throw e.getCause();
        }
    }

    private static void name(JsonGenerator json, String what, int thread, String name) throws IOException {
        json.writeStartObject();
        json.writeStringField("ph", "M");
        json.writeStringField("name", what);
        json.writeNumberField("pid", PROCESS);
        json.writeNumberField("tid", thread);
        json.writeObjectFieldStart("args");
        json.writeStringField("name", name);
        json.writeEndObject();
        json.writeEndObject();
    }

    private static final class Writer implements EngineListener {
        private final JsonGenerator json;
        private final int maxSteps;
        private int written;

        Writer(JsonGenerator json, int maxSteps) {
            this.json = json;
            this.maxSteps = maxSteps;
        }

        @Override
        public void stepped(EngineStep step) {
            if (written > maxSteps) {
                return;
            }
            try {
                if (written++ == maxSteps) {
                    end(step);
                } else {
                    write(step);
                }
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }

        private void end(EngineStep step) throws IOException {
            json.writeStartObject();
            json.writeStringField("ph", "i");
            json.writeStringField("s", "g");
            json.writeStringField("name", "the timeline ends after " + maxSteps + " steps, the run goes on");
            json.writeNumberField("ts", step.startNs() / 1e3);
            json.writeNumberField("pid", PROCESS);
            json.writeNumberField("tid", ROUNDS);
            json.writeEndObject();
        }

        private void write(EngineStep step) throws IOException {
            if (step.requests() > 0) {
                decode(step);
            }
            if (step.prefillTokens() > 0) {
                begin(PREFILL, "prefill " + step.prefillTokens() + " tokens", step.startNs(), step.ms());
                json.writeNumberField("requests", step.prefillRequests());
                json.writeNumberField("tokens", step.prefillTokens());
                json.writeNumberField("cached_context", step.prefillContext());
                end();
            }
            counter("requests", step.startNs(), "running", step.resident(), "waiting", step.waiting());
            counter("kv_pages", step.startNs(), "used", step.usedPages(), null, 0);
        }

        private void decode(EngineStep step) throws IOException {
            begin(ROUNDS, step.requests() + " requests, " + step.rows() + " rows", step.startNs(), step.ms());
            json.writeNumberField("requests", step.requests());
            json.writeNumberField("rows", step.rows());
            json.writeNumberField("budget", step.budget());
            json.writeNumberField("mean_context", step.meanContext());
            json.writeNumberField("max_context", step.maxContext());
            json.writeNumberField("tokens", step.emitted());
            if (step.prefillTokens() > 0) {
                json.writeNumberField("prefill_tokens", step.prefillTokens());
                end();
                return;
            }
            RoundTime round =
                    step.rounds().explain(step.requests(), step.rows(), step.meanContext(), step.maxContext());
            Map<String, Double> terms = new TreeMap<>(round.termsMs());
            json.writeObjectFieldStart("terms_ms");
            for (Map.Entry<String, Double> term : terms.entrySet()) {
                json.writeNumberField(term.getKey(), term.getValue());
            }
            json.writeEndObject();
            json.writeNumberField("hidden_ms", round.hiddenMs());
            end();
            double at = step.startNs();
            for (Map.Entry<String, Double> term : terms.entrySet()) {
                boolean host = term.getKey().equals(HOST_TERM);
                begin(host ? HOST : TERMS, term.getKey(), host ? step.startNs() : at, term.getValue());
                end();
                at += host ? 0 : term.getValue() * 1e6;
            }
        }

        private void begin(int thread, String name, double startNs, double ms) throws IOException {
            json.writeStartObject();
            json.writeStringField("ph", "X");
            json.writeStringField("name", name);
            json.writeNumberField("ts", startNs / 1e3);
            json.writeNumberField("dur", ms * 1e3);
            json.writeNumberField("pid", PROCESS);
            json.writeNumberField("tid", thread);
            json.writeObjectFieldStart("args");
        }

        private void end() throws IOException {
            json.writeEndObject();
            json.writeEndObject();
        }

        private void counter(String name, long ns, String first, long firstValue, String second, long secondValue)
                throws IOException {
            json.writeStartObject();
            json.writeStringField("ph", "C");
            json.writeStringField("name", name);
            json.writeNumberField("ts", ns / 1e3);
            json.writeNumberField("pid", PROCESS);
            json.writeObjectFieldStart("args");
            json.writeNumberField(first, firstValue);
            if (second != null) {
                json.writeNumberField(second, secondValue);
            }
            json.writeEndObject();
            json.writeEndObject();
        }
    }
}
