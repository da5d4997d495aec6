package dev.foretoken.validation.session;

import dev.foretoken.validation.client.Api;
import dev.foretoken.validation.server.EngineAdapter;
import dev.foretoken.validation.server.ServerSnapshot;
import java.util.List;

/**
 * What first contact found.
 *
 * @param model model name that requests ask for
 * @param adapter engine
 * @param fields adapter whose request fields the server takes: the engine's, or the generic one when it refused them
 * @param snapshot state at first contact
 * @param api route that answers
 * @param charsPerToken characters of prompt per token, from the usage of the tiny completion; 4 when it says nothing
 * @param notes what to know, each a sentence
 */
public record ProbedEndpoint(
        String model,
        EngineAdapter adapter,
        EngineAdapter fields,
        ServerSnapshot snapshot,
        Api api,
        double charsPerToken,
        List<String> notes) {

    /** Engine and version for headers and tables. */
    public String engine() {
        return snapshot.version() == null ? adapter.id() : adapter.id() + " " + snapshot.version();
    }
}
