package dev.foretoken.validation.backtest;

import com.fasterxml.jackson.annotation.JsonInclude;
import dev.foretoken.validation.compare.ErrorSummary;
import java.util.List;
import java.util.Map;

/**
 * What backtest says: {@code foretoken/backtest/1}.
 *
 * @param schema format and major version
 * @param rowsRead rows of the file
 * @param autoregressive rows of autoregressive decoding, which are given and not predicted
 * @param predictions one per row and way
 * @param unpredicted rows that no way predicts, by reason
 * @param ways errors per way: of all covered rows, and of extrapolated ones apart
 * @param sources errors per source and way
 * @param signs wins and losses beyond 10 %
 * @param whiteBox rows whose card and model have timings: predicted without anything fitted
 * @param leftOut rows that could not be read
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
public record BacktestReport(
        String schema,
        int rowsRead,
        int autoregressive,
        List<Prediction> predictions,
        List<Unpredicted> unpredicted,
        Map<Way, Errors> ways,
        List<SourceErrors> sources,
        Map<Way, Signs> signs,
        WhiteBox whiteBox,
        List<String> leftOut) {
    public static final String SCHEMA = "foretoken/backtest/1";

    /** How a row is predicted. */
    public enum Way {
        /** From the source's autoregressive rows, all its speculative rows fitted: in sample. */
        IN_SAMPLE,
        /** The row itself left out: out of sample. */
        LEAVE_POINT_OUT,
        /** Every row of the arm (method and parameters) left out: out of sample. */
        LEAVE_METHOD_OUT
    }

    /**
     * One prediction.
     *
     * @param caseId row
     * @param sourceGroup source
     * @param way how
     * @param metric figure
     * @param predicted in the metric's unit
     * @param measured in the metric's unit
     * @param errorPercent predicted speed / measured speed - 1, percent: positive = predicted too fast
     * @param extrapolated rows outside the autoregressive sweep (or lengths outside those fitted)
     * @param measuredRatio measured speed over autoregressive speed, null without a baseline at the same load
     * @param predictedRatio predicted speed over measured autoregressive speed
     * @param remark for misses above 20 %: the explanation, or that there is none
     */
    @JsonInclude(JsonInclude.Include.NON_NULL)
    public record Prediction(
            String caseId,
            String sourceGroup,
            Way way,
            String metric,
            double predicted,
            double measured,
            double errorPercent,
            boolean extrapolated,
            Double measuredRatio,
            Double predictedRatio,
            String remark) {}

    /** Row that is not predicted. */
    public record Unpredicted(String caseId, String sourceGroup, Way way, String reason) {}

    /** Errors of covered and of extrapolated rows, null where there are none. */
    @JsonInclude(JsonInclude.Include.NON_NULL)
    public record Errors(ErrorSummary covered, ErrorSummary extrapolated) {}

    /**
     * Errors of one source.
     *
     * @param rankAgreement mean Kendall tau-b over its groups of at least three arms at one load, null if none
     */
    @JsonInclude(JsonInclude.Include.NON_NULL)
    public record SourceErrors(String sourceGroup, Way way, Errors errors, Double rankAgreement) {}

    /**
     * Wins and losses against autoregressive decoding beyond 10 %, out of sample or in.
     *
     * @param wins rows measured more than 10 % faster
     * @param winsRight of them predicted faster
     * @param losses rows measured more than 10 % slower
     * @param lossesRight of them predicted slower
     */
    public record Signs(int wins, int winsRight, int losses, int lossesRight) {}

    /**
     * Predictions from kernel timings.
     *
     * @param rows one per predicted row, autoregressive ones too
     * @param autoregressive errors of autoregressive rows, null if none
     * @param speculative errors of speculative rows, null if none
     * @param speedups errors of predicted over measured speed-up, null if none
     * @param signs wins and losses, both arms predicted
     * @param notPredicted rows without a prediction by reason
     */
    @JsonInclude(JsonInclude.Include.NON_NULL)
    public record WhiteBox(
            List<WhiteBoxRow> rows,
            ErrorSummary autoregressive,
            ErrorSummary speculative,
            ErrorSummary speedups,
            Signs signs,
            Map<String, Integer> notPredicted) {}

    /**
     * One row predicted from kernel timings.
     *
     * @param caseId row
     * @param sourceGroup source
     * @param arm method and parameters
     * @param speculative whether it drafts
     * @param predicted speed in the metric's unit
     * @param measured speed in the metric's unit
     * @param errorPercent predicted / measured - 1, percent
     * @param measuredRatio measured speed over autoregressive speed, null without a baseline at the same load
     * @param predictedRatio predicted speed over predicted autoregressive speed
     * @param assumptions what the row does not state
     */
    @JsonInclude(JsonInclude.Include.NON_NULL)
    public record WhiteBoxRow(
            String caseId,
            String sourceGroup,
            String arm,
            boolean speculative,
            double predicted,
            double measured,
            double errorPercent,
            Double measuredRatio,
            Double predictedRatio,
            List<String> assumptions) {}
}
