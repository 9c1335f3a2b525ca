package org.posthouse.bench.replicas;

import java.lang.management.ManagementFactory;
import java.util.Locale;

/**
 * The system's load average over a minute at the beginning and at the end of a bench, its own processes included; below 0 where the system tells none.
 */
record MachineLoad(double before, double after) {
    static double now() {
        return ManagementFactory.getOperatingSystemMXBean().getSystemLoadAverage();
    }

    String words() {
        return String.format(
                Locale.ROOT, "%d processors, load %.1f before and %.1f after", Runtime.getRuntime().availableProcessors(), before, after);
    }
}
