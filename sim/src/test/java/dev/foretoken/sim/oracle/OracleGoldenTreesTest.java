package dev.foretoken.sim.oracle;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.foretoken.sim.tree.BestFirst;
import dev.foretoken.sim.tree.DraftTree;
import dev.foretoken.sim.tree.RankPaths;
import dev.foretoken.sim.tree.RankScores;
import dev.foretoken.sim.tree.TreeOptions;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Golden DDTree builds: nodes in order of insertion, with and without chain seed, and mean tokens. Reads the file named by the
 * system property {@code golden}, the project's own copy by default.
 */
class OracleGoldenTreesTest {

    static List<Arguments> cases() throws IOException {
        JsonNode root = new ObjectMapper().readTree(OracleFiles.read("golden", "ddtree_golden_vectors.json"));
        List<Arguments> cases = new ArrayList<>();
        int index = 0;
        for (JsonNode c : root.get("cases")) {
            cases.add(Arguments.of("case " + index++, c));
        }
        assertFalse(cases.isEmpty(), "no golden vectors");
        return cases;
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("cases")
    void buildsTheGoldenTree(String name, JsonNode c) {
        RankScores scores = scores(c);
        TreeOptions options = TreeOptions.budget(c.get("budget").asInt());
        DraftTree tree = BestFirst.build(scores, options);
        assertArrayEquals(paths(c.get("nodes")), RankPaths.of(tree), name);
        assertArrayEquals(RankPaths.firstBySorting(scores, options), RankPaths.of(tree), name);
        assertEquals(c.get("expected_tokens").asDouble(), tree.expectedTokens(scores), 1e-12);
        if (c.has("chain_seed_nodes")) {
            assertArrayEquals(
                    paths(c.get("chain_seed_nodes")),
                    RankPaths.of(BestFirst.build(scores, options.withChainSeed(true))),
                    name);
        }
    }

    private static RankScores scores(JsonNode c) {
        String base = c.path("log_base").asText("e");
        double[][] values = new double[c.get("log_probs").size()][];
        for (int d = 0; d < values.length; d++) {
            values[d] = doubles(c.get("log_probs").get(d));
        }
        return base.equals("e") ? RankScores.logProbs(values) : RankScores.logProbs(values, Double.parseDouble(base));
    }

    private static double[] doubles(JsonNode list) {
        double[] out = new double[list.size()];
        for (int i = 0; i < out.length; i++) {
            out[i] = list.get(i).asDouble();
        }
        return out;
    }

    private static int[][] paths(JsonNode nodes) {
        int[][] out = new int[nodes.size()][];
        for (int i = 0; i < out.length; i++) {
            out[i] = new int[nodes.get(i).size()];
            for (int j = 0; j < out[i].length; j++) {
                out[i][j] = nodes.get(i).get(j).asInt();
            }
        }
        return out;
    }
}
