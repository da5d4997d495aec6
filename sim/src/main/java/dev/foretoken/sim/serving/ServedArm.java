package dev.foretoken.sim.serving;

import dev.foretoken.sim.acceptance.AcceptanceLaw;
import java.util.List;

/**
 * What is served: one way to run a round, or several and a policy that picks one per round (adaptive budgets).
 *
 * @param options ways to run a round; workloads give one law per option, in this order
 * @param policy picks the option of the next round
 * @param batchLaw forced acceptance of a whole batch: one draw per round for every request that drafts (SGLang's simulated
 *     accept length); null = requests draw their own
 */
public record ServedArm(List<RoundOption> options, BudgetPolicy policy, AcceptanceLaw batchLaw) {
    public ServedArm {
        options = List.copyOf(options);
        if (options.isEmpty()) {
            throw new IllegalArgumentException("an arm needs at least one option");
        }
        policy.check(options);
    }

    /** One option, always. */
    public static ServedArm of(RoundOption option) {
        return new ServedArm(List.of(option), BudgetPolicy.fixed(0), null);
    }

    /** Several options and who picks. */
    public static ServedArm of(List<RoundOption> options, BudgetPolicy policy) {
        return new ServedArm(options, policy, null);
    }

    /** The same with forced acceptance of the whole batch. */
    public ServedArm withBatchLaw(AcceptanceLaw law) {
        return new ServedArm(options, policy, law);
    }

    /** Largest verify width. */
    public int maxWidth() {
        return options.stream().mapToInt(RoundOption::width).max().orElseThrow();
    }
}
