package org.posthouse.bench.replicas;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.management.ManagementFactory;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;

/** What counts as a process's processor time. */
@EnabledOnOs(OS.LINUX)
class ProcessorTimeTest {
    private static final long BUSY_NS = TimeUnit.MILLISECONDS.toNanos(100);

    @Test
    void theTimeOfAThreadThatIsBusyIsCounted() throws Exception {
        double before = ProcessorTime.micros(ProcessHandle.current().pid());
        long start = ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime();
        while (ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime() - start < BUSY_NS) {
            Thread.onSpinWait();
        }
        double spent = ProcessorTime.micros(ProcessHandle.current().pid()) - before;
        assertThat(spent).as("at least 95 of 100 ms, as the system counts a thread that runs at its next tick").isGreaterThan(95_000);
    }

    @Test
    void aProcessThatIsGoneHasNone() throws Exception {
        Process process = new ProcessBuilder("true").start();
        process.waitFor();
        assertThat(ProcessorTime.micros(process.pid())).isZero();
    }
}
