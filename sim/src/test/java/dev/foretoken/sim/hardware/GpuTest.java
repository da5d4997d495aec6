package dev.foretoken.sim.hardware;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.foretoken.sim.model.Dtype;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class GpuTest {
    private static Gpu gpu(Double spec, Double observed, Double powerLimit, List<Gpu.PowerPoint> points) {
        return new Gpu(
                "g",
                "G",
                "sm_0",
                null,
                null,
                1000,
                spec,
                observed,
                Map.of(Dtype.BF16, 100.0, Dtype.FP8, 200.0),
                Map.of(Dtype.BF16, 80.0),
                null,
                null,
                powerLimit,
                points,
                new Gpu.Link("pcie", null, null, null, List.of()),
                null,
                List.of(),
                List.of());
    }

    @Test
    void prefersWhatWasMeasured() {
        Gpu gpu = gpu(1792.0, 1597.6, null, List.of());
        assertEquals(1597.6, gpu.dramBytesPerS());
        assertEquals(80, gpu.flopsPerS(Dtype.BF16).orElseThrow());
        assertEquals(200, gpu.flopsPerS(Dtype.FP8).orElseThrow());
        assertTrue(gpu.flopsPerS(Dtype.NVFP4).isEmpty());
        assertEquals(1792.0, gpu(1792.0, null, null, List.of()).dramBytesPerS());
        assertThrows(IllegalArgumentException.class, () -> gpu(null, null, null, List.of()));
    }

    @Test
    void aPowerLimitTakesThroughputInProportionToTheMeasuredOne() {
        List<Gpu.PowerPoint> points = List.of(new Gpu.PowerPoint(300, null, 90), new Gpu.PowerPoint(600, null, 150));
        Gpu gpu = gpu(1.0, null, 600.0, points);
        assertEquals(1, gpu.computeShareAt(600).orElseThrow());
        assertEquals(1, gpu.computeShareAt(700).orElseThrow());
        assertEquals(120.0 / 150, gpu.computeShareAt(450).orElseThrow(), 1e-12);
        assertEquals(45.0 / 150, gpu.computeShareAt(150).orElseThrow(), 1e-12);
        assertTrue(gpu(1.0, null, 600.0, List.of()).computeShareAt(300).isEmpty());
        assertThrows(
                IllegalArgumentException.class, () -> gpu(1.0, null, 600.0, List.of(points.get(1), points.get(0))));
    }
}
