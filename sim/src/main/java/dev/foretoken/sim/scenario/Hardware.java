package dev.foretoken.sim.scenario;

import java.util.List;

/**
 * Cards of one replica.
 *
 * @param gpu catalogue id of the card
 * @param count cards in the machine
 * @param tp tensor-parallel sizes to explore; each at most count
 * @param link named link profile, null = the card's default
 * @param p2p peer access works; null = the link profile says
 * @param customAllReduce engine's own all-reduce is used; null = engine default
 * @param powerLimitW power cap per card, W; null = the card's default
 * @param pricePerGpuHour price of one card for one hour, any currency; null = not given
 */
public record Hardware(
        String gpu,
        int count,
        List<Integer> tp,
        String link,
        Boolean p2p,
        Boolean customAllReduce,
        Double powerLimitW,
        Double pricePerGpuHour) {
    public Hardware {
        tp = List.copyOf(tp);
        if (count < 1) {
            throw new IllegalArgumentException("count must be at least 1: " + count);
        }
        for (int n : tp) {
            if (n < 1 || n > count) {
                throw new IllegalArgumentException("tp must lie in 1.." + count + " (count): " + n);
            }
        }
        if (powerLimitW != null && !(powerLimitW > 0 && Double.isFinite(powerLimitW))) {
            throw new IllegalArgumentException("power_limit_w must be finite and positive: " + powerLimitW);
        }
        if (pricePerGpuHour != null && !(pricePerGpuHour >= 0 && Double.isFinite(pricePerGpuHour))) {
            throw new IllegalArgumentException(
                    "price_per_gpu_hour must be finite and not negative: " + pricePerGpuHour);
        }
    }
}
