package dev.foretoken.formats.scenario;

import dev.foretoken.formats.acceptance.FormReader;
import dev.foretoken.formats.document.Field;
import dev.foretoken.formats.document.Fields;
import dev.foretoken.formats.document.Node;
import dev.foretoken.sim.acceptance.AcceptanceForm;
import dev.foretoken.sim.acceptance.ForcedAcceptance;
import dev.foretoken.sim.scenario.Workload;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;

/** Reads the {@code acceptance} of a workload: a bare form, forms by method id or kind, or both; forms may stand in files. */
final class AcceptanceReader {
    private static final String FILE = "file";
    private static final String TRACE = "trace";
    private static final String SOURCE = "source";
    private static final List<String> FORMS = forms();

    private final ScenarioResources resources;
    private final Function<String, Path> resolve;
    private final List<Given> given = new ArrayList<>();

    /**
     * A form that was read.
     *
     * @param key method id or kind, empty for the bare form
     * @param source where the figures come from, null when the document does not say
     * @param origin file and line
     * @param file the file or trace that says it, as the document names it; null for a form in the document
     */
    record Given(String key, AcceptanceForm form, String source, String origin, String file) {
        /** Whether a file or trace says it without naming a method. */
        boolean ofAnyMethod() {
            return key.isEmpty() && file != null;
        }
    }

    /** @param resolve finds a file that the document names */
    AcceptanceReader(ScenarioResources resources, Function<String, Path> resolve) {
        this.resources = resources;
        this.resolve = resolve;
    }

    /** The forms of the workload that was read, in the order of {@link #workload}. */
    List<Given> given() {
        return List.copyOf(given);
    }

    private static List<String> forms() {
        List<String> all = new ArrayList<>(FormReader.FORMS);
        all.add(FILE);
        all.add(TRACE);
        return List.copyOf(all);
    }

    /**
     * Forms by method id or kind; key "" is the bare one.
     *
     * @param keys method ids and kinds of the scenario
     */
    Map<String, AcceptanceForm> workload(Node node, String workload, MethodKeys keys) {
        MethodKeys valid = keys.with(FORMS);
        Map<String, AcceptanceForm> forms = new LinkedHashMap<>();
        List<String> methods = new ArrayList<>();
        boolean bare = false;
        boolean rejected = false;
        for (String key : node.entries().keySet()) {
            if (key.equals(SOURCE)) {
                continue;
            }
            if (FORMS.contains(key) || FormReader.MODIFIERS.contains(key)) {
                bare = true;
                continue;
            }
            methods.add(key);
            try {
                valid.check(key, node);
            } catch (IllegalArgumentException e) {
                node.at(key).report(e.getMessage());
                rejected = true;
            }
        }
        String common = node.entries().containsKey(SOURCE) ? node.at(SOURCE).text() : null;
        if (bare || methods.isEmpty()) {
            Map<String, AcceptanceForm> read = read(node, workload, methods);
            forms.putAll(read);
            read.forEach((key, form) -> note(key, form, node, common));
        }
        for (String key : methods) {
            Node own = node.at(key);
            if (rejected && !own.isMap()) {
                continue;
            }
            Map<String, AcceptanceForm> read = read(own, workload, List.of());
            AcceptanceForm form = read.getOrDefault(key, read.get(Workload.BARE));
            if (form == null) {
                throw own.refuse("the acceptance file has nothing for " + key + " on workload " + workload + "; it has "
                        + read.keySet());
            }
            forms.put(key, form);
            note(key, form, own, common);
        }
        if (rejected) {
            throw node.rejected();
        }
        return forms;
    }

    private void note(String key, AcceptanceForm form, Node node, String common) {
        String own = node.entries().containsKey(SOURCE) ? node.at(SOURCE).text() : common;
        String file = node.entries().containsKey(FILE)
                ? "file " + node.at(FILE).text()
                : node.entries().containsKey(TRACE) ? "trace " + node.at(TRACE).text() : null;
        String source = own == null ? file : file == null ? own : file + ": " + own;
        given.add(new Given(key, form, source, node.file() + ":" + node.line(), file));
    }

    /** One form; a file may give several, by method. */
    private Map<String, AcceptanceForm> read(Node node, String workload, List<String> otherKeys) {
        Fields fields = node.fields();
        for (String key : otherKeys) {
            fields.optional(key, n -> n);
        }
        fields.optional(SOURCE, Node::text);
        Field<Map<String, AcceptanceForm>> file =
                fields.optional(FILE, n -> resources.acceptanceFiles().read(existing(n), workload));
        Field<AcceptanceForm> trace =
                fields.optional(TRACE, n -> resources.traces().read(existing(n)));
        Field<AcceptanceForm> form = FormReader.read(fields);
        return fields.build(() -> {
            List<String> given =
                    FORMS.stream().filter(f -> node.entries().containsKey(f)).toList();
            if (given.size() != 1) {
                throw new IllegalArgumentException(
                        given.isEmpty()
                                ? "needs one of " + String.join(", ", FORMS)
                                : "holds several forms, " + String.join(" and ", given) + "; give one");
            }
            if (file.present()) {
                return file.get();
            }
            return Map.of(Workload.BARE, trace.present() ? trace.get() : form.get());
        });
    }

    private Path existing(Node node) {
        Path path = resolve.apply(node.text());
        if (!Files.isRegularFile(path)) {
            throw node.refuse("no such file: " + node.describe());
        }
        return path;
    }

    static ForcedAcceptance forced(Node node) {
        Fields fields = node.fields();
        Field<String> law = fields.required("law", n -> n.oneOf(List.of("sglang", "per-request")));
        Field<Double> length = fields.optional("accept_length", Node::number);
        Field<List<Double>> rates = fields.optional("rates", n -> n.nonEmptyList(Node::probability));
        return fields.build(() -> {
            boolean sglang = law.get().equals("sglang");
            if (sglang ? !length.present() : !rates.present()) {
                throw new IllegalArgumentException(
                        "law " + law.get() + " needs " + (sglang ? "accept_length" : "rates"));
            }
            if (sglang ? rates.present() : length.present()) {
                throw new IllegalArgumentException(
                        "law " + law.get() + " has no " + (sglang ? "rates" : "accept_length"));
            }
            return sglang ? new ForcedAcceptance.Sglang(length.get()) : new ForcedAcceptance.PerRequest(rates.get());
        });
    }
}
