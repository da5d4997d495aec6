package dev.foretoken.calibration.fit;

import dev.foretoken.formats.timings.KernelTimings;
import dev.foretoken.formats.timings.KernelTimings.Device;
import dev.foretoken.formats.timings.KernelTimings.Pair;
import dev.foretoken.formats.timings.KernelTimings.Sanity;
import dev.foretoken.formats.timings.KernelTimings.Topology;
import dev.foretoken.formats.timings.TimingPoint;
import dev.foretoken.formats.timings.TimingsFile;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * A made-up run of two cards, marked as such: figures near published ones, one point of each status, a throttled one, one that
 * beats the roofline, and pairs of cards. Golden for readers; not a measurement.
 */
final class SyntheticGpuRun {
    private SyntheticGpuRun() {}

    /** Writes the fixture: argument 1 is its path. */
    public static void main(String[] args) throws IOException {
        TimingsFile.write(Path.of(args[0]), run());
    }

    static KernelTimings run() {
        List<TimingPoint> points =
                new ArrayList<>(SyntheticTimings.typical().gemm(KnownTruth.verifyGemm(), 16384, 5120, 4));
        for (long m : new long[] {1, 8, 16, 64}) {
            for (long kv : new long[] {2048, 8192, 32768}) {
                // bytes of 4 KV heads of 256 in bf16 at 1480 GB/s, and 2 us per tile of 32 packed rows
                double us = 4 + 4.0 * 4 * 256 * kv / 1480e3 + 2 * Math.ceil(m * 6 / 32.0);
                points.add(KernelFitTest.point("attn_verify", "reference", us)
                        .with("m", m)
                        .with("kv_len", kv)
                        .with("batch", 1)
                        .with("hq", 24)
                        .with("hkv", 4)
                        .with("head_dim", 256)
                        .bytes(4L * 4 * 256 * kv)
                        .build());
            }
        }
        for (String variant : List.of("final_state", "state_per_token", "replay")) {
            for (long m : new long[] {1, 4, 16}) {
                double us = 4.3 * 8 * (variant.equals("state_per_token") ? (1 + m) / 2.0 : 1) + 0.6 * m;
                points.add(KernelFitTest.point("gdn_verify", "reference", us)
                        .variant(variant)
                        .with("m", m)
                        .with("batch", 8)
                        .with("hk", 16)
                        .with("hv", 48)
                        .with("dk", 128)
                        .with("dv", 128)
                        .build());
            }
        }
        for (long bytes = 8192; bytes <= 64 << 20; bytes *= 8) {
            points.add(KernelFitTest.point("all_reduce", "nccl", 6.8 + bytes / 36.5e3)
                    .with("bytes", bytes)
                    .with("ranks", 2)
                    .build());
        }
        points.add(KernelFitTest.point("gemm", "cublaslt", 1)
                .variant("default")
                .with("m", 1)
                .with("n", 16384)
                .with("k", 17408)
                .dtype("nvfp4")
                .failed()
                .build());
        points.add(KernelFitTest.point("dram_read", "reference", 600)
                .with("bytes", 1L << 30)
                .bytes(1L << 30)
                .build());
        return new KernelTimings(
                KernelTimings.SCHEMA,
                "00000000-0000-4000-8000-000000000000",
                "2026-11-30T00:00:00Z",
                "2026-11-30T00:05:00Z",
                "partial",
                "cuda",
                "qwen3.6-27b",
                true,
                Map.of("version", "0.1.0"),
                List.of("foretoken-timing", "--backend", "cuda"),
                List.of("made up to test readers: no card was timed"),
                Map.of("cores_physical", "64"),
                Map.of("driver_version", "580.0"),
                Map.of(),
                List.of(card(0), card(1)),
                new Topology(List.of(new Pair(0, 1, "NODE", true, true, true, 53.0, 0.4))),
                points,
                List.of(new Sanity("roofline_bytes", "dram_read", "1.63e12", "1.79e12", "fail")));
    }

    private static Device card(int index) {
        return new Device(
                index,
                "NVIDIA RTX PRO 6000 Blackwell Server Edition",
                null,
                "12.0",
                188,
                2430.0,
                12481.0,
                512,
                1597.6e9,
                134217728L,
                101376L,
                102641958912L,
                true,
                false,
                null,
                600.0,
                600.0,
                Map.of("gen_cur", 5, "gen_max", 5, "width_cur", 16, "width_max", 16),
                137438953472L,
                0);
    }
}
