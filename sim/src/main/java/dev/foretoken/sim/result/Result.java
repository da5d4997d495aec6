package dev.foretoken.sim.result;

import java.util.List;

/**
 * What explore and simulate return: foretoken/result/1.
 *
 * @param schema format and major version
 * @param version of the program
 * @param scenario the scenario's name
 * @param scenarioHash SHA-256 of the effective scenario's canonical JSON
 * @param seed base of the random streams
 * @param engine "analytical" or "simulation"
 * @param points the grid
 * @param best best arm per workload and load
 * @param switchTable best arm per workload, TP and closed-loop concurrency
 * @param crossovers where each method stops paying
 * @param goodput largest load per method that meets the limits; empty without limits
 * @param layouts all cards as equal replicas, by TP, for the same clients in all; empty with one TP
 * @param basis what the figures rest on: round times, links, acceptance and their sources, each a sentence
 * @param warnings what the user should know, each a sentence
 */
public record Result(
        String schema,
        String version,
        String scenario,
        String scenarioHash,
        long seed,
        String engine,
        List<Point> points,
        List<Best> best,
        List<Switch> switchTable,
        List<Crossover> crossovers,
        List<Goodput> goodput,
        List<Layout> layouts,
        List<String> basis,
        List<String> warnings) {
    public static final String SCHEMA = "foretoken/result/1";
    public static final String ANALYTICAL = "analytical";
    public static final String SIMULATION = "simulation";

    public Result {
        points = List.copyOf(points);
        best = List.copyOf(best);
        switchTable = List.copyOf(switchTable);
        crossovers = List.copyOf(crossovers);
        goodput = List.copyOf(goodput);
        layouts = layouts == null ? List.of() : List.copyOf(layouts); // as basis
        basis = basis == null ? List.of() : List.copyOf(basis); // results of the first releases have none
        warnings = List.copyOf(warnings);
    }

    /** The same with other best arms and what it rests on. */
    public Result with(List<Best> arms, List<String> sentences) {
        return new Result(
                schema,
                version,
                scenario,
                scenarioHash,
                seed,
                engine,
                points,
                arms,
                switchTable,
                crossovers,
                goodput,
                layouts,
                sentences,
                warnings);
    }
}
