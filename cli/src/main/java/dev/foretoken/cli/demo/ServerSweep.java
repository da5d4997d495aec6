package dev.foretoken.cli.demo;

import com.fasterxml.jackson.annotation.JsonValue;
import dev.foretoken.formats.cases.MeasuredCase;
import dev.foretoken.sim.result.Point;
import dev.foretoken.sim.result.Result;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;

/**
 * One public server: its speculative throughput predicted from the black box, beside what it measured.
 *
 * @param id scenario of the demo
 * @param name as results name it
 * @param fitted what was fitted on which point
 * @param comparisons speculative points, as measured and as predicted
 * @param predicted errors of points that were neither fitted nor extrapolated; null when there are none
 * @param extrapolated errors of points beyond the knots; null when there are none
 * @param picks best method and length per concurrency; empty where another sweep of the server answers that better
 * @param sources where the measurements were published
 */
record ServerSweep(
        String id,
        String name,
        String fitted,
        List<Comparison> comparisons,
        Errors predicted,
        Errors extrapolated,
        List<Pick> picks,
        List<String> sources) {

    /** How far a comparison says something about the model. */
    enum Use {
        PREDICTED("predicted"),
        IN_SAMPLE("in-sample"),
        EXTRAPOLATED("extrapolated"),
        NOT_COMPARABLE("not comparable");

        private final String label;

        Use(String label) {
            this.label = label;
        }

        @JsonValue
        String label() {
            return label;
        }
    }

    /**
     * A speculative point.
     *
     * @param caseId of the measurement
     * @param method the scenario's method
     * @param concurrency clients
     * @param rows query tokens of a round
     * @param acceptLength tokens per round used for the prediction: one per method, not that of the point
     * @param reportedAcceptLength what the server logged at this point; null where it did not
     * @param roundMs predicted round, ms
     * @param measuredTokS measured, tokens/s
     * @param predictedTokS the same figure predicted, tokens/s
     * @param error predicted / measured - 1
     * @param use how far it counts
     * @param note remark on the measurement; null for none
     */
    record Comparison(
            String caseId,
            String method,
            int concurrency,
            double rows,
            double acceptLength,
            Double reportedAcceptLength,
            double roundMs,
            double measuredTokS,
            double predictedTokS,
            double error,
            Use use,
            String note) {}

    /**
     * Errors of several points.
     *
     * @param n points
     * @param median median of |error|
     * @param worst error of the largest |error|, with its sign
     * @param low points predicted too low
     */
    record Errors(int n, double median, double worst, int low) {
        static Errors of(List<Double> errors) {
            if (errors.isEmpty()) {
                return null;
            }
            double[] sizes = errors.stream().mapToDouble(Math::abs).sorted().toArray();
            int half = sizes.length / 2;
            double median = sizes.length % 2 == 1 ? sizes[half] : (sizes[half - 1] + sizes[half]) / 2;
            double worst = errors.stream()
                    .max((a, b) -> Double.compare(Math.abs(a), Math.abs(b)))
                    .orElseThrow();
            return new Errors(sizes.length, median, worst, (int)
                    errors.stream().filter(e -> e < 0).count());
        }

        String text() {
            return String.format(
                    Locale.ROOT,
                    "%d %s, median error %.1f %%, worst %+.1f %%, %d too low",
                    n,
                    n == 1 ? "point" : "points",
                    100 * median,
                    100 * worst,
                    low);
        }
    }

    /**
     * A server of the demo.
     *
     * @param id its scenario
     * @param group its measurements
     * @param methods methods compared, empty for all
     * @param inSample measurements that the scenario's figures were fitted on
     * @param notComparable measurements whose figure means something else
     * @param choose whether its sweep is wide enough to choose a method by
     * @param fitted what was fitted
     */
    record Server(
            String id,
            String group,
            Set<String> methods,
            Set<String> inSample,
            Set<String> notComparable,
            boolean choose,
            String fitted) {}

    static final List<Server> SERVERS = List.of(
            new Server(
                    "rtx-pro-6000-qwen3.5-397b",
                    "rtx-pro-6000-qwen3.5-397b",
                    Set.of(),
                    Set.of("rtx6k-q397-vllm-247"),
                    Set.of(),
                    true,
                    "one figure is fitted, on one client: 4.85 ms for the two draft passes; the accept length is the"
                            + " server's own 2.82, logged once"),
            new Server(
                    "rtx-3090-qwen3.8-27b",
                    "rtx-3090-qwen3.8-27b",
                    Set.of(),
                    Set.of(),
                    Set.of("syv-3090-042"),
                    false,
                    "nothing is fitted, the draft counts as free; the accept lengths are the server's own at one client."
                            + " The autoregressive sweep ends at 8 rows, so one client is a prediction and the rest a"
                            + " warning: the card leaves its flat part right there"),
            new Server(
                    "rtx-3090-qwen3.8-27b-wide",
                    "rtx-3090-qwen3.8-27b",
                    Set.of("dflash2"),
                    Set.of(),
                    Set.of("syv-3090-042"),
                    true,
                    "the same server with MTP-4's rounds as knots above 8 rows: leaving one method out, DFlash2 is"
                            + " predicted from them. MTP-4's rounds hold four draft passes and DFlash2 needs one, so it"
                            + " comes out low"));

    /**
     * Puts the predictions of a result beside the measurements.
     *
     * @param result explore's, of the server's scenario
     * @param cases all measurements of the demo
     */
    static ServerSweep of(Server server, Result result, List<MeasuredCase> cases) {
        List<Comparison> all = new ArrayList<>();
        Set<String> sources = new LinkedHashSet<>();
        for (MeasuredCase c : cases) {
            if (!c.sourceGroup().equals(server.group())) {
                continue;
            }
            sources.add(c.source());
            if (c.method().equals("AR")
                    || !server.methods().isEmpty() && !server.methods().contains(c.pairId())) {
                continue;
            }
            all.add(compare(server, c, point(result, c)));
        }
        return new ServerSweep(
                server.id(),
                result.scenario(),
                server.fitted(),
                all,
                Errors.of(errors(all, Use.PREDICTED)),
                Errors.of(errors(all, Use.EXTRAPOLATED)),
                server.choose() ? Pick.of(result.points()) : List.of(),
                List.copyOf(sources));
    }

    private static List<Double> errors(List<Comparison> all, Use use) {
        return all.stream().filter(c -> c.use() == use).map(Comparison::error).toList();
    }

    private static Point point(Result result, MeasuredCase c) {
        return result.points().stream()
                .filter(p -> p.method().equals(c.pairId())
                        && p.feasible()
                        && c.concurrency().equals(p.load().concurrency()))
                .findFirst()
                .orElseThrow(() -> new IllegalStateException("no point of the demo answers " + c.caseId()));
    }

    private static Comparison compare(Server server, MeasuredCase c, Point p) {
        double measured = c.value().lo();
        // Rates given as clients / mean TPOT leave out prompt and first token; totals are what leaves the server.
        double predicted = c.metric().contains("TPOT")
                ? 1000 * c.concurrency() / p.tpotMs().mean()
                : p.outputTokS();
        Use use = server.notComparable().contains(c.caseId())
                ? Use.NOT_COMPARABLE
                : server.inSample().contains(c.caseId())
                        ? Use.IN_SAMPLE
                        : Boolean.TRUE.equals(p.extrapolated()) ? Use.EXTRAPOLATED : Use.PREDICTED;
        return new Comparison(
                c.caseId(),
                p.method(),
                c.concurrency(),
                p.rowsPerRound(),
                p.acceptLength(),
                c.acceptLength() == null ? null : c.acceptLength().lo(),
                p.roundMs(),
                measured,
                predicted,
                predicted / measured - 1,
                use,
                use == Use.NOT_COMPARABLE ? c.note() : null);
    }
}
