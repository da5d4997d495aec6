package dev.foretoken.validation.server;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.MissingNode;
import dev.foretoken.formats.prometheus.Scrape;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;

/** Pages of a server, fetched once each when first asked for. Missing pages are empty, never errors. */
public final class ServerPages {
    private static final JsonMapper MAPPER = JsonMapper.builder().build();

    /** Fetches a page: empty when the server has none or does not answer. */
    @FunctionalInterface
    public interface Fetcher {
        Optional<String> fetch(String path);
    }

    private final Fetcher fetcher;
    private final Map<String, Optional<String>> pages = new HashMap<>();

    public ServerPages(Fetcher fetcher) {
        this.fetcher = fetcher;
    }

    /** Text of a page. */
    public Optional<String> text(String path) {
        return pages.computeIfAbsent(path, fetcher::fetch);
    }

    /** JSON of a page; a missing node when there is none or it is not JSON. */
    public JsonNode json(String path) {
        Optional<String> text = text(path);
        if (text.isEmpty()) {
            return MissingNode.getInstance();
        }
        try {
            JsonNode node = MAPPER.readTree(text.get());
            return node == null ? MissingNode.getInstance() : node;
        } catch (JsonProcessingException e) {
            return MissingNode.getInstance();
        }
    }

    /** The /metrics page; empty when there is none. Damaged lines are left out. */
    public Scrape metrics() {
        return Scrape.parse(text("/metrics").orElse(""), (line, reason) -> {});
    }

    /** Owner of the first model in the list, empty if unknown. */
    public String owner() {
        return json("/v1/models").path("data").path(0).path("owned_by").asText("");
    }
}
