package dev.foretoken.calibration.aiconfigurator;

/**
 * Rows of a table that were not taken over as they are, or that were and deserve a look.
 *
 * @param table path of the table
 * @param what which rows: dtype, kernel, shape
 * @param rows how many
 * @param action what was done with them
 * @param reason why
 */
public record Finding(String table, String what, int rows, Action action, String reason) {
    /** What becomes of rows. */
    public enum Action {
        /** Left out: the figures cannot be right. */
        REJECTED,
        /** Kept as measured, and marked here: the figures are not what serving would see. */
        SUSPICIOUS,
        /** Left out: right, but no model of this product uses them. */
        UNUSED
    }

    @Override
    public String toString() {
        return action.name().toLowerCase(java.util.Locale.ROOT) + ": " + table + ": " + what + " (" + rows
                + (rows == 1 ? " row): " : " rows): ") + reason;
    }
}
