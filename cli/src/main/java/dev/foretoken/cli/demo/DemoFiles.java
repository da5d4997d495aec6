package dev.foretoken.cli.demo;

import dev.foretoken.formats.cases.CasesFile;
import dev.foretoken.formats.cases.MeasuredCase;
import dev.foretoken.formats.catalogue.CatalogueFiles;
import dev.foretoken.formats.io.CsvRows;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;

/** The files under {@code scenarios/demo}, as they ship. */
public final class DemoFiles {
    /** Scenarios of the public servers. */
    public static final List<String> SERVERS =
            ServerSweep.SERVERS.stream().map(ServerSweep.Server::id).toList();

    /** Scenario of the founding case. */
    public static final String FOUNDING = "founding";

    private static final String FOLDER = "demo";

    private DemoFiles() {}

    /** Every scenario of the demo. */
    public static List<String> scenarios() {
        List<String> all = new ArrayList<>(SERVERS);
        all.add(FOUNDING);
        return all;
    }

    /** Text of a scenario. */
    public static byte[] scenario(String id) {
        try (InputStream in = open(id, ".yaml")) {
            return in.readAllBytes();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** What the servers measured. */
    public static List<MeasuredCase> measured() {
        try (InputStream in = open("measured", ".csv")) {
            return CasesFile.read("measured.csv", in).cases();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Where the acceptance of the founding case comes from. */
    static List<StandIn> standIns() {
        List<StandIn> all = new ArrayList<>();
        try (InputStream in = open("stand-ins", ".csv");
                CsvRows rows = CsvRows.open(
                        "stand-ins.csv",
                        in,
                        List.of("workload", "methods", "figure", "measured_on", "leaning", "source"))) {
            while (rows.hasNext()) {
                CsvRows.Row row = rows.next();
                all.add(new StandIn(
                        row.text("workload"),
                        row.text("methods"),
                        row.text("figure"),
                        row.text("measured_on"),
                        row.text("leaning"),
                        row.text("source")));
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return all;
    }

    private static InputStream open(String id, String ending) throws IOException {
        return CatalogueFiles.bundled()
                .find(FOLDER, id, List.of(ending))
                .orElseThrow(() -> new IOException("the demo's file " + id + ending + " is not in this build"))
                .open();
    }
}
