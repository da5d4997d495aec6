package dev.foretoken.validation.session;

import dev.foretoken.validation.client.RunHeader;
import dev.foretoken.validation.client.RunResult;
import dev.foretoken.validation.measure.MeasuredAcceptance;
import dev.foretoken.validation.measure.RunMeasures;
import dev.foretoken.validation.server.ServerWindow;
import java.util.List;

/**
 * One run against an endpoint.
 *
 * @param header what was run
 * @param measures figures of the client
 * @param window what the server says of the same time
 * @param acceptance acceptance from the best source there is; null when the run does not speculate or nothing says it
 * @param segments the records
 * @param notes everything a reader must know
 */
public record RunOutcome(
        RunHeader header,
        RunMeasures measures,
        ServerWindow window,
        MeasuredAcceptance acceptance,
        List<RunResult> segments,
        List<String> notes) {}
