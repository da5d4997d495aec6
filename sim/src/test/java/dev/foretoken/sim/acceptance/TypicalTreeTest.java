package dev.foretoken.sim.acceptance;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.Arrays;
import org.junit.jupiter.api.Test;

class TypicalTreeTest {
    /** Without a latent state every round is the typical one, so the tree's mean is the law's. */
    private static final AcceptanceForm.Srt EVEN = AcceptanceForm.Srt.of(1.2, 0.1, -0.5, 0, 0.32, 0.64, 15, 8);

    @Test
    void reachAddsUpToTheAcceptLength() {
        for (Design design : new Design[] {
            new Design.Tree(15, 8, 32, false),
            new Design.Tree(15, 4, 22, true),
            new Design.Tree(15, 8, 32, false, 1.0),
            new Design.Eagle(5, 8, 32),
            new Design.Chain(7)
        }) {
            TypicalTree typical = TypicalTree.of(EVEN, design);
            double mean = 1 + Arrays.stream(typical.reach()).sum();
            assertEquals(Laws.of(EVEN, design).central().acceptLength(), mean, 1e-12, design.toString());
        }
    }

    @Test
    void aChainKeepsItsSurvival() {
        double[] survival = {0.8, 0.56, 0.35};
        TypicalTree chain = TypicalTree.chain(survival);
        assertArrayEquals(survival, chain.reach(), 1e-15);
        assertEquals(1, chain.tree().parent(2));
    }

    @Test
    void costAwareTreesHaveNoBudgetOfTheirOwn() {
        assertThrows(
                IllegalArgumentException.class,
                () -> TypicalTree.of(EVEN, new Design.CostAware(15, 8, 64, false, b -> 20 + 0.1 * b)));
    }
}
