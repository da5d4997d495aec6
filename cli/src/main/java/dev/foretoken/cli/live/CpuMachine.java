package dev.foretoken.cli.live;

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

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

    /** What must be the same for runs to be continued. */
    public static String identity(String server) {
        return cpu() + "; " + server;
    }
}
