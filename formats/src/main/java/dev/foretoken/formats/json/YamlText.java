package dev.foretoken.formats.json;

import com.fasterxml.jackson.core.type.TypeReference;
import java.util.LinkedHashMap;
import java.util.Map;
import org.yaml.snakeyaml.DumperOptions;
import org.yaml.snakeyaml.Yaml;

/** YAML as this project writes it: what {@link Json} would write, in block style. */
public final class YamlText {
    private YamlText() {}

    /** The text of a record or map. */
    public static String of(Object value) {
        Map<String, Object> tree =
                Json.mapper().convertValue(value, new TypeReference<LinkedHashMap<String, Object>>() {});
        DumperOptions options = new DumperOptions();
        options.setDefaultFlowStyle(DumperOptions.FlowStyle.BLOCK);
        options.setIndicatorIndent(2);
        options.setIndentWithIndicator(true);
        options.setSplitLines(false);
        return new Yaml(options).dump(tree);
    }
}
