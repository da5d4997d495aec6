package dev.foretoken.validation.backtest;

import com.fasterxml.jackson.databind.JsonNode;

/**
 * One public measurement: a row of {@code foretoken/cases/1}.
 *
 * @param line line of the file
 * @param id case id
 * @param sourceGroup rows of one source share it
 * @param source where the figure stands
 * @param gpu card
 * @param tp tensor parallel size as written, may be empty
 * @param model served model
 * @param dtype weight format
 * @param engine engine
 * @param version engine version, may be empty
 * @param method method name as the source writes it
 * @param params method parameters
 * @param dataset dataset or workload
 * @param isl prompt length as written, may be empty or a range
 * @param concurrency requests at once, null if not stated
 * @param metric name of the figure
 * @param value the figure; the middle of a range
 * @param range whether the source gives a range
 * @param acceptLength tokens per round as stated, null if not
 * @param note remarks
 */
public record CaseRow(
        long line,
        String id,
        String sourceGroup,
        String source,
        String gpu,
        String tp,
        String model,
        String dtype,
        String engine,
        String version,
        String method,
        JsonNode params,
        String dataset,
        String isl,
        Integer concurrency,
        String metric,
        double value,
        boolean range,
        Double acceptLength,
        String note) {

    /** Whether the row is autoregressive decoding. */
    public boolean autoregressive() {
        return method.equalsIgnoreCase("AR");
    }

    /** Rows that share hardware, model, engine and metric (total times: and dataset): one set of round times. */
    String family() {
        String perDataset = metric.contains("tok_s") || metric.equals("tpot") ? "" : dataset;
        return String.join("|", sourceGroup, gpu, tp, model, dtype, engine, version, isl, metric, perDataset);
    }

    /** One arm: method with its parameters. */
    String arm() {
        return method + " " + params;
    }
}
