package dev.foretoken.validation.session;

import com.fasterxml.jackson.databind.JsonNode;
import dev.foretoken.validation.client.Api;
import dev.foretoken.validation.client.Endpoint;
import dev.foretoken.validation.client.Load;
import dev.foretoken.validation.client.LoadRunner;
import dev.foretoken.validation.client.PlannedRequest;
import dev.foretoken.validation.client.RealTime;
import dev.foretoken.validation.client.RequestOptions;
import dev.foretoken.validation.client.RequestRecord;
import dev.foretoken.validation.client.RequestSource;
import dev.foretoken.validation.client.RunHeader;
import dev.foretoken.validation.client.RunJournal;
import dev.foretoken.validation.client.RunPlan;
import dev.foretoken.validation.client.RunResult;
import dev.foretoken.validation.client.StreamClient;
import dev.foretoken.validation.client.StreamCounters;
import dev.foretoken.validation.client.TimeSource;
import dev.foretoken.validation.measure.MeasuredAcceptance;
import dev.foretoken.validation.measure.RunMeasures;
import dev.foretoken.validation.server.EngineAdapter;
import dev.foretoken.validation.server.EngineAdapters;
import dev.foretoken.validation.server.ServerPages;
import dev.foretoken.validation.server.ServerSnapshot;
import dev.foretoken.validation.server.ServerWindow;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;

/** A live endpoint: probed once, then driven run by run. It is never started, stopped or reconfigured. */
public final class EndpointSession implements AutoCloseable {
    private static final Duration PAGE_LIMIT = Duration.ofSeconds(20);
    private static final Duration RETRY = Duration.ofMillis(250);
    private static final String PROBE_TEXT =
            "Write one sentence about how the tide shapes a harbour town, and name two things people do at low water.";
    private static final int PROBE_TOKENS = 8;
    private static final double CHARS_PER_TOKEN = 4;

    private final Endpoint endpoint;
    private final TimeSource time;
    private final AutoCloseable ownTime;
    private final StreamClient client;
    private final ProbedEndpoint probed;
    private final Consumer<String> progress;

    /**
     * Limits of a session.
     *
     * @param start how long a server that answers 503 (loading) or not at all is waited for
     * @param idle a stream or page that is silent for longer is given up
     */
    public record Limits(Duration start, Duration idle) {
        public static final Limits DEFAULT = new Limits(Duration.ofSeconds(5), Duration.ofSeconds(120));
    }

    private static final double TOLERATED_FAILURES = 0.1;
    private static final double DISAGREEMENT = 0.05;

    private EndpointSession(
            Endpoint endpoint,
            Limits limits,
            Consumer<String> progress,
            TimeSource time,
            AutoCloseable ownTime,
            StreamCounters counters) {
        this.endpoint = endpoint;
        this.progress = progress;
        this.time = time;
        this.ownTime = ownTime;
        this.client = new StreamClient(endpoint, time, limits.idle(), counters);
        try {
            this.probed = probe(limits);
        } catch (RuntimeException e) {
            close();
            throw e;
        }
    }

    /**
     * First contact: health, model list, engine, one tiny completion.
     *
     * @param progress told what is being done, one line each
     * @throws EndpointException when the endpoint cannot be used
     */
    public static EndpointSession open(Endpoint endpoint, Limits limits, Consumer<String> progress) {
        RealTime real = new RealTime();
        return new EndpointSession(endpoint, limits, progress, real, real, new StreamCounters());
    }

    /** The same on a clock of the caller's, which stays open. */
    public static EndpointSession open(
            Endpoint endpoint, Limits limits, Consumer<String> progress, TimeSource time, StreamCounters counters) {
        return new EndpointSession(endpoint, limits, progress, time, () -> {}, counters);
    }

    public ProbedEndpoint probed() {
        return probed;
    }

    /** Pages of the server as they are now. */
    public ServerPages pages() {
        return new ServerPages(this::page);
    }

    /** State of the server now. */
    public ServerSnapshot snapshot() {
        return probed.adapter().snapshot(pages());
    }

    private Optional<String> page(String path) {
        try {
            HttpResponse<String> r = client.get(path, PAGE_LIMIT);
            return r.statusCode() == 200 ? Optional.of(r.body()) : Optional.empty();
        } catch (IOException e) {
            return Optional.empty();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return Optional.empty();
        }
    }

    private ProbedEndpoint probe(Limits limits) {
        progress.accept("probing " + endpoint.base());
        awaitHealth(limits.start());
        ServerPages pages = pages();
        EngineAdapter adapter = EngineAdapters.recognise(pages);
        String model = model(pages);
        List<String> notes = new ArrayList<>();
        ServerSnapshot snapshot = adapter.snapshot(pages);
        Api api = Api.COMPLETIONS;
        EngineAdapter fields = adapter;
        RequestRecord r = tiny(model, fields, api);
        if (isStatus(r, 404) || isStatus(r, 405) || isStatus(r, 501)) {
            api = Api.CHAT;
            r = tiny(model, fields, api);
        }
        if (isStatus(r, 400) || isStatus(r, 422)) {
            String refused = r.error();
            fields = EngineAdapters.generic();
            r = tiny(model, fields, api);
            if (r.ok()) {
                notes.add("the server refused the engine's own request fields (" + refused
                        + "): standard fields only, ignore_eos and exact token counts may be missing");
            }
        }
        if (isStatus(r, 401) || isStatus(r, 403)) {
            throw new EndpointException(endpoint.base() + " refuses access (" + r.error() + "): set "
                    + dev.foretoken.validation.client.ApiKey.VARIABLE + " or give a key file");
        }
        if (!r.ok()) {
            throw new EndpointException(
                    "a tiny completion on " + endpoint.base() + " failed: " + r.status() + " " + r.error());
        }
        if (r.tokenSource() == RequestRecord.TokenSource.CHUNKS || r.tokenSource() == null) {
            notes.add("the server sends no token usage: tokens can only be counted as events");
        }
        double chars = r.promptTokens() == null || r.promptTokens() == 0
                ? CHARS_PER_TOKEN
                : (double) PROBE_TEXT.length() / r.promptTokens();
        return new ProbedEndpoint(model, adapter, fields, snapshot, api, chars, List.copyOf(notes));
    }

    private static boolean isStatus(RequestRecord r, int code) {
        return r.status() == RequestRecord.Status.HTTP_ERROR && r.error().startsWith("HTTP " + code + ":");
    }

    private void awaitHealth(Duration limit) {
        long until = System.nanoTime() + limit.toNanos();
        String last = "no answer";
        while (true) {
            try {
                HttpResponse<String> r = client.get("/health", PAGE_LIMIT);
                if (r.statusCode() == 404 || r.statusCode() == 405 || r.statusCode() == 401 || r.statusCode() == 403) {
                    r = client.get("/v1/models", PAGE_LIMIT);
                }
                if (r.statusCode() == 401 || r.statusCode() == 403) {
                    throw new EndpointException(endpoint.base() + " refuses access (HTTP " + r.statusCode() + "): set "
                            + dev.foretoken.validation.client.ApiKey.VARIABLE + " or give a key file");
                }
                if (r.statusCode() == 200) {
                    return;
                }
                last = "HTTP " + r.statusCode() + " "
                        + endpoint.key().redact(r.body().strip().replaceAll("\\s+", " "));
                if (r.statusCode() != 503) {
                    throw new EndpointException(endpoint.base() + " answers neither /health nor /v1/models: " + last);
                }
            } catch (IOException e) {
                last = e.getClass().getSimpleName() + (e.getMessage() == null ? "" : ": " + e.getMessage());
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new EndpointException("interrupted while waiting for " + endpoint.base(), e);
            }
            if (System.nanoTime() > until) {
                throw new EndpointException(
                        endpoint.base() + " cannot be reached within " + limit.toSeconds() + " s: " + last);
            }
            try {
                Thread.sleep(RETRY.toMillis());
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new EndpointException("interrupted while waiting for " + endpoint.base(), e);
            }
        }
    }

    private String model(ServerPages pages) {
        JsonNode list = pages.json("/v1/models").path("data");
        List<String> ids = new ArrayList<>();
        list.forEach(m -> ids.add(m.path("id").asText()));
        if (endpoint.model() != null) {
            if (!ids.isEmpty() && !ids.contains(endpoint.model())) {
                throw new EndpointException(endpoint.base() + " does not serve " + endpoint.model() + "; it serves "
                        + String.join(", ", ids));
            }
            return endpoint.model();
        }
        if (ids.isEmpty()) {
            throw new EndpointException(endpoint.base() + " lists no models: name one with --model");
        }
        return ids.get(0);
    }

    private RequestRecord tiny(String model, EngineAdapter fields, Api api) {
        RequestOptions o = new RequestOptions(api, 0, true, true, "probe", 0);
        RunPlan plan = new RunPlan(Load.Closed.of(1), 0, 1, 0, Duration.ofMinutes(10));
        RequestSource one = (index, phase) -> new PlannedRequest(index, phase, "probe", PROBE_TEXT, PROBE_TOKENS);
        RunResult run = await(new LoadRunner(
                client, time, plan, one, api.path(), p -> RequestBodies.body(model, fields, o, p), null, 0, Set.of()));
        return run.records().get(0);
    }

    private RunResult await(LoadRunner runner) {
        CompletableFuture<RunResult> future = runner.start();
        Thread hook = new Thread(() -> {
            runner.interrupt();
            try {
                future.get(3, TimeUnit.SECONDS);
            } catch (InterruptedException | ExecutionException | TimeoutException e) {
                progress.accept("the run could not be ended in order: " + e);
            }
        });
        Runtime.getRuntime().addShutdownHook(hook);
        try {
            return future.get();
        } catch (InterruptedException e) {
            runner.interrupt();
            Thread.currentThread().interrupt();
            throw new EndpointException("interrupted", e);
        } catch (ExecutionException e) {
            throw new IllegalStateException(e.getCause());
        } finally {
            try {
                Runtime.getRuntime().removeShutdownHook(hook);
            } catch (IllegalStateException e) {
                progress.accept("stopping");
            }
        }
    }

    /** Empties the prefix cache where the engine has a route for it; says what happened. */
    private String flush() {
        Optional<String> route = probed.adapter().flushRoute();
        if (route.isEmpty()) {
            return "prefix cache: no route empties it; prompts carry a salt that is new in this run";
        }
        try {
            HttpResponse<String> r = client.post(route.get(), null, PAGE_LIMIT);
            if (r.statusCode() == 200) {
                return "prefix cache emptied by " + route.get();
            }
            return "prefix cache: " + route.get() + " answers HTTP " + r.statusCode()
                    + "; prompts carry a salt that is new in this run";
        } catch (IOException e) {
            return "prefix cache: " + route.get() + " failed (" + e.getClass().getSimpleName()
                    + "); prompts carry a salt that is new in this run";
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return "prefix cache not emptied: interrupted";
        }
    }

    /**
     * One run: flush, snapshot, load, snapshot.
     *
     * @throws EndpointException when every request failed
     * @throws UncheckedIOException when the run file cannot be written (what was measured before is on disk)
     */
    public RunOutcome run(RunSpec spec) {
        List<String> notes = new ArrayList<>();
        if (spec.options().bypassPrefixCache()) {
            notes.add(flush());
        }
        ServerSnapshot before = snapshot();
        List<Double> running = java.util.Collections.synchronizedList(new ArrayList<>());
        Thread sampler = sampler(running);
        List<RunResult> segments = new ArrayList<>();
        RunHeader header = header(spec, notes);
        try (RunJournal journal = journal(spec, header, segments)) {
            Set<Long> done = segments.isEmpty()
                    ? Set.of()
                    : RunJournal.read(spec.file()).completed().keySet();
            int segment = spec.file() == null
                    ? 0
                    : RunJournal.read(spec.file()).headers().size() - 1;
            progress.accept(spec.name() + ": " + spec.plan().load().label() + ", "
                    + spec.plan().measured() + " requests");
            client.lag().start();
            RunResult result = await(new LoadRunner(
                    client,
                    time,
                    spec.plan(),
                    spec.source(),
                    spec.options().api().path(),
                    r -> RequestBodies.body(probed.model(), probed.fields(), spec.options(), r),
                    journal,
                    segment,
                    done));
            client.lag().stop();
            sampler.interrupt();
            if (journal != null) {
                journal.end(segment, result.stoppedBecause());
                journal.check();
            }
            segments.add(result);
            refuseUnfinished(spec, result, done.size());
            return outcome(spec, header, segments, before, running, notes);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } finally {
            client.lag().stop();
            sampler.interrupt();
        }
    }

    /**
     * A run that was interrupted, or whose requests fail for a large part, is no measurement: it is kept for --resume. One that
     * met its time limit is.
     */
    private static void refuseUnfinished(RunSpec spec, RunResult result, int before) {
        int planned = spec.plan().measured();
        int failed = result.failed().stream()
                .filter(r -> r.status() != RequestRecord.Status.CANCELLED)
                .toList()
                .size();
        boolean limit =
                result.stoppedBecause() != null && result.stoppedBecause().startsWith(RunPlan.TIME_LIMIT);
        String because = result.stoppedBecause() != null && !limit
                ? result.stoppedBecause()
                : failed > TOLERATED_FAILURES * planned
                        ? failed + " of " + planned + " requests failed, the last with "
                                + result.failed()
                                        .get(result.failed().size() - 1)
                                        .error()
                        : null;
        if (because == null) {
            return;
        }
        throw new EndpointException(String.format(
                Locale.ROOT,
                "%s: %s. %d of %d requests are measured%s",
                spec.name(),
                because,
                before + result.measured().size(),
                planned,
                spec.file() == null ? "" : " and kept in " + spec.file() + ": --resume goes on with the rest"));
    }

    private RunJournal journal(RunSpec spec, RunHeader header, List<RunResult> earlier) throws IOException {
        if (spec.file() == null) {
            return null;
        }
        if (spec.resume() && Files.exists(spec.file()) && Files.size(spec.file()) > 0) {
            RunJournal.Content content = RunJournal.read(spec.file());
            RunJournal journal = RunJournal.resume(spec.file(), header, content, time.wallMillis());
            earlier.addAll(content.segments());
            progress.accept(spec.name() + ": resuming, " + content.completed().size() + " requests are complete");
            return journal;
        }
        return RunJournal.create(spec.file(), header);
    }

    private RunHeader header(RunSpec spec, List<String> notes) {
        return new RunHeader(
                RunHeader.SCHEMA,
                spec.name(),
                spec.fingerprint(endpoint.base().toString(), probed.model()),
                0,
                time.wallMillis(),
                endpoint.base().toString(),
                probed.model(),
                probed.engine(),
                spec.plan().load().label(),
                spec.plan().warmup(),
                spec.plan().measured(),
                spec.options().salt(),
                spec.settings(),
                List.copyOf(notes));
    }

    private Thread sampler(List<Double> running) {
        Thread t = new Thread(
                () -> {
                    try {
                        while (!Thread.currentThread().isInterrupted()) {
                            Thread.sleep(1000);
                            Double now = snapshot().running();
                            if (now != null) {
                                running.add(now);
                            }
                        }
                    } catch (InterruptedException e) {
                        Thread.currentThread().interrupt();
                    }
                },
                "foretoken-sampler");
        t.setDaemon(true);
        t.start();
        return t;
    }

    private RunOutcome outcome(
            RunSpec spec,
            RunHeader header,
            List<RunResult> segments,
            ServerSnapshot before,
            List<Double> running,
            List<String> notes) {
        RunMeasures measures;
        try {
            measures = RunMeasures.of(segments, spec.maxTokensPerRound());
        } catch (IllegalArgumentException e) {
            throw new EndpointException(spec.name() + ": " + e.getMessage(), e);
        }
        ServerSnapshot after = snapshot();
        RunResult newest = segments.get(segments.size() - 1);
        Integer concurrency = spec.plan().load() instanceof Load.Closed c ? c.concurrency() : null;
        ServerWindow window = ServerWindow.between(
                before,
                after,
                newest.records(),
                List.copyOf(running),
                new ServerWindow.Expected(concurrency, spec.speculative()));
        List<RequestRecord> measured =
                segments.stream().flatMap(s -> s.measured().stream()).toList();
        MeasuredAcceptance acceptance = MeasuredAcceptance.of(measured, window.acceptance(), measures.rounds());
        notes.addAll(measures.notes());
        notes.addAll(window.findings());
        if (acceptance != null && acceptance.disagreement() != null && acceptance.disagreement() > DISAGREEMENT) {
            notes.add(String.format(
                    Locale.ROOT,
                    "accept lengths from events, requests and counters differ by up to %.0f %%; that of %s (%.3f) is used",
                    100 * acceptance.disagreement(),
                    acceptance.source(),
                    acceptance.acceptLength()));
        }
        return new RunOutcome(header, measures, window, acceptance, segments, List.copyOf(notes));
    }

    @Override
    public void close() {
        client.close();
        try {
            ownTime.close();
        } catch (Exception e) {
            throw new IllegalStateException("the timer could not be stopped", e);
        }
    }
}
