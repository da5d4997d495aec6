package dev.foretoken.sim.tree;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import org.junit.jupiter.api.Test;

class BestFirstTest {
    private static final RankScores SCORES =
            RankScores.probabilities(new double[][] {{0.7, 0.2, 0.05}, {0.6, 0.25, 0.1}, {0.5, 0.3, 0.1}});

    @Test
    void mapsNodesToTokenIds() {
        DraftTree tree = BestFirst.build(SCORES, TreeOptions.budget(4));
        // order of picks: (0) .7, (0,0) .42, (0,0,0) .21, (1) .2
        assertArrayEquals(new int[] {11, 21, 31, 12}, tree.tokenIds(new int[][] {
            {11, 12, 13}, {21, 22, 23}, {31, 32, 33}
        }));
        assertArrayEquals(new int[] {2, 1, 1}, tree.nodesByDepth());
    }

    @Test
    void bonusesMoveTheTreeDeeperOrWider() {
        DraftTree plain = BestFirst.build(SCORES, TreeOptions.budget(4));
        DraftTree wide = BestFirst.build(SCORES, TreeOptions.budget(4).withBonus(0, 2));
        DraftTree deep = BestFirst.build(SCORES, TreeOptions.budget(4).withBonus(2, 0));
        assertTrue(wide.nodesByDepth()[0] > plain.nodesByDepth()[0]);
        assertTrue(deep.nodesByDepth()[2] > plain.nodesByDepth()[2]);
        // path probabilities carry no bonus
        assertEquals(0.7, wide.pathProbabilities(SCORES)[0], 1e-15);
    }

    @Test
    void refusesNonsense() {
        assertThrows(IllegalArgumentException.class, () -> TreeOptions.budget(-1));
        assertThrows(IllegalArgumentException.class, () -> TreeOptions.budget(1).withTopK(0));
        assertThrows(IllegalArgumentException.class, () -> TreeOptions.budget(1).withWidthProfile(List.of(-1)));
        assertThrows(IllegalArgumentException.class, () -> RankScores.probabilities(new double[][] {{0.2, 0.5}}));
        assertThrows(IllegalArgumentException.class, () -> RankScores.logProbs(new double[][] {{0.1}}));
        assertThrows(IllegalArgumentException.class, () -> RankScores.logProbs(new double[][] {{Double.NaN}}));
    }

    @Test
    void impossibleCandidatesKeepTheTieRule() {
        double never = Double.NEGATIVE_INFINITY;
        RankScores s = RankScores.logProbs(new double[][] {{0, never}, {never, never}});
        assertArrayEquals(
                new int[][] {{0}, {0, 0}, {0, 1}, {1}, {1, 0}, {1, 1}},
                RankPaths.of(BestFirst.build(s, TreeOptions.budget(10))));
    }
}
