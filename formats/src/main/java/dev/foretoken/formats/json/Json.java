package dev.foretoken.formats.json;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.StreamReadFeature;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.JsonSerializer;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.PropertyNamingStrategies;
import com.fasterxml.jackson.databind.SerializationFeature;
import com.fasterxml.jackson.databind.SerializerProvider;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.module.SimpleModule;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.TreeMap;

/**
 * JSON as this project writes and reads it: records in snake case, absent figures left out, unknown fields ignored. Numbers
 * round-trip; a NaN or infinity is refused when written, since absence is how unknown is said.
 */
public final class Json {
    private static final ObjectMapper MAPPER = JsonMapper.builder()
            .propertyNamingStrategy(new EveryCapital())
            .serializationInclusion(JsonInclude.Include.NON_NULL)
            .disable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES)
            .disable(SerializationFeature.FAIL_ON_EMPTY_BEANS)
            .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
            .addModule(new SimpleModule()
                    .addSerializer(Double.class, new FiniteNumber())
                    .addSerializer(double.class, new FiniteNumber()))
            .build();

    private Json() {}

    /** The shared mapper; do not reconfigure it. */
    public static ObjectMapper mapper() {
        return MAPPER;
    }

    /** Indented text of a value, with a final line end. */
    public static String pretty(Object value) {
        try {
            return MAPPER.writerWithDefaultPrettyPrinter().writeValueAsString(value) + "\n";
        } catch (JsonProcessingException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Canonical text: keys sorted, no spaces. */
    public static String canonical(Object value) {
        try {
            return MAPPER.writeValueAsString(sorted(MAPPER.valueToTree(value)));
        } catch (JsonProcessingException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** SHA-256 of the canonical text, lower-case hexadecimal. */
    public static String hash(Object value) {
        try {
            byte[] digest =
                    MessageDigest.getInstance("SHA-256").digest(canonical(value).getBytes(StandardCharsets.UTF_8));
            return HexFormat.of().formatHex(digest);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java platform has SHA-256", e);
        }
    }

    private static JsonNode sorted(JsonNode node) {
        if (node.isObject()) {
            TreeMap<String, JsonNode> keys = new TreeMap<>();
            node.fields().forEachRemaining(f -> keys.put(f.getKey(), sorted(f.getValue())));
            ObjectNode out = MAPPER.createObjectNode();
            keys.forEach(out::set);
            return out;
        }
        if (node.isArray()) {
            ArrayNode out = MAPPER.createArrayNode();
            node.forEach(n -> out.add(sorted(n)));
            return out;
        }
        return node;
    }

    /** Snake case with a line before every capital, one-letter words too: outputTokSPerGpu is output_tok_s_per_gpu. */
    private static final class EveryCapital extends PropertyNamingStrategies.NamingBase {
        private static final long serialVersionUID = 1L;

        @Override
        public String translate(String name) {
            StringBuilder snake = new StringBuilder(name.length() + 8);
            for (int i = 0; i < name.length(); i++) {
                char c = name.charAt(i);
                if (Character.isUpperCase(c) && i > 0) {
                    snake.append('_');
                }
                snake.append(Character.toLowerCase(c));
            }
            return snake.toString();
        }
    }

    /** Refuses what JSON has no number for. */
    private static final class FiniteNumber extends JsonSerializer<Double> {
        @Override
        public void serialize(Double value, JsonGenerator out, SerializerProvider provider) throws IOException {
            if (!Double.isFinite(value)) {
                throw new IllegalArgumentException("a figure is not finite: " + value + " at "
                        + out.getOutputContext().pathAsPointer());
            }
            out.writeNumber(value);
        }
    }
}
