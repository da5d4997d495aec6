package dev.foretoken.calibration.fit;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.foretoken.formats.timings.KernelTimings;
import dev.foretoken.formats.timings.KernelTimings.Device;
import dev.foretoken.formats.timings.TimingPoint;
import dev.foretoken.sim.profile.Curve;
import dev.foretoken.sim.profile.CurveFamily;
import dev.foretoken.sim.profile.Op;
import dev.foretoken.sim.profile.Profile;
import dev.foretoken.sim.profile.ProfileSource;
import dev.foretoken.sim.profile.Shape;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class KernelFitTest {
    private static final FitOptions OPTIONS = new FitOptions("rtx-pro-6000-server", "own", null, 1);

    static Device card(String name) {
        return new Device(
                0,
                name,
                null,
                "12.0",
                188,
                null,
                null,
                512,
                1597.6e9,
                134217728L,
                null,
                null,
                null,
                null,
                null,
                600.0,
                null,
                null,
                null,
                null);
    }

    static KernelTimings run(String card, TimingPoint... points) {
        return new KernelTimings(
                KernelTimings.SCHEMA,
                "run",
                null,
                null,
                "ok",
                "cuda",
                null,
                null,
                Map.of("version", "0.1.0"),
                List.of(),
                List.of(),
                Map.of(),
                Map.of("driver_version", "580.1"),
                Map.of(),
                card == null ? List.of() : List.of(card(card)),
                null,
                List.of(points),
                List.of());
    }

    /** A point with one percent of interval; everything else plain. */
    static Builder point(String op, String impl, double us) {
        return new Builder(op, impl, us);
    }

    static final class Builder {
        private final String op;
        private final String impl;
        private final double us;
        private final Map<String, Long> params = new LinkedHashMap<>();
        private Map<String, String> dtype = Map.of("a", "bf16", "b", "bf16", "c", "bf16", "kv", "bf16");
        private String variant;
        private String mode = "graph";
        private String cache = "cold";
        private String thermal = "burst";
        private String status = TimingPoint.OK;
        private Boolean throttled = false;
        private boolean correct = true;
        private Long bytes;
        private double half = 0.005;

        Builder(String op, String impl, double us) {
            this.op = op;
            this.impl = impl;
            this.us = us;
        }

        Builder with(String name, long value) {
            params.put(name, value);
            return this;
        }

        Builder variant(String v) {
            variant = v;
            return this;
        }

        Builder dtype(String d) {
            dtype = Map.of("a", d, "b", d, "c", "bf16", "kv", d);
            return this;
        }

        Builder warm() {
            cache = "warm";
            return this;
        }

        Builder eager() {
            mode = "eager";
            return this;
        }

        Builder sustained() {
            thermal = "sustained";
            return this;
        }

        Builder throttled() {
            throttled = true;
            return this;
        }

        Builder wrong() {
            correct = false;
            return this;
        }

        Builder failed() {
            status = "failed";
            return this;
        }

        Builder bytes(long b) {
            bytes = b;
            return this;
        }

        Builder half(double h) {
            half = h;
            return this;
        }

        TimingPoint build() {
            boolean ok = status.equals(TimingPoint.OK);
            return new TimingPoint(
                    op + "/" + impl + "/" + variant + "/" + params + "/" + mode + "/" + cache + "/" + thermal,
                    op,
                    impl,
                    variant,
                    List.of(0),
                    params,
                    dtype,
                    mode,
                    cache,
                    thermal,
                    TimingPoint.UNIT,
                    ok ? 30 : null,
                    ok ? 3 : null,
                    ok ? us : null,
                    null,
                    null,
                    null,
                    null,
                    ok ? us * (1 - half) : null,
                    ok ? us * (1 + half) : null,
                    null,
                    true,
                    bytes,
                    null,
                    null,
                    null,
                    null,
                    2400.0,
                    12481.0,
                    null,
                    null,
                    List.of(),
                    throttled,
                    new TimingPoint.Check(correct ? 1e-3 : 0.5, correct),
                    status,
                    ok ? null : "no algorithm",
                    null);
        }
    }

    private static Builder gemm(long m, double us) {
        return point("gemm", "cublaslt", us)
                .variant("default")
                .with("m", m)
                .with("n", 16384)
                .with("k", 5120);
    }

    @Test
    void everyRejectedPointSaysWhy() {
        FitResult r = new KernelFit(OPTIONS)
                .fit(Map.of(
                        "t.json",
                        run(
                                "RTX PRO 6000",
                                gemm(1, 116).bytes(168_000_000).build(),
                                gemm(2, 90).bytes(168_000_000).build(),
                                gemm(3, 116).throttled().build(),
                                gemm(4, 116).wrong().build(),
                                gemm(5, 116).failed().build(),
                                gemm(6, 116).half(0.4).build(),
                                gemm(7, 80).warm().build(),
                                gemm(8, 150).sustained().build(),
                                gemm(9, 110).variant("best").build(),
                                point("launch", "cuda", 5).build())));
        Map<String, String> reasons = new LinkedHashMap<>();
        r.rejected().forEach(x -> reasons.put(x.id(), x.reason()));
        List<String> all = new ArrayList<>(reasons.values());
        assertEquals(9, all.size(), all::toString);
        assertTrue(all.get(0).contains("1867 GB/s of at most 1598"), all.get(0));
        assertTrue(all.get(1).startsWith("throttled"), all.get(1));
        assertTrue(all.get(2).contains("differs from the reference by 50.0 %"), all.get(2));
        assertTrue(all.get(3).contains("no algorithm"), all.get(3));
        assertTrue(all.get(4).contains("40.0 %"), all.get(4));
        assertTrue(all.get(5).contains("warm"), all.get(5));
        assertTrue(all.get(6).contains("sustained"), all.get(6));
        assertTrue(all.get(7).contains("best of"), all.get(7));
        assertTrue(all.get(8).contains("launch"), all.get(8));
        assertEquals(1, r.fits().size());
        assertEquals(12481.0, r.profile().state().memoryClockMhz());
        assertEquals("580.1", r.profile().state().driver());
    }

    @Test
    void operationsBecomeCurvesOfTheProfile() {
        FitResult r = new KernelFit(OPTIONS)
                .fit(Map.of(
                        "t.json",
                        run(
                                "RTX PRO 6000",
                                gemm(1, 116).build(),
                                attention(1, 2048, 20),
                                attention(16, 2048, 30),
                                gdn("final_state", 1, 8, 40),
                                gdn("state_per_token", 4, 8, 90),
                                point("all_reduce", "nccl", 6.8)
                                        .with("bytes", 8192)
                                        .with("ranks", 2)
                                        .build(),
                                point("all_reduce", "nccl", 9.8)
                                        .with("bytes", 8192)
                                        .with("ranks", 2)
                                        .eager()
                                        .build())));
        Profile p = r.profile();
        assertEquals(
                List.of(Op.GEMM, Op.ATTENTION_GENERATION, Op.ATTENTION_VERIFY, Op.GDN_STEP, Op.GDN_CHUNK),
                p.families().stream().map(CurveFamily::op).toList());
        assertEquals("cublaslt-default", p.families(Op.GEMM).get(0).kernel());
        assertEquals(
                "reference-state_per_token", p.families(Op.GDN_CHUNK).get(0).kernel());
        Shape verify = Shape.of("tokens", 16)
                .and("batch", 4)
                .and("heads", 24)
                .and("kv_heads", 4)
                .and("head_dim", 256);
        assertNotNull(p.families(Op.ATTENTION_VERIFY).get(0).find(verify));
        assertEquals("link", r.links().engine());
        Curve allReduce = r.links().families(Op.ALL_REDUCE).get(0).find(Shape.of("ranks", 2));
        assertEquals(6.8, allReduce.us(4096), 1e-9);
    }

    private static TimingPoint attention(long m, long kv, double us) {
        return point("attn_verify", "reference", us)
                .with("m", m)
                .with("kv_len", kv)
                .with("batch", 4)
                .with("hq", 24)
                .with("hkv", 4)
                .with("head_dim", 256)
                .build();
    }

    private static TimingPoint gdn(String variant, long m, long batch, double us) {
        return point("gdn_verify", "reference", us)
                .variant(variant)
                .with("m", m)
                .with("batch", batch)
                .with("hk", 16)
                .with("hv", 48)
                .with("dk", 128)
                .with("dv", 128)
                .build();
    }

    @Test
    void runsAreJoinedAndTheirDisagreementWidensTheBand() {
        Map<String, KernelTimings> agreeing = new LinkedHashMap<>();
        Map<String, KernelTimings> disagreeing = new LinkedHashMap<>();
        for (int i = 0; i < 3; i++) {
            agreeing.put("a" + i, run("card", gemm(1, 100).build()));
            disagreeing.put("d" + i, run("card", gemm(1, 94 + 6 * i).build()));
        }
        Curve a = new KernelFit(OPTIONS).fit(agreeing).fits().get(0).curve();
        Curve d = new KernelFit(OPTIONS).fit(disagreeing).fits().get(0).curve();
        assertEquals(100, a.medianUs(0), 0.01);
        assertEquals(100, d.medianUs(0), 0.3);
        assertEquals(90, a.count(0));
        assertTrue(d.highUs(0) - d.lowUs(0) > 5 * (a.highUs(0) - a.lowUs(0)));
    }

    @Test
    void runsOfTwoCardsAreRefused() {
        Map<String, KernelTimings> runs = new LinkedHashMap<>();
        runs.put("a.json", run("RTX PRO 6000", gemm(1, 100).build()));
        runs.put("b.json", run("B200", gemm(1, 30).build()));
        IllegalArgumentException e =
                assertThrows(IllegalArgumentException.class, () -> new KernelFit(OPTIONS).fit(runs));
        assertTrue(e.getMessage().contains("a.json is of RTX PRO 6000, b.json of B200"), e.getMessage());
    }

    @Test
    void nothingUsableGivesNoProfile() {
        FitResult r = new KernelFit(OPTIONS)
                .fit(Map.of("t.json", run("card", gemm(1, 100).throttled().build())));
        assertNull(r.profile());
        assertNull(r.links());
        assertEquals(1, r.rejected().size());
    }

    @Test
    void allReduceIsPiecewise() {
        // 26.7 us up to 64 KiB, rising to 156 us at 512 KiB, then a protocol switch to 131.5 us at 1 MiB and a line
        List<TimingPoint> points = new ArrayList<>();
        for (long b = 1024; b <= 64 << 20; b *= 2) {
            double us = b <= 512 << 10 ? 20 + 136.0 * b / (512 << 10) : 40 + 91.5 * b / (1 << 20);
            points.add(point("all_reduce", "nccl", us)
                    .with("bytes", b)
                    .with("ranks", 8)
                    .build());
        }
        Curve c = new KernelFit(OPTIONS)
                .fit(Map.of("t.json", run("card", points.toArray(TimingPoint[]::new))))
                .fits()
                .get(0)
                .curve();
        assertEquals(156, c.us((512 << 10) / 2.0), 1.5);
        assertEquals(131.5, c.us((1 << 20) / 2.0), 1.5);
        assertEquals(40 + 91.5 * 3, c.us((3 << 20) / 2.0), 4);
    }

    @Test
    void measuredCurvesReplacePublishedOnesTermByTerm() {
        Shape big = Shape.gemm(16384, 5120);
        Shape other = Shape.gemm(5120, 17408);
        Shape heads = Shape.of("batch", 4)
                .and("heads", 24)
                .and("kv_heads", 4)
                .and("head_dim", 256)
                .and("window", 0);
        Profile published = new Profile(
                "rtx-pro-6000-server",
                "sglang",
                "0.5.14",
                new ProfileSource("aiconfigurator-core", "0.12.0", "Apache-2.0", List.of("gemm"), false),
                null,
                List.of(
                        CurveFamily.of(
                                Op.GEMM,
                                "bf16",
                                "torch",
                                "rows",
                                null,
                                List.of(curve(big, 1, 130), curve(other, 1, 120))),
                        CurveFamily.of(Op.GEMM, "fp8", "cutlass", "rows", null, List.of(curve(big, 1, 60))),
                        CurveFamily.of(
                                Op.ATTENTION_GENERATION,
                                "bf16",
                                "flashinfer",
                                "kv_tokens",
                                null,
                                List.of(curve(heads, 2048, 15)))),
                List.of());
        Profile measured = new KernelFit(OPTIONS)
                .fit(Map.of(
                        "t.json",
                        run(
                                "RTX PRO 6000",
                                attention(16, 2048, 30),
                                attention(1, 2048, 20),
                                gemm(1, 116).build(),
                                gemm(1, 90).dtype("fp8").build())))
                .profile();
        Overlay.Result r = Overlay.over(published, measured);
        Profile p = r.profile();
        // the bf16 product of the measured shape is the user's, the other stays published
        assertEquals(
                116,
                p.families(Op.GEMM, "bf16").stream()
                        .map(f -> f.find(big))
                        .filter(c -> c != null)
                        .findFirst()
                        .orElseThrow()
                        .us(1),
                1e-9);
        assertEquals(2, p.families(Op.GEMM, "bf16").size());
        assertEquals(120, p.families(Op.GEMM, "bf16").get(0).find(other).us(1), 1e-9);
        // fp8 kernels are the engine's own
        assertEquals(60, p.families(Op.GEMM, "fp8").get(0).find(big).us(1), 1e-9);
        // one-token attention stays the engine's; verification is ours at the engine's level: 30 x 15/20
        assertEquals(15, p.families(Op.ATTENTION_GENERATION).get(0).find(heads).us(2048), 1e-9);
        Curve verify =
                p.families(Op.ATTENTION_VERIFY).get(0).curves().iterator().next();
        assertEquals(22.5, verify.us(2048), 1e-9);
        Efficiency fp8 = r.efficiencies().stream()
                .filter(e -> e.dtype().equals("fp8"))
                .findFirst()
                .orElseThrow();
        assertEquals(60.0 / 90, fp8.factor(), 1e-9);
        assertTrue(p.source().measured());
        assertTrue(
                r.lines().stream().anyMatch(l -> l.contains("1 curves measured, in place of 1 published")),
                r.lines()::toString);
    }

    private static Curve curve(Shape shape, double at, double us) {
        return Curve.of(shape, new double[] {at}, new double[] {us}, new double[0]);
    }

    @Test
    void timingsOfAnotherCardAreNotLaidOver() {
        Profile measured = new KernelFit(OPTIONS)
                .fit(Map.of("t.json", run("RTX PRO 6000", gemm(1, 116).build())))
                .profile();
        Profile b200 = new Profile(
                "b200",
                "sglang",
                null,
                new ProfileSource("x", null, null, List.of(), false),
                null,
                measured.families(),
                List.of());
        assertThrows(IllegalArgumentException.class, () -> Overlay.over(b200, measured));
    }

    @Test
    void drawsKeepShapesAndMoveTogether() {
        FitResult r = new KernelFit(OPTIONS)
                .fit(Map.of(
                        "t.json",
                        run(
                                "card",
                                gemm(1, 116).build(),
                                gemm(2, 117).build(),
                                gemm(4, 116).build())));
        Profile draw = r.draw(3);
        Curve c = draw.families(Op.GEMM).get(0).find(Shape.gemm(16384, 5120));
        assertEquals(3, c.size());
        assertTrue(Math.abs(c.us(1) / 116 - 1) < 0.03);
    }
}
