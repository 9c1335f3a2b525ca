package org.posthouse.logstore;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Warmup;
import org.posthouse.logstore.record.LogRecord;
import org.posthouse.logstore.record.LogRecord.Arrival;
import org.posthouse.logstore.record.LogRecord.Delivery;
import org.posthouse.logstore.record.LogRecord.Form;
import org.posthouse.logstore.record.LogRecord.JobOpened;
import org.posthouse.logstore.record.LogRecord.Receipt;

/**
 * What a logged message costs the relay's thread: its arrival and its delivery, in one record or in two, in a log that is
 * new in each iteration. Iterations are short, so that what they write stays below what the kernel keeps back.
 */
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 15, time = 200, timeUnit = TimeUnit.MILLISECONDS)
@Measurement(iterations = 10, time = 200, timeUnit = TimeUnit.MILLISECONDS)
@Fork(2)
@State(Scope.Thread)
public class AppendBench {
    private static final long JOB = 0x1122334455667788L;

    @Param({"64", "65536"})
    private int bytes;

    private ByteBuffer payload;
    private Path folder;
    private MessageLog log;
    private long sequence;

    @Setup(Level.Iteration)
    public void open() throws IOException {
        payload = ByteBuffer.allocateDirect(bytes);
        folder = Files.createTempDirectory("append-bench");
        log = MessageLog.open(LogConfig.of(folder));
        log.appendJobOpened(new JobOpened(JOB, 4, 1));
        sequence = 0;
    }

    @TearDown(Level.Iteration)
    public void close() throws IOException {
        log.close();
        try (Stream<Path> files = Files.walk(folder)) {
            for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(file);
            }
        }
    }

    @Benchmark
    public long arrivalAndDeliveryInOneRecord() {
        sequence++;
        return log.appendArrival(arrival(new Receipt(1, sequence, sequence)), payload);
    }

    @Benchmark
    public long arrivalThenDelivery() {
        sequence++;
        long position = log.appendArrival(arrival(null), payload);
        return log.appendDelivery(
                new Delivery(JOB, 3, new Receipt(1, sequence, sequence), 1, 2, sequence, position, log.place()));
    }

    private Arrival arrival(Receipt receipt) {
        return new Arrival(JOB, 3, 1, 2, 9, sequence, 7, bytes, bytes, Form.SEND, false, receipt);
    }
}
