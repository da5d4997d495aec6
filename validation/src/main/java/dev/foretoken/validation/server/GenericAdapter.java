package dev.foretoken.validation.server;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.foretoken.validation.client.RequestOptions;
import java.util.List;
import java.util.Optional;

/** Any other OpenAI-compatible server: only standard fields are sent, nothing is known of its inside. */
final class GenericAdapter implements EngineAdapter {
    @Override
    public String id() {
        return "unknown";
    }

    @Override
    public boolean recognises(ServerPages pages) {
        return true;
    }

    @Override
    public ServerSnapshot snapshot(ServerPages pages) {
        ServerSnapshot.Builder b = ServerSnapshot.of(id());
        b.model = Pages.text(pages.json("/v1/models").path("data").path(0).path("id"));
        return b.build();
    }

    @Override
    public void decorate(ObjectNode body, RequestOptions o) {
        body.putObject("stream_options").put("include_usage", true);
    }

    @Override
    public Optional<String> flushRoute() {
        return Optional.empty();
    }

    @Override
    public List<String> forcingSwitch(ForcedDrafts f) {
        return List.of("no known switch forces acceptance on this engine");
    }
}
