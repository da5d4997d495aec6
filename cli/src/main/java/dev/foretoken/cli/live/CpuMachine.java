package dev.foretoken.cli.live;

import dev.foretoken.calibration.host.CpuCalibration;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.UUID;

/** What is to be known of the machine that a server is timed on. */
public final class CpuMachine {
    private static final Path CPU = Path.of("/proc/cpuinfo");

    private CpuMachine() {}

    /** Whether the CPU time of another process can be read. */
    public static boolean measurable() {
        return Files.isReadable(Path.of("/proc/self/stat"));
    }

    /** Model of the processor and number of processors. */
    public static String cpu() {
        return model() + ", " + Runtime.getRuntime().availableProcessors() + " processors";
    }

    private static String model() {
        if (Files.isReadable(CPU)) {
            try {
                List<String> lines = Files.readAllLines(CPU, StandardCharsets.UTF_8);
                for (String line : lines) {
                    if (line.startsWith("model name") && line.contains(":")) {
                        return line.substring(line.indexOf(':') + 1).strip();
                    }
                }
            } catch (IOException e) {
                return System.getProperty("os.arch");
            }
        }
        return System.getProperty("os.arch");
    }

    /** Runnable processes, mean of the last minute; null where the system does not say. */
    public static Double load() {
        double load = ManagementFactory.getOperatingSystemMXBean().getSystemLoadAverage();
        return load < 0 ? null : load;
    }

    /**
     * Where timings of a server come from.
     *
     * @param server versions
     * @param tool version of this program
     * @param started when the first run began
     */
    public static CpuCalibration.Provenance provenance(String server, String tool, Instant started) {
        Map<String, String> host = new LinkedHashMap<>();
        host.put("cpu_model", model());
        host.put("os", System.getProperty("os.name") + " " + System.getProperty("os.version"));
        host.put("cores_logical", Integer.toString(Runtime.getRuntime().availableProcessors()));
        Double load = load();
        List<String> warnings = new ArrayList<>();
        warnings.add("times are CPU time of the server's process, not wall clock");
        if (load != null) {
            host.put("loadavg_end", String.format(Locale.ROOT, "%.2f", load));
            if (load > Runtime.getRuntime().availableProcessors()) {
                warnings.add(String.format(
                        Locale.ROOT,
                        "not quiet: load average %.2f on %d processors",
                        load,
                        Runtime.getRuntime().availableProcessors()));
            }
        }
        return new CpuCalibration.Provenance(
                UUID.randomUUID().toString(),
                started.truncatedTo(ChronoUnit.SECONDS).toString(),
                Instant.now().truncatedTo(ChronoUnit.SECONDS).toString(),
                "smollm2-135m",
                Map.of("name", "foretoken", "version", tool),
                warnings,
                host,
                Map.of("llama_cpp", server));
    }

    /** What must be the same for runs to be continued. */
    public static String identity(String server) {
        return cpu() + "; " + server;
    }
}
