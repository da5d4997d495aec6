package dev.foretoken.formats.timings;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * One run of the timing tool. A component that is null was not recorded.
 *
 * @param schema {@value #SCHEMA}
 * @param runId UUID of the run
 * @param startedAt RFC 3339
 * @param finishedAt RFC 3339
 * @param status how the run ended
 * @param backend cuda or host
 * @param model id of the model whose shapes were timed
 * @param synthetic true for a file that was made up to test readers
 * @param tool version and build of the tool
 * @param argv its command line
 * @param warnings each a sentence
 * @param host the machine, by key
 * @param software versions, by key
 * @param env NCCL_* and CUDA_* variables
 * @param devices the cards; empty on the host backend
 * @param topology pairs of cards; null on one card
 * @param points what was timed
 * @param sanity checks over the points
 */
public record KernelTimings(
        String schema,
        String runId,
        String startedAt,
        String finishedAt,
        String status,
        String backend,
        String model,
        Boolean synthetic,
        Map<String, String> tool,
        List<String> argv,
        List<String> warnings,
        Map<String, String> host,
        Map<String, String> software,
        Map<String, String> env,
        List<Device> devices,
        Topology topology,
        List<TimingPoint> points,
        List<Sanity> sanity) {
    public static final String SCHEMA = "foretoken/kernel-timings/1";

    /** How a run may end. */
    public static final List<String> STATUSES = List.of("ok", "partial", "no_device", "refused");

    public KernelTimings {
        argv = copy(argv);
        warnings = copy(warnings);
        tool = copy(tool);
        host = copy(host);
        software = copy(software);
        env = copy(env);
        devices = copy(devices);
        points = copy(points);
        sanity = copy(sanity);
        if (!STATUSES.contains(status)) {
            throw new IllegalArgumentException("status must be one of " + STATUSES + ": " + status);
        }
        if (status.equals("no_device") && points.stream().anyMatch(TimingPoint::usable)) {
            throw new IllegalArgumentException("a run without a device cannot have timed anything");
        }
    }

    private static <T> List<T> copy(List<T> list) {
        return list == null ? List.of() : List.copyOf(list);
    }

    private static Map<String, String> copy(Map<String, String> map) {
        return map == null ? Map.of() : Collections.unmodifiableMap(new LinkedHashMap<>(map));
    }

    /**
     * One card.
     *
     * @param index of the device
     * @param name as the driver reports it
     * @param uuidHash hash of its UUID
     * @param sm compute capability, such as 12.0
     * @param smCount streaming multiprocessors
     * @param smClockMaxMhz highest SM clock
     * @param memClockMaxMhz highest memory clock
     * @param busWidthBits width of the memory bus
     * @param dramPeakBytesPerS from bus width and the memory clock read under load
     * @param l2Bytes second-level cache
     * @param smemOptinBytes shared memory a block may ask for
     * @param totalMemBytes memory that programs see
     * @param ecc error correction on
     * @param mig partitioned
     * @param vbios version
     * @param powerLimitW limit in force
     * @param powerLimitDefaultW limit it ships with
     * @param pcie link generations and widths by key
     * @param bar1Bytes size of BAR1
     * @param numaNode of the card
     */
    public record Device(
            Integer index,
            String name,
            String uuidHash,
            String sm,
            Integer smCount,
            Double smClockMaxMhz,
            Double memClockMaxMhz,
            Integer busWidthBits,
            Double dramPeakBytesPerS,
            Long l2Bytes,
            Long smemOptinBytes,
            Long totalMemBytes,
            Boolean ecc,
            Boolean mig,
            String vbios,
            Double powerLimitW,
            Double powerLimitDefaultW,
            Map<String, Integer> pcie,
            Long bar1Bytes,
            Integer numaNode) {}

    /** Links between cards. */
    public record Topology(List<Pair> pairs) {
        public Topology {
            pairs = List.copyOf(pairs);
        }
    }

    /**
     * One pair of cards.
     *
     * @param a index of a card
     * @param b index of the other
     * @param path PIX, PXB, PHB, NODE, SYS or NV#
     * @param canAccessPeer what the driver says
     * @param verifiedSmStore stores from a kernel arrived
     * @param verifiedMemcpy copies arrived
     * @param p2pGbPerS bandwidth
     * @param p2pLatencyUs latency
     */
    public record Pair(
            int a,
            int b,
            String path,
            Boolean canAccessPeer,
            Boolean verifiedSmStore,
            Boolean verifiedMemcpy,
            Double p2pGbPerS,
            Double p2pLatencyUs) {}

    /**
     * One check over the points.
     *
     * @param rule what was checked
     * @param point id of the point concerned
     * @param expected as text
     * @param got as text
     * @param verdict ok, warn or fail
     */
    public record Sanity(String rule, String point, String expected, String got, String verdict) {}
}
