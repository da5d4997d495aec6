package dev.foretoken.cli;

import dev.foretoken.validation.client.ApiKey;
import dev.foretoken.validation.client.Endpoint;
import dev.foretoken.validation.session.EndpointSession;
import dev.foretoken.validation.session.PromptBook;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.function.Consumer;
import picocli.CommandLine.Option;

/** Options of commands that drive a live endpoint. */
final class EndpointOptions {
    @Option(
            names = "--model",
            paramLabel = "NAME",
            description = "model to ask the server for (default: the first it lists)")
    private String model;

    @Option(
            names = "--api-key-file",
            paramLabel = "FILE",
            description = "file with the API key (default: the variable " + ApiKey.VARIABLE + ")")
    private Path keyFile;

    @Option(
            names = "--wait",
            paramLabel = "S",
            defaultValue = "5",
            description = "seconds to wait for a server that is loading (default: ${DEFAULT-VALUE})")
    private long waitS;

    @Option(
            names = "--idle",
            paramLabel = "S",
            defaultValue = "120",
            description = "seconds of silence after which a stream is given up (default: ${DEFAULT-VALUE})")
    private long idleS;

    @Option(
            names = "--prompts",
            paramLabel = "FILE",
            description =
                    "prompts to use: JSON Lines with prompt or text, or one prompt a line (default: bundled ones)")
    private Path prompts;

    /** The model that was named; null when none was. */
    String model() {
        return model;
    }

    /** Opens a session; the caller closes it. */
    EndpointSession open(String url, Consumer<String> progress) {
        if (waitS < 0 || idleS < 1) {
            throw new UserError("--wait must be at least 0 and --idle at least 1 second: " + waitS + ", " + idleS);
        }
        Endpoint endpoint;
        try {
            endpoint = Endpoint.of(url, model, ApiKey.find(System.getenv(), keyFile));
        } catch (IllegalArgumentException e) {
            throw new UserError(e.getMessage());
        }
        return EndpointSession.open(
                endpoint, new EndpointSession.Limits(Duration.ofSeconds(waitS), Duration.ofSeconds(idleS)), progress);
    }

    PromptBook prompts() throws IOException {
        try {
            return prompts == null ? PromptBook.bundled() : PromptBook.of(prompts);
        } catch (IllegalArgumentException e) {
            throw new UserError(e.getMessage());
        }
    }
}
