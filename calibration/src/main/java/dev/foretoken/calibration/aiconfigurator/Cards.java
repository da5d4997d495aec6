package dev.foretoken.calibration.aiconfigurator;

import java.util.LinkedHashMap;
import java.util.Map;

/** The package's systems that are cards of the catalogue. */
final class Cards {
    /**
     * A card.
     *
     * @param id catalogue id
     * @param device the part of the driver's name that tells it from other cards
     * @param multiprocessors tiles of one wave
     * @param memoryGbPerS DRAM bandwidth as the datasheet or the memory clock says, GB/s; what is faster came from a cache
     * @param link name of the link profile
     */
    record Card(String id, String device, int multiprocessors, double memoryGbPerS, String link) {}

    /** Cards by system name, in the order of import. */
    static final Map<String, Card> BY_SYSTEM = bySystem();

    private Cards() {}

    private static Map<String, Card> bySystem() {
        Map<String, Card> m = new LinkedHashMap<>();
        m.put(
                "rtx_pro_6000_server",
                new Card("rtx-pro-6000-server", "RTX PRO 6000 Blackwell Server", 188, 1597.6, "pcie5-fast"));
        m.put("b200_sxm", new Card("b200", "NVIDIA B200", 148, 7700, "nvlink5"));
        m.put("b300_sxm", new Card("b300", "NVIDIA B300", 148, 7750, "nvlink5-b300"));
        m.put("gb200", new Card("gb200", "NVIDIA GB200", 148, 8000, "nvlink5-gb200"));
        m.put("gb300", new Card("gb300", "NVIDIA GB300", 148, 8000, "nvlink5-gb300"));
        m.put("h200_sxm", new Card("h200", "NVIDIA H200", 132, 4800, "nvlink4"));
        m.put("h100_sxm", new Card("h100", "NVIDIA H100", 132, 3350, "nvlink4-h100"));
        m.put("l40s", new Card("l40s", "NVIDIA L40S", 142, 864, "pcie4"));
        m.put("a100_sxm", new Card("a100", "NVIDIA A100-SXM4-80GB", 108, 2039, "nvlink3"));
        return java.util.Collections.unmodifiableMap(m);
    }
}
