package dev.foretoken.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import com.fasterxml.jackson.databind.JsonNode;
import com.networknt.schema.JsonSchema;
import com.networknt.schema.JsonSchemaFactory;
import com.networknt.schema.SpecVersion;
import com.networknt.schema.ValidationMessage;
import dev.foretoken.formats.json.Json;
import dev.foretoken.formats.schema.Schemas;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;

/** Holds what commands write against the schemas that ship. */
final class SchemaCheck {
    private SchemaCheck() {}

    private static JsonSchema schema(String name) {
        return JsonSchemaFactory.getInstance(SpecVersion.VersionFlag.V202012).getSchema(Schemas.text(name));
    }

    /** A document. */
    static void document(String name, JsonNode value) {
        assertEquals("foretoken/" + name + "/1", value.path("schema").asText());
        assertEquals(Set.of(), Set.<ValidationMessage>copyOf(schema(name).validate(value)), name);
    }

    static void file(String name, Path file) throws IOException {
        document(name, Json.mapper().readTree(file.toFile()));
    }

    /** Every line of JSON Lines. */
    static void lines(String name, Path file) throws IOException {
        JsonSchema schema = schema(name);
        List<String> lines = Files.readAllLines(file);
        assertFalse(lines.isEmpty(), file.toString());
        for (String line : lines) {
            assertEquals(
                    Set.of(),
                    Set.<ValidationMessage>copyOf(schema.validate(Json.mapper().readTree(line))),
                    line);
        }
    }
}
