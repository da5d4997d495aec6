package dev.foretoken.sim.analytical;

import java.util.Arrays;
import java.util.function.IntToDoubleFunction;

/**
 * Steps of an engine that computes prompts beside decode rows under a budget of tokens, with n resident requests in steady
 * state. A request waits for its prompt's tokens, first come first served, then takes part in R steps, passes d steps more (what
 * lies between its last token and the first step that its successor can join), and begins again.
 *
 * <p>Where every answer takes the same number of rounds, requests stay evenly apart. Otherwise a request that decodes ends in a
 * step with chance 1/(R + d), and the backlog of prompt tokens at the start of a step is a Markov chain: it falls by the budget
 * and rises by whole prompts. The chain counts a prompt in up to {@value #MOST_UNITS} units, a budget that is no whole number
 * of them in the mean. Its stationary distribution comes from state reduction (Grassmann, Taksar, Heyman 1985).
 */
public final class MixedSteps {
    /** Most units of a prompt. */
    static final int MOST_UNITS = 12;

    /** Largest chain; longer ones are taken as if their backlog did not fluctuate. */
    private static final int MOST_STATES = 600;

    private static final double NEGLIGIBLE = 1e-10;

    private final int n;
    private final double rounds;
    private final double idle;
    private final double promptTokens;
    private final IntToDoubleFunction budget;

    /** Chance that m requests are in their prompts in a step, the steps' prompt tokens given that, m = 0..n. */
    private final double[] chance;

    private final double[] tokens;
    private double perStep;

    /** Time of one step. */
    public interface StepTime {
        /**
         * @param decoding mean requests with decode rows
         * @param promptTokens prompt tokens of the step
         * @return ms
         */
        double ms(double decoding, double promptTokens);
    }

    private MixedSteps(int n, double rounds, double idle, double promptTokens, IntToDoubleFunction budget) {
        this.n = n;
        this.rounds = rounds;
        this.idle = idle;
        this.promptTokens = promptTokens;
        this.budget = budget;
        chance = new double[n + 1];
        tokens = new double[n + 1];
    }

    /**
     * Steps with n resident requests.
     *
     * @param n at least 1
     * @param rounds mean rounds of an answer, R
     * @param idleSteps d, steps between an answer's end and the first that its successor can join
     * @param promptTokens tokens of a prompt to compute, more than 0
     * @param budget prompt tokens that a step has room for while m requests are in their prompts; above 0 at m = n
     * @param fixedRounds whether every answer takes the same number of rounds
     */
    public static MixedSteps of(
            int n,
            double rounds,
            double idleSteps,
            double promptTokens,
            IntToDoubleFunction budget,
            boolean fixedRounds) {
        if (n < 1 || !(rounds >= 0) || !(idleSteps >= 0) || !(promptTokens > 0) || !(budget.applyAsDouble(n) > 0)) {
            throw new IllegalArgumentException("mixed steps need residents, rounds, a prompt and a budget: " + n + ", "
                    + rounds + ", " + promptTokens + " tokens, " + budget.applyAsDouble(n) + " tokens");
        }
        MixedSteps steps = new MixedSteps(n, rounds, idleSteps, promptTokens, budget);
        double away = rounds + idleSteps;
        int units = (int) Math.min(MOST_UNITS, Math.max(1, Math.ceil(2 * promptTokens / budget.applyAsDouble(n))));
        if (away < 1) {
            steps.onlyPrompts();
        } else if (fixedRounds || n * units > MOST_STATES) {
            steps.evenly(away, fixedRounds);
        } else {
            steps.chain(away, units);
        }
        return steps;
    }

    /** Answers of one token: every resident request is in its prompt. */
    private void onlyPrompts() {
        chance[n] = 1;
        tokens[n] = Math.min(n * promptTokens, budget.applyAsDouble(n));
        perStep = tokens[n] / promptTokens;
    }

    /** No fluctuation of the backlog: n prompts evenly apart over a cycle, or at random moments where nothing keeps them apart. */
    private void evenly(double away, boolean apart) {
        double inPrompt = Math.min(n, 1);
        double cycle = away + 1;
        double room = budget.applyAsDouble(1);
        for (int i = 0; i < 50; i++) {
            room = Math.max(1, budget.applyAsDouble((int) Math.round(inPrompt)));
            cycle = Math.max(away + Math.max(1, Math.ceil(promptTokens / room)), n * promptTokens / room);
            inPrompt = n * (1 - away / cycle);
        }
        perStep = n / cycle;
        double steps = Math.max(1, Math.ceil(promptTokens / room));
        double busy = apart ? Math.min(1, perStep * steps) : 1 - Math.pow(1 - steps / cycle, n);
        busy = Math.max(busy, Math.min(1, perStep * promptTokens / room));
        int m = (int) Math.max(1, Math.min(n, Math.round(inPrompt / busy)));
        chance[0] = 1 - busy;
        chance[m] = busy;
        tokens[m] = perStep * promptTokens / busy;
    }

    private void chain(double away, int units) {
        double q = 1 / away;
        int states = n * units + 1;
        double[][] joining = new double[n + 1][];
        for (int k = 0; k <= n; k++) {
            joining[k] = binomial(k, q);
        }
        double[][] p = new double[states][states];
        double[] served = new double[states];
        int lowest = 0;
        for (int x = 0; x < states; x++) {
            int m = (x + units - 1) / units;
            double room = Math.max(1, budget.applyAsDouble(m)) * units / promptTokens;
            int low = (int) Math.min(x, Math.floor(room));
            double more = x > low ? Math.min(1, room - low) : 0;
            served[x] = low + more;
            lowest = Math.max(lowest, low + 1);
            double[] join = joining[n - m];
            for (int k = 0; k < join.length; k++) {
                p[x][x - low + k * units] += (1 - more) * join[k];
                if (more > 0) {
                    p[x][x - low - 1 + k * units] += more * join[k];
                }
            }
        }
        double[] stationary = stationary(p, lowest);
        for (int x = 0; x < states; x++) {
            int m = (x + units - 1) / units;
            chance[m] += stationary[x];
            tokens[m] += stationary[x] * served[x] * promptTokens / units;
            perStep += stationary[x] * served[x] / units;
        }
        for (int m = 0; m <= n; m++) {
            if (chance[m] > 0) {
                tokens[m] /= chance[m];
            }
        }
    }

    /** P(k of n end), k = 0.. up to what is negligible. */
    private static double[] binomial(int n, double q) {
        double[] p = new double[n + 1];
        if (q >= 1) {
            p[n] = 1;
            return p;
        }
        double mean = n * q;
        int reach = (int) Math.min(n, Math.ceil(mean + 8 * Math.sqrt(mean) + 8));
        p[0] = Math.pow(1 - q, n);
        double sum = p[0];
        for (int k = 1; k <= reach; k++) {
            p[k] = p[k - 1] * (n - k + 1) / k * q / (1 - q);
            sum += p[k];
        }
        double[] cut = Arrays.copyOf(p, reach + 1);
        for (int k = 0; k <= reach; k++) {
            cut[k] /= sum;
        }
        return cut;
    }

    /**
     * Stationary distribution by state reduction.
     *
     * @param p transition matrix, overwritten
     * @param down most states that a step goes down
     */
    private static double[] stationary(double[][] p, int down) {
        int last = p.length - 1;
        for (int k = last; k > 0; k--) {
            int from = Math.max(0, k - down);
            double out = 0;
            for (int j = from; j < k; j++) {
                out += p[k][j];
            }
            for (int i = 0; i < k; i++) {
                double share = p[i][k] / out;
                if (share > 0) {
                    p[i][k] = share;
                    for (int j = from; j < k; j++) {
                        p[i][j] += share * p[k][j];
                    }
                }
            }
        }
        double[] pi = new double[last + 1];
        pi[0] = 1;
        double sum = 1;
        for (int k = 1; k <= last; k++) {
            for (int i = 0; i < k; i++) {
                pi[k] += pi[i] * p[i][k];
            }
            sum += pi[k];
        }
        for (int k = 0; k <= last; k++) {
            pi[k] /= sum;
        }
        return pi;
    }

    /** Answers that end per step. */
    public double perStep() {
        return perStep;
    }

    /**
     * The cycle at given step times.
     *
     * @param time of a step, prompt tokens 0 = decode rows alone
     * @param inVain share of the idle steps that a request runs through with decode rows that yield nothing
     * @param ahead steps that an arrival finds scheduled and must let pass, for one who comes at any moment
     * @param rowsPerRequest decode rows of a request after padding, for the mean
     */
    public MixedCycle cycle(StepTime time, double inVain, double ahead, double rowsPerRequest) {
        double away = rounds + idle;
        double decodingShare = away == 0 ? 0 : (rounds + inVain * idle) / away;
        double step = 0;
        double besides = 0;
        double besidesWeight = 0;
        double prompts = 0;
        double inPrompts = 0;
        double decodeMs = 0;
        double decodeSteps = 0;
        double decoding = 0;
        for (int m = 0; m <= n; m++) {
            if (chance[m] < NEGLIGIBLE) {
                continue;
            }
            double decode = (n - m) * decodingShare;
            double alone = decode > 0 ? time.ms(decode, 0) : 0;
            double ms = m == 0 || tokens[m] == 0 ? alone : time.ms(decode, tokens[m]);
            step += chance[m] * ms;
            // Steps in which one given request is not in its prompt: its idle ones are of these.
            besides += chance[m] * (n - m) * ms;
            besidesWeight += chance[m] * (n - m);
            prompts += chance[m] * Math.max(0, ms - alone);
            inPrompts += chance[m] * m * ms;
            if (decode > 0) {
                decodeMs += chance[m] * alone;
                decodeSteps += chance[m];
                decoding += chance[m] * decode;
            }
        }
        return new MixedCycle(
                n / perStep * step,
                decodeSteps > 0 ? decodeMs / decodeSteps : 0,
                decodeSteps > 0 ? decoding / decodeSteps * rowsPerRequest : 0,
                inPrompts / perStep + (besidesWeight > 0 ? idle * besides / besidesWeight : 0) + ahead * step,
                prompts / step);
    }
}
