package dev.foretoken.formats.trace;

import java.nio.file.Path;
import java.time.DateTimeException;
import java.time.LocalDateTime;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;

/**
 * Azure's public traces of LLM inference (2023 and 2024): TIMESTAMP (a date and time, with or without offset; without one it
 * is taken as UTC), ContextTokens, GeneratedTokens.
 */
final class AzureTrace implements TraceFormat {
    private static final String TIME = "TIMESTAMP";
    private static final String ISL = "ContextTokens";
    private static final String OSL = "GeneratedTokens";
    private static final int DATE_LENGTH = 10;

    @Override
    public String name() {
        return "azure";
    }

    @Override
    public String summary() {
        return "Azure LLM inference CSV (TIMESTAMP, ContextTokens, GeneratedTokens)";
    }

    @Override
    public boolean recognises(String firstLine) {
        return firstLine.contains(ISL) && firstLine.contains(OSL);
    }

    @Override
    public TraceReader open(Path path) {
        return new CsvTrace(path, TIME, ISL, OSL, AzureTrace::seconds);
    }

    private static double seconds(String text) {
        try {
            String iso = text.length() > DATE_LENGTH && text.charAt(DATE_LENGTH) == ' '
                    ? text.substring(0, DATE_LENGTH) + 'T' + text.substring(DATE_LENGTH + 1)
                    : text;
            boolean offset =
                    iso.endsWith("Z") || iso.lastIndexOf('+') > DATE_LENGTH || iso.lastIndexOf('-') > DATE_LENGTH;
            OffsetDateTime at = offset
                    ? OffsetDateTime.parse(iso)
                    : LocalDateTime.parse(iso).atOffset(ZoneOffset.UTC);
            return at.toEpochSecond() + at.getNano() / 1e9;
        } catch (DateTimeException e) {
            return Double.NaN;
        }
    }
}
