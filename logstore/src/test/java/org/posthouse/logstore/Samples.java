package org.posthouse.logstore;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.UUID;
import java.util.function.ToLongFunction;
import java.util.stream.Stream;
import org.posthouse.logstore.file.HostCalls;
import org.posthouse.logstore.file.LogHighWater;
import org.posthouse.logstore.file.QueueFiles;
import org.posthouse.logstore.record.LogRecord;
import org.posthouse.logstore.record.LogRecord.Arrival;
import org.posthouse.logstore.record.LogRecord.Form;
import org.posthouse.logstore.record.LogRecord.Receipt;

/** Logs, records and damage that several tests need. */
public final class Samples {
    public static final long JOB = 0x1122334455667788L;
    public static final UUID BOOT = UUID.fromString("01234567-89ab-cdef-0123-456789abcdef");
    static final long WALL_TIME_MS = 1_795_000_000_123L;

    private Samples() {}

    static LogConfig config(Path folder) {
        return new LogConfig(folder, LogConfig.DEFAULT_ROLL_BYTES, 0);
    }

    public static HostCalls host(UUID boot) {
        return new HostCalls(() -> Long.MAX_VALUE, () -> WALL_TIME_MS, 4711, boot);
    }

    static MessageLog open(Path folder) {
        return LogOpening.open(config(folder), book -> 0, entry -> {}, host(BOOT));
    }

    static Arrival arrival(long sequence, long length) {
        return arrival(sequence, length, null);
    }

    static Arrival arrival(long sequence, long length, Receipt receipt) {
        return new Arrival(JOB, 3, 1, 2, 99, sequence, 7, (int) length, length, Form.EAGER, false, receipt);
    }

    public static byte[] bytes(long seed, int length) {
        byte[] bytes = new byte[length];
        new Random(seed).nextBytes(bytes);
        return bytes;
    }

    /** Appends arrivals with sequences [1, count] and payloads of this size. */
    public static void fill(MessageLog log, int count, int payloadBytes) {
        for (int i = 1; i <= count; i++) {
            log.appendArrival(arrival(i, payloadBytes), ByteBuffer.wrap(bytes(i, payloadBytes)));
        }
    }

    /** A closed log of one start record and this many arrivals of 200 bytes each, at positions 2…count + 1. */
    public static void closedLog(Path folder, int count) {
        try (MessageLog log = open(folder)) {
            fill(log, count, 200);
        }
    }

    /** The writer was killed before it had begun the file with this number: it had told of the one before. */
    static void killedBeforeItTold(Path folder, int file) throws IOException {
        long first = entries(folder).stream().filter(e -> e.file().equals(QueueFiles.file(folder, file - 1)))
                .findFirst().orElseThrow().position();
        new LogHighWater(first, file - 1, BOOT).write(folder);
    }

    public static LogScan scan(Path folder) {
        return MessageLog.scan(folder, entry -> {});
    }

    /** Of a record that a scan shows. */
    static void assertPayloadWhole(LogEntry entry) {
        if (entry.record() instanceof Arrival arrival) {
            assertThat(entry.payload()).isEqualTo(ByteBuffer.wrap(bytes(arrival.sequence(), (int) arrival.length())));
        }
    }

    /** What a scan shows, without the payload, which is gone after the visit. */
    public static List<LogEntry> entries(Path folder) {
        List<LogEntry> entries = new ArrayList<>();
        MessageLog.scan(folder, entries::add);
        return entries;
    }

    public static LogEntry entry(Path folder, long position) {
        return entries(folder).stream().filter(e -> e.position() == position).findFirst().orElseThrow();
    }

    public static Path onlyFile(Path folder) {
        return QueueFiles.file(folder, 0);
    }

    public static void overwrite(Path file, long offset, byte... bytes) {
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE)) {
            channel.write(ByteBuffer.wrap(bytes), offset);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    public static void flip(Path file, long offset) {
        flip(file, offset, 0x10);
    }

    public static void flip(Path file, long offset, int by) {
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
            ByteBuffer one = ByteBuffer.allocate(1);
            channel.read(one, offset);
            channel.write(one.put(0, (byte) (one.get(0) ^ by)).flip(), offset);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Who needs the oldest record that anybody of an open job needs. */
    static Optional<OldestPin> oldest(LogState book, ToLongFunction<RankLog> pin) {
        return book.jobs().stream()
                .flatMap(job -> Stream.concat(
                        Stream.of(new OldestPin(job.id(), LogRecord.NO_RANK, job.faultPosition())),
                        job.ranks().stream().map(rank -> new OldestPin(job.id(), rank.rank(), pin.applyAsLong(rank)))))
                .filter(need -> need.position() < Long.MAX_VALUE)
                .min(Comparator.comparingLong(OldestPin::position));
    }
}
