package dev.foretoken.report.page;

import dev.foretoken.formats.catalogue.Catalogue;
import dev.foretoken.formats.scenario.ScenarioFile;
import dev.foretoken.sim.result.Result;

/**
 * The model behind the page: the same reader and the same exploration as the command line's. Methods throw runtime exceptions
 * whose message a user can read when a scenario cannot be used; they are called by several threads.
 */
public interface WhatIfModel {

    /** Cards, models, drafters and engines. */
    Catalogue catalogue();

    /** True when kernel timings of a card under an engine are at hand, so that no round times need be given. */
    boolean hasProfile(String gpu, String engine);

    /** Reads a scenario's text. */
    ScenarioFile read(String name, String text);

    /** Explores its whole grid. */
    Result explore(ScenarioFile scenario);
}
