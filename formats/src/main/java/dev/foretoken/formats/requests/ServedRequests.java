package dev.foretoken.formats.requests;

import dev.foretoken.sim.serving.EngineListener;
import dev.foretoken.sim.serving.ServedRequest;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.function.Consumer;

/** Per-request table of a simulated run, in order of completion. Requests that count in no figure are left out. */
public final class ServedRequests {
    private ServedRequests() {}

    /**
     * Writes a run's requests as a stream.
     *
     * @param run simulates, with the listener that it is given
     */
    public static void write(Path path, Consumer<EngineListener> run) throws IOException {
        try {
            RequestsFile.write(
                    path,
                    rows -> run.accept(new EngineListener() {
                        @Override
                        public void completed(ServedRequest request) {
                            if (!request.partial()) {
                                try {
                                    rows.add(row(request));
                                } catch (IOException e) {
                                    throw new UncheckedIOException(e);
                                }
                            }
                        }
                    }));
        } catch (UncheckedIOException e) {
            throw e.getCause();
        }
    }

    static RequestRow row(ServedRequest r) {
        return new RequestRow(
                r.arrivalNs() / 1e9,
                r.isl(),
                r.osl(),
                r.workload(),
                r.queueMs(),
                r.ttftMs(),
                r.osl() > 1 ? r.tpotMs() : null,
                r.e2eMs(),
                r.rounds(),
                r.accepted());
    }
}
