package dev.foretoken.sim.hardware;

import dev.foretoken.sim.model.Dtype;
import java.util.List;
import java.util.Map;
import java.util.OptionalDouble;

/**
 * A card.
 *
 * @param id catalogue id
 * @param name the name people know it by
 * @param arch compute architecture, such as sm_120
 * @param sms streaming multiprocessors; null when unknown
 * @param l2Bytes second-level cache, bytes; null when unknown
 * @param memoryBytes memory that programs see, bytes: what {@code memory_fraction} is a fraction of
 * @param dramSpecBytesPerS bandwidth by datasheet, bytes/s; null when sources contradict each other
 * @param dramObservedBytesPerS peak from bus width and the memory clock read under load, bytes/s; null when nobody read it
 * @param specFlopsPerS dense peak by datasheet per format of the operands, FLOP/s
 * @param measuredFlopsPerS best measured on large GEMMs per format, FLOP/s
 * @param smClockMaxMhz null when unknown
 * @param memoryClockMhz under load; null when unknown
 * @param powerLimitW default limit, W; null when unknown
 * @param powerPoints what tensor throughput was measured at which limit; empty when unknown
 * @param link how cards of one node are connected
 * @param launch launch costs; null when unknown
 * @param notes contradictions between sources
 * @param sources where the figures come from
 */
public record Gpu(
        String id,
        String name,
        String arch,
        Integer sms,
        Long l2Bytes,
        long memoryBytes,
        Double dramSpecBytesPerS,
        Double dramObservedBytesPerS,
        Map<Dtype, Double> specFlopsPerS,
        Map<Dtype, Double> measuredFlopsPerS,
        Double smClockMaxMhz,
        Double memoryClockMhz,
        Double powerLimitW,
        List<PowerPoint> powerPoints,
        Link link,
        Launch launch,
        List<String> notes,
        List<String> sources) {
    public Gpu {
        if (memoryBytes < 1) {
            throw new IllegalArgumentException("memory must be positive: " + memoryBytes + " bytes");
        }
        if (dramSpecBytesPerS == null && dramObservedBytesPerS == null) {
            throw new IllegalArgumentException(id + " needs a DRAM bandwidth, by datasheet or observed");
        }
        positive("streaming multiprocessors", sms);
        positive("L2 bytes", l2Bytes);
        positive("DRAM bandwidth by datasheet", dramSpecBytesPerS);
        positive("observed DRAM bandwidth", dramObservedBytesPerS);
        positive("SM clock", smClockMaxMhz);
        positive("memory clock", memoryClockMhz);
        positive("power limit", powerLimitW);
        specFlopsPerS.values().forEach(flops -> positive("dense FLOP/s", flops));
        measuredFlopsPerS.values().forEach(flops -> positive("measured FLOP/s", flops));
        specFlopsPerS = Map.copyOf(specFlopsPerS);
        measuredFlopsPerS = Map.copyOf(measuredFlopsPerS);
        powerPoints = List.copyOf(powerPoints);
        for (int i = 1; i < powerPoints.size(); i++) {
            if (powerPoints.get(i).limitW() <= powerPoints.get(i - 1).limitW()) {
                throw new IllegalArgumentException("power points must rise: " + powerPoints);
            }
        }
        notes = List.copyOf(notes);
        sources = List.copyOf(sources);
    }

    /**
     * Tensor throughput measured at a power limit.
     *
     * @param limitW limit, W
     * @param smClockMhz SM clock under that load, MHz; null when not read
     * @param flopsPerS throughput of one benchmark, to compare limits with each other only
     */
    public record PowerPoint(double limitW, Double smClockMhz, double flopsPerS) {
        public PowerPoint {
            positive("power limit", limitW);
            positive("SM clock", smClockMhz);
            positive("FLOP/s", flopsPerS);
        }
    }

    /**
     * How cards of one node are connected.
     *
     * @param kind pcie, nvlink or ethernet
     * @param generation of it; null when it has none
     * @param bytesPerSPerDirection by specification, bytes/s; null when unknown
     * @param p2p true when cards can write into each other's memory with a stock driver; null when unknown
     * @param profiles ids of link profiles that fit the card, the usual one first
     */
    public record Link(
            String kind, Integer generation, Double bytesPerSPerDirection, Boolean p2p, List<String> profiles) {
        public Link {
            positive("link generation", generation);
            positive("link bandwidth", bytesPerSPerDirection);
            profiles = List.copyOf(profiles);
        }
    }

    /**
     * Launch costs.
     *
     * @param kernelUs one launch from the host with its share of the synchronisation, microseconds; null when unknown
     * @param graphUs one replay of a graph, microseconds; null when unknown
     * @param graphNodeUs each node of a graph, microseconds; null when unknown
     * @param source where they were measured
     */
    public record Launch(Double kernelUs, Double graphUs, Double graphNodeUs, String source) {
        public Launch {
            positive("launch time", kernelUs);
            positive("graph replay time", graphUs);
            positive("graph node time", graphNodeUs);
        }
    }

    /** Peak DRAM bandwidth: the observed one where it is known, else the datasheet's, bytes/s. */
    public double dramBytesPerS() {
        return dramObservedBytesPerS != null ? dramObservedBytesPerS : dramSpecBytesPerS;
    }

    /** Peak dense throughput: the measured one where it is known, else the datasheet's, FLOP/s; empty when neither is. */
    public OptionalDouble flopsPerS(Dtype dtype) {
        Double flops = measuredFlopsPerS.getOrDefault(dtype, specFlopsPerS.get(dtype));
        return flops == null ? OptionalDouble.empty() : OptionalDouble.of(flops);
    }

    /**
     * Share of the tensor throughput of the default limit that is left at a lower power limit: linear between the measured
     * limits, constant above the highest; below the lowest in proportion to the limit. Empty when nothing was measured.
     */
    public OptionalDouble computeShareAt(double limitW) {
        if (powerPoints.isEmpty() || powerLimitW == null) {
            return OptionalDouble.empty();
        }
        return OptionalDouble.of(Math.min(1, throughputAt(limitW) / throughputAt(powerLimitW)));
    }

    private double throughputAt(double limitW) {
        PowerPoint first = powerPoints.get(0);
        if (limitW <= first.limitW()) {
            return first.flopsPerS() * limitW / first.limitW();
        }
        for (int i = 1; i < powerPoints.size(); i++) {
            PowerPoint low = powerPoints.get(i - 1);
            PowerPoint high = powerPoints.get(i);
            if (limitW <= high.limitW()) {
                double share = (limitW - low.limitW()) / (high.limitW() - low.limitW());
                return low.flopsPerS() + share * (high.flopsPerS() - low.flopsPerS());
            }
        }
        return powerPoints.get(powerPoints.size() - 1).flopsPerS();
    }

    private static void positive(String name, Number value) {
        if (value != null && !(value.doubleValue() > 0 && value.doubleValue() < Double.POSITIVE_INFINITY)) {
            throw new IllegalArgumentException(name + " must be positive and finite: " + value);
        }
    }
}
