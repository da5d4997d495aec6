package dev.foretoken.validation.validate;

import com.fasterxml.jackson.annotation.JsonInclude;
import dev.foretoken.validation.compare.Cell;
import dev.foretoken.validation.compare.Equivalence;
import dev.foretoken.validation.compare.ErrorSummary;
import dev.foretoken.validation.compare.TermResidual;
import java.util.List;
import java.util.Map;

/**
 * What validate says: {@code foretoken/validation/1}.
 *
 * @param schema format and major version
 * @param scenario name of the scenario
 * @param scenarioHash its hash
 * @param verdict what the scenario's tolerance says of the figures, or that it says nothing
 * @param rows one per cell
 * @param stages errors by stage (A forced acceptance, B measured acceptance, C full prediction) and figure
 * @param residuals terms that explain the errors, largest first
 * @param rankings one per group of rivals with at least two measured arms
 * @param speedups predicted and measured speed-up over autoregressive decoding, where a baseline was measured
 * @param noiseFloorPercent median difference between repeated runs of a cell, null without repeats
 * @param outside figures outside the scenario's tolerance, each a sentence
 * @param warnings what a reader must know, each a sentence
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
public record ValidationReport(
        String schema,
        String scenario,
        String scenarioHash,
        String verdict,
        List<Row> rows,
        Map<String, Map<String, ErrorSummary>> stages,
        List<TermResidual> residuals,
        List<RankingRow> rankings,
        List<SpeedupRow> speedups,
        Double noiseFloorPercent,
        List<String> outside,
        List<String> warnings) {
    public static final String SCHEMA = "foretoken/validation/1";
    static final String NOT_JUDGED = "not judged";

    /**
     * One cell.
     *
     * @param cell what it is
     * @param runs measured runs
     * @param stage A when acceptance was forced, else C
     * @param figures by contract name
     * @param withMeasuredAcceptance predicted figures of stage B, null where it does not apply
     * @param equivalence verdict on throughput (TPOT in open loops)
     * @param extrapolated the prediction used a curve outside its knots
     * @param calibrated contract level of the prediction
     * @param notes of prediction and measurement
     */
    @JsonInclude(JsonInclude.Include.NON_NULL)
    public record Row(
            Cell cell,
            int runs,
            String stage,
            Map<String, FigureRow> figures,
            Map<String, Double> withMeasuredAcceptance,
            Equivalence equivalence,
            Boolean extrapolated,
            String calibrated,
            List<String> notes) {}

    /**
     * One figure of a cell.
     *
     * @param predicted by the model
     * @param measured mean over runs
     * @param errorPercent predicted / measured - 1, percent
     * @param measuredInterval 90 % bootstrap interval of the measured mean over runs, null with fewer than 3
     * @param predictedInterval of the model, null if none
     */
    @JsonInclude(JsonInclude.Include.NON_NULL)
    public record FigureRow(
            double predicted,
            double measured,
            double errorPercent,
            List<Double> measuredInterval,
            List<Double> predictedInterval) {}

    /**
     * Ranking of rivals.
     *
     * @param rivals tp, workload and load
     * @param arms measured arms
     * @param kendallTauB agreement, null where all tie
     * @param predictedBest arm predicted best
     * @param measuredBest arm measured best
     * @param regretPercent what following the prediction costs, percent of the best throughput
     */
    @JsonInclude(JsonInclude.Include.NON_NULL)
    public record RankingRow(
            String rivals,
            int arms,
            Double kendallTauB,
            String predictedBest,
            String measuredBest,
            double regretPercent) {}

    /**
     * Speed-up over autoregressive decoding.
     *
     * @param cell the speculative cell
     * @param predicted ratio
     * @param measured ratio
     * @param sameSign both say win, or both say loss
     */
    public record SpeedupRow(Cell cell, double predicted, double measured, boolean sameSign) {}

    /** Whether the scenario has a tolerance for a figure that was measured. */
    public boolean judged() {
        return !verdict.endsWith(NOT_JUDGED);
    }

    /** Whether every figure with a tolerance is inside it. */
    public boolean withinTolerance() {
        return outside.isEmpty();
    }
}
