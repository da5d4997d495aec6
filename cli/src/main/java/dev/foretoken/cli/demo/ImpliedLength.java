package dev.foretoken.cli.demo;

import dev.foretoken.sim.acceptance.AcceptanceForm;
import dev.foretoken.sim.acceptance.AcceptanceLaw;
import dev.foretoken.sim.acceptance.Design;
import dev.foretoken.sim.acceptance.Laws;
import dev.foretoken.sim.acceptance.Renewal;
import dev.foretoken.sim.method.Arm;
import java.util.Map;
import java.util.TreeMap;

/**
 * What a rate of one stream says about acceptance, given the time of a round: the model run backwards.
 *
 * @param tokS tokens per second of one stream
 * @param method method that is supposed to have run
 * @param budget its budget, null without one
 * @param roundMs predicted round at one request, ms
 * @param tokensPerRound rate times round: the micro average, tokens over rounds
 * @param acceptLength mean of the law whose renewal gives the rate over the answer after its first token, last round truncated;
 *     null when no law of the method reaches it
 * @param acceptLengthWithPrompt the same when the rate counts the prompt's time too
 */
record ImpliedLength(
        double tokS,
        String method,
        Integer budget,
        double roundMs,
        double tokensPerRound,
        Double acceptLength,
        Double acceptLengthWithPrompt) {

    /**
     * Works out the accept lengths behind a rate.
     *
     * @param roundMs round of the arm at one request, ms
     * @param prefillMs prompt of one request, ms
     * @param osl tokens of the answer
     */
    static ImpliedLength of(double tokS, Arm arm, double roundMs, double prefillMs, int osl) {
        double decode = (osl - 1) / tokS * 1000 / roundMs;
        double whole = (osl / tokS * 1000 - prefillMs) / roundMs;
        return new ImpliedLength(
                tokS,
                arm.id(),
                arm.budget(),
                roundMs,
                tokS * roundMs / 1000,
                acceptLength(arm, decode, osl - 1),
                acceptLength(arm, whole, osl - 1));
    }

    /** Mean tokens per round of the truncated geometric law that needs so many rounds for so many tokens, by bisection. */
    private static Double acceptLength(Arm arm, double rounds, int tokens) {
        double low = 1;
        double high = 1 + arm.method().maxAccepted(arm);
        if (rounds > tokens || rounds < new Renewal(law(arm, high), tokens).mean(tokens)) {
            return null;
        }
        for (int i = 0; i < 60 && high - low > 1e-9; i++) {
            double middle = (low + high) / 2;
            if (new Renewal(law(arm, middle), tokens).mean(tokens) > rounds) {
                low = middle;
            } else {
                high = middle;
            }
        }
        return (low + high) / 2;
    }

    private static AcceptanceLaw law(Arm arm, double acceptLength) {
        Design design = arm.method().design(arm);
        AcceptanceForm form = design instanceof Design.Tree
                ? new AcceptanceForm.AcceptLengthByBudget(new TreeMap<>(Map.of(arm.budget(), acceptLength)))
                : new AcceptanceForm.AcceptLength(acceptLength);
        return Laws.of(form, design).central();
    }
}
