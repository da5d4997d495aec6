package dev.foretoken.calibration.acceptance;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.foretoken.sim.acceptance.Design;
import dev.foretoken.sim.acceptance.Laws;
import dev.foretoken.sim.tree.TreeOptions;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/**
 * Logged DDTree rounds of one drafter at two budgets (hxri/ddtreeplus@cfdb5f8): fitted at one, predicted at the other. The
 * column accepted_length holds tokens per round, 1 to 16.
 */
class LoggedTreesTest {
    private static final int DEPTH = 15;
    private static final int RANKS = 24;

    private static Evidence.RequestRounds at(int budget) throws IOException {
        Map<String, TreeMap<Integer, Integer>> rounds = new LinkedHashMap<>();
        for (Map<String, String> row : SharedData.rows("ddtreeplus_rounds.csv")) {
            if (row.get("clean").equals("yes") && Integer.parseInt(row.get("effective_budget")) == budget) {
                rounds.computeIfAbsent(row.get("sample_index"), k -> new TreeMap<>())
                        .put(Integer.parseInt(row.get("round_index")), (int)
                                Double.parseDouble(row.get("accepted_length")));
            }
        }
        List<Evidence.Request> requests = new ArrayList<>();
        rounds.forEach((id, tokens) -> requests.add(new Evidence.Request(
                id, tokens.values().stream().mapToInt(Integer::intValue).toArray())));
        return new Evidence.RequestRounds(new Design.Tree(DEPTH, TreeOptions.UNLIMITED, budget, false), requests);
    }

    @Test
    void fittedAtOneBudgetItPredictsTheOther() throws IOException {
        Evidence.RequestRounds small = at(64);
        Evidence.RequestRounds large = at(128);
        for (List<Evidence.RequestRounds> way : List.of(List.of(small, large), List.of(large, small))) {
            SrtFitter fitter = new SrtFitter(List.of(way.get(0)), DEPTH, RANKS);
            SrtFitter.Point best = fitter.fit();
            List<GoodnessOfFit.Row> rows = GoodnessOfFit.compare(best.form(), List.of(way.get(0)), List.of(way.get(1)));
            for (GoodnessOfFit.Row row : rows) {
                if (row.law().startsWith("srt")) {
                    assertTrue(Math.abs(row.relativeError()) <= 0.01, row.toString());
                    assertTrue(row.totalVariation() <= 0.05, row.toString());
                } else {
                    // every simpler law is less likely out of sample, and one that knows no budget misses the mean
                    assertTrue(row.logLikelihoodPerRound() < rows.get(0).logLikelihoodPerRound(), row.toString());
                    assertTrue(Math.abs(row.relativeError()) > 0.01, row.toString());
                }
            }
        }
    }

    @Test
    void bothBudgetsTogetherGiveOneDrafter() throws IOException {
        List<Evidence> evidence = List.of(at(64), at(128));
        SrtFitter.Point best = new SrtFitter(evidence, DEPTH, RANKS).fit();
        for (GoodnessOfFit.Row row : GoodnessOfFit.compare(best.form(), evidence, evidence)) {
            if (row.law().equals("srt")) {
                assertTrue(Math.abs(row.relativeError()) <= 0.005, row.toString());
                assertTrue(row.totalVariation() <= 0.03, row.toString());
            }
        }
        double kappa = best.form().kappa().value();
        assertTrue(kappa > 0.55 && kappa < 0.8, "kappa " + kappa);
        Dependence d = Dependence.of(List.of(at(64), at(128)), best.form());
        assertEquals(0.26, d.lag1(), 0.02);
        assertTrue(d.requestVarianceRatio() > 1.8 && d.requestVarianceRatio() < 2.6, d.toString());
        assertTrue(d.autocorrelation() > 0.3 && d.requestShare() > 0.03, d.toString());
        // the chain of the same drafter lies in the range of published fits
        double chain = Laws.of(best.form(), new Design.Chain(DEPTH)).central().acceptLength();
        assertTrue(chain > 6.7 && chain < 8.2, "chain " + chain);
    }
}
