package dev.foretoken.cli.live;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.foretoken.calibration.host.ForcedSpeculation;
import dev.foretoken.calibration.host.ForcedSpeculation.Kind;
import dev.foretoken.calibration.host.LoopLoad;
import dev.foretoken.calibration.host.RunCost;
import dev.foretoken.validation.testserver.LlamaKit;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * The real server drafts as the loop's simulation says, to the token: with forced rates of 0 and 1 every round is known. Times
 * are not tested here.
 */
@Tag("llama")
class LlamaTimedServerTest {
    /** The first token comes with the prompt, sixteen by rounds. */
    private static final int OUTPUT = 17;

    private static LlamaKit kit;

    @BeforeAll
    static void kit() throws IOException, InterruptedException {
        kit = new LlamaKit(Path.of(System.getProperty("foretoken.root", "..")));
        kit.installIfAsked(System.out::println);
        Assumptions.assumeTrue(
                kit.present(),
                "no llama.cpp kit here: ./foretoken test or ./foretoken demo --live-cpu installs it (200 MB from PyPI)");
    }

    private static RunCost run(ForcedSpeculation s, LoopLoad load) throws IOException, InterruptedException {
        RunCost cost =
                new LlamaTimedServer(kit).run(s, List.of(load), (l, c) -> {}).get(0);
        assertTrue(cost.cpuSeconds() > 0 && cost.wallSeconds() > 0);
        assertTrue(cost.promptTokens() > 40 && cost.promptTokens() < 200, cost.toString());
        return cost;
    }

    @Test
    void refusedNgramDraftsFireInEveryRound() throws Exception {
        // 16 left down to 4: 13 rounds of 3 drafts; then 2, 1 and 0, cut by the end of the answer
        RunCost cost = run(ForcedSpeculation.refused(Kind.NGRAM, 3), new LoopLoad(1, 2, OUTPUT));
        assertEquals(2 * (13 * 3 + 2 + 1), cost.draftTokens());
        assertEquals(0, cost.acceptedTokens());
    }

    @Test
    void certainNgramDraftsAreAllAccepted() throws Exception {
        // 4 drafts and a token twice: 10 of 16; 4 and a token: 15; one token is left
        RunCost cost = run(ForcedSpeculation.geometric(Kind.NGRAM, 4, 1), new LoopLoad(2, 4, OUTPUT));
        assertEquals(4 * 3 * 4, cost.draftTokens());
        assertEquals(cost.draftTokens(), cost.acceptedTokens());
    }

    @Test
    void aDraftModelDraftsForEveryRequest() throws Exception {
        // 16 left down to 3: 14 rounds of 2 drafts; then 1 and 0
        RunCost cost = run(ForcedSpeculation.refused(Kind.DRAFT_MODEL, 2), new LoopLoad(2, 2, OUTPUT));
        assertEquals(2 * (14 * 2 + 1), cost.draftTokens());
        assertEquals(0, cost.acceptedTokens());
    }
}
