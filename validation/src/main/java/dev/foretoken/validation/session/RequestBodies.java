package dev.foretoken.validation.session;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.foretoken.validation.client.Api;
import dev.foretoken.validation.client.PlannedRequest;
import dev.foretoken.validation.client.RequestOptions;
import dev.foretoken.validation.server.EngineAdapter;

/** JSON of completion requests. */
final class RequestBodies {
    private RequestBodies() {}

    static ObjectNode body(String model, EngineAdapter fields, RequestOptions o, PlannedRequest r) {
        ObjectNode b = JsonNodeFactory.instance.objectNode();
        b.put("model", model);
        if (o.api() == Api.CHAT) {
            b.putArray("messages").addObject().put("role", "user").put("content", r.prompt());
        } else {
            b.put("prompt", r.prompt());
        }
        b.put("max_tokens", r.maxTokens());
        b.put("temperature", o.temperature());
        if (o.temperature() > 0) {
            b.put("seed", (int) ((o.seed() + r.index()) & Integer.MAX_VALUE));
        }
        b.put("stream", true);
        fields.decorate(b, o);
        return b;
    }
}
