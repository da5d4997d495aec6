package dev.foretoken.validation.session;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import dev.foretoken.formats.json.Json;
import dev.foretoken.sim.random.Streams;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.commons.rng.UniformRandomProvider;

/**
 * Natural prompts of about a wanted length that are new in every run: a salt line first (so that no prefix cache of an earlier
 * run matches), then passages in an order of their own, then a task. No sentence occurs twice in a prompt; when a prompt is
 * longer than all text there is, that is said, since looping text inflates acceptance.
 */
public final class PromptBook {
    /** Bundled workloads. */
    public static final List<String> BUNDLED = List.of("code", "prose", "chat", "math", "extraction");

    private static final String RESOURCE = "/foretoken/catalogue/prompts/";
    private static final SecureRandom RANDOM = new SecureRandom();

    private record Texts(List<String> tasks, List<String> sentences) {}

    private final Map<String, Texts> byWorkload = new LinkedHashMap<>();
    private final Texts own;
    private final List<String> allSentences = new ArrayList<>();
    private final Set<String> notes = ConcurrentHashMap.newKeySet();

    private PromptBook(Texts own) {
        this.own = own;
        for (String w : BUNDLED) {
            Texts t = bundled(w);
            byWorkload.put(w, t);
            allSentences.addAll(t.sentences());
        }
    }

    /** The bundled prompts. */
    public static PromptBook bundled() {
        return new PromptBook(null);
    }

    /**
     * A user's own prompts for every workload: JSON Lines with {@code prompt} or {@code text}, or plain text with one prompt
     * per line.
     *
     * @throws IllegalArgumentException when the file holds no prompt, naming the line of a damaged one
     */
    public static PromptBook of(Path file) throws IOException {
        List<String> prompts = new ArrayList<>();
        List<String> lines = Files.readAllLines(file, StandardCharsets.UTF_8);
        for (int i = 0; i < lines.size(); i++) {
            String line = lines.get(i).strip();
            if (line.startsWith("{")) {
                try {
                    JsonNode n = Json.mapper().readTree(line);
                    String text = n.path("prompt").asText(n.path("text").asText(""));
                    if (text.isBlank()) {
                        throw new IllegalArgumentException(file + ":" + (i + 1) + ": no prompt or text");
                    }
                    prompts.add(text);
                } catch (JsonProcessingException e) {
                    throw new IllegalArgumentException(file + ":" + (i + 1) + ": not valid JSON", e);
                }
            } else if (!line.isEmpty()) {
                prompts.add(line);
            }
        }
        if (prompts.isEmpty()) {
            throw new IllegalArgumentException(file + " holds no prompt");
        }
        return new PromptBook(new Texts(List.copyOf(prompts), List.of()));
    }

    private static Texts bundled(String workload) {
        List<String> tasks = new ArrayList<>();
        List<String> sentences = new ArrayList<>();
        try (InputStream in = PromptBook.class.getResourceAsStream(RESOURCE + workload + ".jsonl")) {
            if (in == null) {
                throw new IllegalStateException("bundled prompts of " + workload + " are missing");
            }
            for (String line : new String(in.readAllBytes(), StandardCharsets.UTF_8).split("\n")) {
                JsonNode n = Json.mapper().readTree(line);
                String text = n.path("text").asText();
                if (n.path("kind").asText().equals("task")) {
                    tasks.add(text);
                } else {
                    sentences.addAll(sentences(text));
                }
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return new Texts(List.copyOf(tasks), List.copyOf(sentences));
    }

    private static List<String> sentences(String text) {
        return Arrays.stream(text.split("(?<=[.?!]) +"))
                .filter(s -> !s.isBlank())
                .toList();
    }

    /** A salt that no earlier run had. */
    public static String newSalt() {
        byte[] bytes = new byte[8];
        RANDOM.nextBytes(bytes);
        return HexFormat.of().formatHex(bytes);
    }

    /** What a reader must know about the prompts made so far. */
    public Set<String> notes() {
        return new LinkedHashSet<>(notes);
    }

    /** Different tasks of a workload. */
    public int tasks(String workload) {
        return texts(workload).tasks().size();
    }

    private Texts texts(String workload) {
        if (own != null) {
            return own;
        }
        Texts t = byWorkload.get(workload);
        if (t == null) {
            notes.add("no bundled prompts for workload " + workload + ": those of chat are used (bundled: "
                    + String.join(", ", BUNDLED) + "; or give a file with --prompts)");
            return byWorkload.get("chat");
        }
        return t;
    }

    /**
     * A prompt.
     *
     * @param tokens wanted length, tokens
     * @param charsPerToken characters per token of this server's tokenizer
     * @param salt of the run
     * @param index of the request
     */
    public String prompt(String workload, int tokens, double charsPerToken, String salt, long index) {
        Texts texts = texts(workload);
        UniformRandomProvider rng = Streams.of(Streams.mix(index), "prompt " + workload, 0, index);
        String task = texts.tasks()
                .get((int) Math.floorMod(index, (long) texts.tasks().size()));
        String head = "[" + salt + "-" + index + "]\n";
        if (own != null) {
            notes.add("prompts are used as the file has them: their lengths are its own");
            return head + task;
        }
        long wanted = Math.max(1, Math.round(tokens * charsPerToken));
        long room = wanted - head.length() - task.length() - 1;
        if (room <= 0) {
            return (head + task).substring(0, (int)
                    Math.max(head.length(), Math.min(head.length() + task.length(), wanted)));
        }
        List<String> pool = new ArrayList<>(shuffled(texts.sentences(), rng));
        if (pool.stream().mapToLong(String::length).sum() < room) {
            List<String> rest = new ArrayList<>(allSentences);
            rest.removeAll(texts.sentences());
            pool.addAll(shuffled(rest, rng));
        }
        return head + filled(pool, room, rng, workload) + task;
    }

    private String filled(List<String> pool, long room, UniformRandomProvider rng, String workload) {
        StringBuilder text = new StringBuilder();
        List<String> round = pool;
        while (text.length() < room) {
            for (String s : round) {
                if (text.length() >= room) {
                    break;
                }
                long left = room - text.length();
                text.append(s, 0, (int) Math.min(left, s.length())).append(' ');
            }
            if (text.length() < room) {
                notes.add("prompts of workload " + workload + " are longer than the " + text.length()
                        + " characters of text there are: sentences repeat, which inflates acceptance; give a file with"
                        + " --prompts");
                round = shuffled(pool, rng);
            }
        }
        return text.append('\n').toString();
    }

    private static List<String> shuffled(List<String> list, UniformRandomProvider rng) {
        List<String> copy = new ArrayList<>(list);
        for (int i = copy.size() - 1; i > 0; i--) {
            int j = rng.nextInt(i + 1);
            String s = copy.get(i);
            copy.set(i, copy.get(j));
            copy.set(j, s);
        }
        return copy;
    }
}
