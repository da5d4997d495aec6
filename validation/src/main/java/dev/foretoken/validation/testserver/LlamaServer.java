package dev.foretoken.validation.testserver;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.stream.Collectors;

/**
 * A llama.cpp server process on the loopback interface, one thread. It ends with this JVM, since it reads its standard input.
 */
public final class LlamaServer implements AutoCloseable {
    private static final double CLOCK_TICKS_PER_S = 100;

    private final Process process;
    private final URI uri;
    private final Path log;

    /**
     * How to start it.
     *
     * @param slots requests at once
     * @param contextPerSlot tokens per slot
     * @param speculation null for autoregressive decoding
     */
    public record Options(int slots, int contextPerSlot, Speculation speculation) {
        public static Options autoregressive(int slots) {
            return new Options(slots, 512, null);
        }

        public Options with(Speculation s) {
            return new Options(slots, contextPerSlot, s);
        }
    }

    /**
     * How to speculate.
     *
     * @param drafter GGUF of a draft model; null for n-gram drafts
     * @param drafts drafts per round
     * @param forcedSurvival P(at least i accepted) by position, forced by the server; null = real acceptance
     */
    public record Speculation(Path drafter, int drafts, List<Double> forcedSurvival) {
        public Speculation {
            if (drafts < 1) {
                throw new IllegalArgumentException("drafts must be at least 1: " + drafts);
            }
            if (forcedSurvival != null && forcedSurvival.size() != drafts) {
                throw new IllegalArgumentException(
                        forcedSurvival.size() + " forced rates for " + drafts + " drafts per round");
            }
        }
    }

    private LlamaServer(Process process, URI uri, Path log) {
        this.process = process;
        this.uri = uri;
        this.log = log;
    }

    /**
     * Starts a server and waits until it answers.
     *
     * @throws IOException when it does not start within the limit; the message has its last lines
     */
    public static LlamaServer start(LlamaKit kit, Options o, Duration limit) throws IOException, InterruptedException {
        int port;
        try (ServerSocket free = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            port = free.getLocalPort();
        }
        List<String> command = new ArrayList<>(List.of(
                kit.python().toString(),
                kit.script("llama_server.py").toString(),
                "--model",
                kit.model().toString(),
                "--port",
                Integer.toString(port),
                "--slots",
                Integer.toString(o.slots()),
                "--context",
                Integer.toString(o.slots() * o.contextPerSlot()),
                "--threads",
                "1"));
        Speculation s = o.speculation();
        if (s != null) {
            command.addAll(List.of("--spec", s.drafter() == null ? "ngram-simple" : "draft-simple"));
            if (s.drafter() == null) {
                command.addAll(List.of("--ngram", "3," + s.drafts() + ",1"));
            } else {
                command.addAll(
                        List.of("--draft-model", s.drafter().toString(), "--n-max", Integer.toString(s.drafts())));
            }
            if (s.forcedSurvival() != null) {
                command.addAll(List.of(
                        "--rates",
                        s.forcedSurvival().stream()
                                .map(r -> String.format(Locale.ROOT, "%.6f", r))
                                .collect(Collectors.joining(","))));
            }
        }
        Path log = Files.createTempFile("llama-server", ".log");
        ProcessBuilder builder = new ProcessBuilder(command).redirectError(log.toFile());
        builder.environment().put("OMP_WAIT_POLICY", "passive");
        Process p = builder.start();
        CompletableFuture<String> ready = CompletableFuture.supplyAsync(() -> readyLine(p));
        try {
            String line = ready.get(limit.toMillis(), TimeUnit.MILLISECONDS);
            if (line == null) {
                throw new IOException("the llama.cpp server ended: " + tail(log));
            }
            return new LlamaServer(p, URI.create("http://127.0.0.1:" + port), log);
        } catch (ExecutionException | TimeoutException e) {
            p.destroyForcibly();
            throw new IOException(
                    "the llama.cpp server did not start within " + limit.toSeconds() + " s: " + tail(log), e);
        } catch (IOException | InterruptedException e) {
            p.destroyForcibly();
            throw e;
        }
    }

    private static String readyLine(Process p) {
        try {
            BufferedReader out = new BufferedReader(new InputStreamReader(p.getInputStream(), StandardCharsets.UTF_8));
            for (String line = out.readLine(); line != null; line = out.readLine()) {
                if (line.startsWith("READY")) {
                    return line;
                }
            }
        } catch (IOException e) {
            return null;
        }
        return null;
    }

    private static String tail(Path log) throws IOException {
        List<String> lines = Files.readAllLines(log, StandardCharsets.UTF_8);
        return String.join(" | ", lines.subList(Math.max(0, lines.size() - 4), lines.size()));
    }

    /** Root address. */
    public URI uri() {
        return uri;
    }

    /** CPU time of the process so far, s: unlike wall time it does not suffer from other load. Linux only. */
    public double cpuSeconds() throws IOException {
        String stat = Files.readString(Path.of("/proc", Long.toString(process.pid()), "stat"));
        String[] fields = stat.substring(stat.lastIndexOf(')') + 2).split(" ");
        return (Long.parseLong(fields[11]) + Long.parseLong(fields[12])) / CLOCK_TICKS_PER_S;
    }

    /** Kills the process at once, as a crash does. */
    public void kill() throws InterruptedException {
        process.destroyForcibly();
        process.waitFor(5, TimeUnit.SECONDS);
    }

    @Override
    public void close() {
        try {
            process.getOutputStream().close();
            if (!process.waitFor(5, TimeUnit.SECONDS)) {
                process.destroyForcibly();
            }
            Files.deleteIfExists(log);
        } catch (IOException e) {
            process.destroyForcibly();
        } catch (InterruptedException e) {
            process.destroyForcibly();
            Thread.currentThread().interrupt();
        }
    }
}
