package dev.foretoken.cli.demo;

import dev.foretoken.formats.cases.MeasuredCase;
import dev.foretoken.sim.result.Result;
import dev.foretoken.sim.round.RoundTimes;
import dev.foretoken.sim.scenario.Scenario;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;

/**
 * What the demo says.
 *
 * @param schema format and major version
 * @param version of the program
 * @param servers public servers, predicted beside measured
 * @param founding the founding case
 */
public record DemoReport(String schema, String version, List<ServerSweep> servers, FoundingCase founding) {
    public static final String SCHEMA = "foretoken/demo/1";

    public DemoReport {
        servers = List.copyOf(servers);
    }

    /**
     * Puts everything together.
     *
     * @param version of the program
     * @param results explore's result of a scenario by its id
     * @param founding scenario of the founding case
     * @param times its round times
     */
    public static DemoReport of(String version, Function<String, Result> results, Scenario founding, RoundTimes times) {
        List<MeasuredCase> measured = DemoFiles.measured();
        List<ServerSweep> servers = new ArrayList<>();
        for (ServerSweep.Server s : ServerSweep.SERVERS) {
            servers.add(ServerSweep.of(s, results.apply(s.id()), measured));
        }
        return new DemoReport(
                SCHEMA, version, servers, FoundingCase.of(founding, times, results.apply(DemoFiles.FOUNDING)));
    }
}
