package dev.foretoken.sim.oracle;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.io.StringReader;
import java.util.ArrayList;
import java.util.List;
import org.apache.commons.csv.CSVFormat;
import org.apache.commons.csv.CSVRecord;

/** One row of the file of expected figures. */
record OracleRow(
        String id, String formula, Inputs inputs, double[] expected, String check, double relTol, double absTol) {

    static List<OracleRow> all() throws IOException {
        return parse(OracleFiles.read("oracles", "oracles.csv"));
    }

    /** Rows at the edges of the formulas (nothing drafted, everything accepted, one client), worked out by hand. */
    static List<OracleRow> edges() throws IOException {
        return parse(OracleFiles.resource("oracle_edges.csv"));
    }

    private static List<OracleRow> parse(String csv) throws IOException {
        ObjectMapper json = new ObjectMapper();
        List<OracleRow> rows = new ArrayList<>();
        CSVFormat format = CSVFormat.DEFAULT
                .builder()
                .setHeader()
                .setSkipHeaderRecord(true)
                .get();
        for (CSVRecord r : format.parse(new StringReader(csv))) {
            rows.add(new OracleRow(
                    r.get("id"),
                    r.get("formula"),
                    new Inputs(json.readTree(r.get("inputs"))),
                    flat(json.readTree(r.get("expected"))),
                    r.get("check"),
                    number(r.get("rel_tol")),
                    number(r.get("abs_tol"))));
        }
        return rows;
    }

    private static double number(String cell) {
        return cell == null || cell.isBlank() ? 0 : Double.parseDouble(cell.trim());
    }

    private static double[] flat(JsonNode node) {
        return node.isArray() ? Inputs.doubles(node) : new double[] {node.asDouble()};
    }

    boolean stochastic() {
        return check.contains("stochastic");
    }

    @Override
    public String toString() {
        return id + " " + formula;
    }
}
