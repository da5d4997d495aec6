package dev.foretoken.formats.engine;

import dev.foretoken.sim.explore.LaunchFlags;
import dev.foretoken.sim.method.Arm;
import dev.foretoken.sim.scenario.EngineSettings;
import dev.foretoken.sim.scenario.Scenario;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/** The command line that starts a server of an engine with the settings of an arm. */
public final class LaunchCommand implements LaunchFlags {
    private static final Pattern PLACEHOLDER = Pattern.compile("\\{([a-z_.]+)\\}");

    private static final Pattern VARIABLE = Pattern.compile("[A-Z][A-Z0-9_]*=\\S*");

    private final Engine engine;

    public LaunchCommand(Engine engine) {
        this.engine = engine;
    }

    /** One line; null when the engine does not run methods of the arm's kind. */
    @Override
    public String of(Scenario scenario, Arm arm, EngineSettings settings, int tp) {
        List<String> method = engine.launch().methods().get(arm.kind());
        if (method == null) {
            return null;
        }
        Map<String, Object> values = values(scenario, arm, settings, tp);
        List<String> words = new ArrayList<>();
        words.add(fill(engine.launch().command(), values));
        engine.launch().flags().forEach(flag -> add(words, flag, values));
        addSwitches(words, engine.launch().whenFalse(), false, values);
        addSwitches(words, engine.launch().whenTrue(), true, values);
        if (arm.speculative()) {
            method.forEach(flag -> add(words, flag, values));
        }
        // Variables of the environment stand before the command, wherever the catalogue names them.
        return words.stream()
                .filter(word -> word != null && !word.isBlank())
                .sorted(Comparator.comparing(word -> !VARIABLE.matcher(word).matches()))
                .collect(Collectors.joining(" "));
    }

    private Map<String, Object> values(Scenario scenario, Arm arm, EngineSettings settings, int tp) {
        Map<String, Object> values = settings.given();
        if (settings.graphBatchSizes() != null) {
            values.put(
                    "graph_batch_sizes",
                    settings.graphBatchSizes().stream().map(String::valueOf).collect(Collectors.joining(" ")));
        }
        values.put("tp", tp);
        values.put("model", "<model>");
        values.put("drafter", "<drafter>");
        if (scenario.target() != null) {
            values.put("model", path(scenario.target().model()));
            values.put("weights", scenario.target().weights());
            values.put("recurrent_state", scenario.target().recurrentStateDtype());
            String kvCache = scenario.target().kvCache();
            values.put("kv_cache", engine.launch().kvCacheNames().getOrDefault(kvCache, kvCache));
        }
        if (scenario.hardware() != null && scenario.hardware().customAllReduce() != null) {
            values.put("custom_all_reduce", scenario.hardware().customAllReduce());
        }
        values.putAll(arm.values());
        values.computeIfPresent("drafter", (key, drafter) -> path(drafter.toString()));
        int width = arm.method().verifyWidth(arm, engine.id());
        values.put("verify_width", width);
        values.put("drafts", width - 1);
        return values;
    }

    /** Where a checkpoint lies is the reader's business: a catalogue id is shown as the end of a path to fill in. */
    private static String path(String checkpoint) {
        return checkpoint.contains("/") ? checkpoint : "/path/to/" + checkpoint;
    }

    private static void addSwitches(
            List<String> words, Map<String, String> switches, boolean when, Map<String, Object> values) {
        switches.entrySet().stream().sorted(Map.Entry.comparingByKey()).forEach(entry -> {
            if (values.get(entry.getKey()) instanceof Boolean value && value == when) {
                words.add(entry.getValue());
            }
        });
    }

    private static void add(List<String> words, String flag, Map<String, Object> values) {
        words.add(fill(flag, values));
    }

    /** The text with its values; null when one of them is not known. */
    private static String fill(String text, Map<String, Object> values) {
        Matcher matcher = PLACEHOLDER.matcher(text);
        StringBuilder filled = new StringBuilder();
        while (matcher.find()) {
            Object value = values.get(matcher.group(1));
            if (value == null) {
                return null;
            }
            matcher.appendReplacement(filled, Matcher.quoteReplacement(value.toString()));
        }
        return matcher.appendTail(filled).toString();
    }
}
