package dev.foretoken.formats.cases;

import java.util.List;

/**
 * One public measurement. Text is as published; a component that is null was not stated or could not be read as a figure.
 *
 * @param line line of the file
 * @param caseId its id
 * @param source where it was published
 * @param date when
 * @param gpu card as the source calls it
 * @param numGpus cards in the machine
 * @param tp tensor-parallel size
 * @param interconnect between the cards
 * @param model as the source calls it
 * @param paramsTotalB parameters, billions
 * @param paramsActiveB parameters per token, billions
 * @param weightDtype format of the weights as published
 * @param kvDtype format of the KV cache as published
 * @param engine serving engine
 * @param engineVersion its version
 * @param method AR, MTP, DFlash, ...
 * @param methodParams parameters of the method, JSON as published
 * @param dataset what was asked
 * @param isl prompt tokens, as published ({@code <100} and the like included)
 * @param osl output tokens, as published
 * @param temperature of sampling
 * @param concurrency clients or requests at a time
 * @param metric what was measured
 * @param value the figure
 * @param unit of the value
 * @param acceptLength tokens per round, bonus included
 * @param acceptRate share of drafts accepted, as the source defines it
 * @param perPosition acceptance by position, JSON as published
 * @param note remarks
 * @param sourceGroup rows of one source that belong together
 * @param pairId joins arms that differ in the method only
 * @param quality A raw and complete, B a condition is missing, C second-hand
 */
public record MeasuredCase(
        int line,
        String caseId,
        String source,
        String date,
        String gpu,
        Integer numGpus,
        Integer tp,
        String interconnect,
        String model,
        Double paramsTotalB,
        Double paramsActiveB,
        String weightDtype,
        String kvDtype,
        String engine,
        String engineVersion,
        String method,
        String methodParams,
        String dataset,
        String isl,
        String osl,
        Double temperature,
        Integer concurrency,
        String metric,
        Figure value,
        String unit,
        Figure acceptLength,
        Figure acceptRate,
        String perPosition,
        String note,
        String sourceGroup,
        String pairId,
        String quality) {
    /** Columns in the order of the file. */
    public static final List<String> COLUMNS = List.of(
            "case_id",
            "source",
            "date",
            "gpu",
            "num_gpus",
            "tp",
            "interconnect",
            "model",
            "params_total_b",
            "params_active_b",
            "weight_dtype",
            "kv_dtype",
            "engine",
            "engine_version",
            "method",
            "method_params",
            "dataset_or_workload",
            "isl",
            "osl",
            "temperature",
            "concurrency",
            "metric",
            "value",
            "unit",
            "accept_len",
            "accept_rate",
            "per_pos_accept",
            "note",
            "source_group",
            "pair_id",
            "quality");

    /** Columns without which a row says nothing. */
    public static final List<String> REQUIRED = List.of("case_id", "method", "metric", "value", "unit");
}
