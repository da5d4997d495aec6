package dev.foretoken.sim.acceptance;

import java.util.Arrays;
import java.util.List;

/** Acceptance that an engine makes up, for timing apart from content. */
public sealed interface ForcedAcceptance {

    /**
     * Law of one request in one round.
     *
     * @param length most drafts that a round can accept
     * @throws AcceptanceRefused when the forced figures do not fit the length
     */
    AcceptanceLaw law(int length);

    /** True when all requests of a round commit the same number of tokens. */
    boolean sharedByBatch();

    /**
     * SGLang's simulated accept length: one number for the whole batch and round, the floor or the ceiling of the mean in the
     * proportion that gives the mean.
     *
     * @param acceptLength mean tokens per round, at least 1
     */
    record Sglang(double acceptLength) implements ForcedAcceptance {
        public Sglang {
            if (!(acceptLength >= 1) || Double.isInfinite(acceptLength)) {
                throw new IllegalArgumentException(
                        "forced accept_length must be finite and at least 1: " + acceptLength);
            }
        }

        @Override
        public AcceptanceLaw law(int length) {
            if (acceptLength > length + 1.0) {
                throw new AcceptanceRefused("forced accept_length " + acceptLength + " is outside [1, " + (length + 1L)
                        + "], what " + length + " drafted positions can commit");
            }
            double[] pmf = new double[length + 1];
            int floor = (int) Math.floor(acceptLength);
            double above = acceptLength - floor;
            pmf[floor - 1] = 1 - above;
            if (above > 0) {
                pmf[floor] = above;
            }
            return PmfLaw.of(pmf);
        }

        @Override
        public boolean sharedByBatch() {
            return true;
        }
    }

    /**
     * Survival rates per position, drawn for each request and round.
     *
     * @param rates P(at least i drafts accepted), not rising
     */
    record PerRequest(List<Double> rates) implements ForcedAcceptance {
        public PerRequest {
            rates = List.copyOf(rates);
            if (rates.isEmpty()) {
                throw new IllegalArgumentException("forced rates need at least one position");
            }
            Survival.check(toArray(rates));
        }

        private static double[] toArray(List<Double> list) {
            return list.stream().mapToDouble(Double::doubleValue).toArray();
        }

        /** Positions beyond the rates are never accepted; rates beyond the length are not reached. */
        @Override
        public AcceptanceLaw law(int length) {
            return PmfLaw.ofSurvival(Arrays.copyOf(toArray(rates), length));
        }

        @Override
        public boolean sharedByBatch() {
            return false;
        }
    }
}
