package dev.foretoken.sim.explore;

import dev.foretoken.sim.method.Arm;
import dev.foretoken.sim.scenario.EngineSettings;
import dev.foretoken.sim.scenario.Scenario;

/** Launch flags of an engine for an arm. */
public interface LaunchFlags {
    /** No engine is known. */
    LaunchFlags NONE = (scenario, arm, engine, tp) -> null;

    /**
     * The command that starts a server.
     *
     * @param engine effective flags of the arm
     * @return null when the engine does not run the arm's kind
     */
    String of(Scenario scenario, Arm arm, EngineSettings engine, int tp);
}
