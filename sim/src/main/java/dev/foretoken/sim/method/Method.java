package dev.foretoken.sim.method;

import dev.foretoken.sim.acceptance.AcceptanceForm;
import dev.foretoken.sim.acceptance.Design;
import java.util.List;

/**
 * One way of decoding. A new method is one class of this interface and one line in {@link Methods}; the contract test runs
 * over every registered one.
 */
public interface Method {
    String BLOCK = "block";
    String BUDGET = "budget";
    String TOP_K = "top_k";
    String STEPS = "steps";
    String DEPTH = "depth";
    String DRAFT_TOKENS = "draft_tokens";
    String DRAFTER = "drafter";
    String CHAIN_SEED = "chain_seed";
    String FIRE_RATE = "fire_rate";
    String MAX_BUDGET = "max_budget";
    String DRAFT_TP = "draft_tp";
    String DRAFT_WEIGHTS = "draft_weights";

    /** Largest draft length, tree depth or block a scenario may ask for. */
    int MAX_LENGTH = 1024;
    /** Largest tree budget a scenario may ask for. */
    int MAX_NODES = 65_536;

    /** Contract name of the kind. */
    String kind();

    /** Kinds of one family may share a drafter, and then its acceptance: the kind itself, or block for all block drafters. */
    default String family() {
        return kind();
    }

    /** One sentence for listings. */
    String summary();

    /** Parameters beside id, kind and engine. */
    List<Param> params();

    /** The arm as the engine would run it, with a note on what was changed. */
    default Arm normalise(Arm arm) {
        return arm;
    }

    /** Largest number of accepted drafts per round. */
    int maxAccepted(Arm arm);

    /**
     * Query tokens of one request in a round (the largest, where it varies).
     *
     * @param engine engine id; SGLang's static tree shape is at least the block
     */
    int verifyWidth(Arm arm, String engine);

    /** Chance that a request's round has {@link #verifyWidth} tokens; otherwise it has 1. */
    default double fireRate(Arm arm) {
        return 1.0;
    }

    /** What the drafter does in a round. */
    DraftWork draftWork(Arm arm);

    /** What is drafted and verified, as far as acceptance depends on it. */
    Design design(Arm arm);

    /** Sentence that refuses a form which this method cannot use, null when it can. */
    default String refusal(AcceptanceForm form) {
        return null;
    }

    /** Settings among which the engine chooses by cost for each load; the arm itself for methods that choose nothing. */
    default List<Arm> alternatives(Arm arm) {
        return List.of(arm);
    }

    /** Figure for a point's draft_tokens: drafts proposed per round, null where budget says it. */
    default Integer draftTokens(Arm arm) {
        return null;
    }
}
