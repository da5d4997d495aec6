package dev.foretoken.sim.round;

import dev.foretoken.sim.method.Arm;
import dev.foretoken.sim.scenario.EngineSettings;
import dev.foretoken.sim.scenario.Workload;
import java.util.List;

/** Source of round times for a scenario: a server's own knots or kernel timings. */
public interface RoundTimes {

    /**
     * Rounds of an arm.
     *
     * @param engine effective flags of the arm
     * @param tp cards of the replica
     * @throws IllegalArgumentException when this source cannot time the arm; the message says why
     */
    Timing of(Arm arm, EngineSettings engine, int tp);

    /**
     * Largest number of resident requests that memory allows.
     *
     * @return the number (0 when not even one fits) and why; {@link Capacity#UNLIMITED} when the source knows no memory
     */
    Capacity capacity(Arm arm, EngineSettings engine, int tp, Workload workload);

    /**
     * Rounds of one arm.
     *
     * @param model central estimate
     * @param bandModels ends of the timing band besides the central estimate, none where there is no band
     * @param prefill prefill time of one request
     * @param calibrated contract's calibrated level
     * @param notes assumptions, each a sentence
     */
    record Timing(
            RoundTimeModel model,
            List<RoundTimeModel> bandModels,
            Prefill prefill,
            String calibrated,
            List<String> notes) {
        public Timing {
            bandModels = List.copyOf(bandModels);
        }

        /** The central estimate for 0, ends of the band from 1 on; the central estimate where there are fewer. */
        public RoundTimeModel end(int i) {
            return i == 0 || i > bandModels.size() ? model : bandModels.get(i - 1);
        }
    }

    /** Prefill time of one request. */
    interface Prefill {
        /**
         * Time of the prompt's chunks alone, ms.
         *
         * @param promptTokens tokens to compute, prefix hits already taken off
         */
        double ms(double promptTokens);
    }

    /**
     * Memory limit.
     *
     * @param maxResident requests that fit
     * @param reason which memory binds, null when none does
     * @param lines the account, one line per item, for listings
     */
    record Capacity(int maxResident, String reason, List<String> lines) {
        public static final Capacity UNLIMITED = new Capacity(Integer.MAX_VALUE, null, List.of());
    }
}
