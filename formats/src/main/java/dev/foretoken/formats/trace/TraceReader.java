package dev.foretoken.formats.trace;

import dev.foretoken.formats.io.Skipped;
import java.io.Closeable;

/** Rows of one trace in the order of the file. */
public interface TraceReader extends Closeable {

    /**
     * The next usable row; null at the end. Rows that cannot be used are added to {@link #skipped}.
     *
     * @throws dev.foretoken.formats.document.DocumentError when the file cannot be read on
     */
    Row next();

    /** What was left out so far. */
    Skipped skipped();

    @Override
    void close();

    /**
     * One request as the file has it.
     *
     * @param line line in the file
     * @param arrivalS arrival, seconds since an origin of the format's own
     * @param isl prompt tokens
     * @param osl output tokens
     * @param workload id of its workload; null when unknown
     * @param cachedTokens prompt tokens found in the prefix cache; null when unknown
     */
    record Row(long line, double arrivalS, int isl, int osl, String workload, Integer cachedTokens) {
        /** Largest number of tokens that a row may carry: beyond it a value is taken for damage. */
        static final int MAX_TOKENS = 10_000_000;

        /** Why a row with these values cannot be used; null when it can. */
        static String problem(double arrivalS, double isl, double osl) {
            if (!Double.isFinite(arrivalS)) {
                return "has no usable arrival";
            }
            if (!(isl >= 1 && isl <= MAX_TOKENS && isl == Math.rint(isl))) {
                return "has no usable number of prompt tokens: " + isl;
            }
            if (osl == 0) {
                return "is a failed request: 0 output tokens";
            }
            if (!(osl >= 1 && osl <= MAX_TOKENS && osl == Math.rint(osl))) {
                return "has no usable number of output tokens: " + osl;
            }
            return null;
        }
    }
}
