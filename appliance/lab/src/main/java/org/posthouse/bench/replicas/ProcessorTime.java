package org.posthouse.bench.replicas;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;

/**
 * Processor time of a process. Linux tells it of each thread in nanoseconds: those that compile are left out, as they are busy with a program's
 * first minute and not with its messages. Elsewhere it is that of all threads.
 */
final class ProcessorTime {
    private static final String SCHEDULED = "schedstat";
    private static final List<String> COMPILERS = List.of("C1 Compiler", "C2 Compiler");

    private ProcessorTime() {}

    /** Microseconds that the process has spent so far. */
    static double micros(long process) throws IOException {
        Path tasks = Path.of("/proc", Long.toString(process), "task");
        if (!Files.isReadable(tasks.resolveSibling(SCHEDULED))) {
            return ProcessHandle.of(process).flatMap(handle -> handle.info().totalCpuDuration()).map(Duration::toNanos).orElse(0L) / 1e3;
        }
        double nanos = 0;
        try (Stream<Path> all = Files.list(tasks)) {
            for (Path task : all.toList()) {
                nanos += nanos(task);
            }
        }
        return nanos / 1e3;
    }

    /** 0 of a thread that ends meanwhile. */
    private static double nanos(Path task) throws IOException {
        try {
            String name = Files.readString(task.resolve("comm"));
            boolean compiles = COMPILERS.stream().anyMatch(name::startsWith);
            return compiles ? 0 : Double.parseDouble(Files.readString(task.resolve(SCHEDULED)).split(" ")[0]);
        } catch (IOException e) {
            if (Files.exists(task)) {
                throw e;
            }
            return 0;
        }
    }
}
