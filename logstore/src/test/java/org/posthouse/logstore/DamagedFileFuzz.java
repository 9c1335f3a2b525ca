package org.posthouse.logstore;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Comparator;
import java.util.stream.Stream;
import org.posthouse.logstore.file.LogException;
import org.posthouse.logstore.record.LogRecord;

/**
 * Fuzz target: a log's only file is damaged anywhere. A scan shows only records as they were written. An open refuses
 * the log with a LogException, or continues it without a defect.
 *
 * <p>The input is a list of damages of {@link #DAMAGE_BYTES}: a kind, an offset and a value.
 */
public final class DamagedFileFuzz {
    static final int DAMAGE_BYTES = 8;
    static final int RECORDS = 20;
    private static final int KINDS = 4;
    private static final int DAMAGES_MAX = 6;
    private static final int OFFSET = 0xffffff;
    private static final int PAYLOAD_BYTES = 200;

    private static final Path WHOLE = whole();

    private DamagedFileFuzz() {}

    private static Path whole() {
        try {
            Path folder = Files.createTempDirectory("whole");
            Runtime.getRuntime().addShutdownHook(new Thread(() -> delete(folder)));
            try (MessageLog log = open(folder)) {
                Samples.fill(log, RECORDS, PAYLOAD_BYTES);
            }
            return folder;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static MessageLog open(Path folder) {
        return LogOpening.open(new LogConfig(folder, LogConfig.ROLL_BYTES_MIN, 0), book -> 0, entry -> {}, Samples.host(Samples.BOOT));
    }

    /** Jazzer's entry ({@code make fuzz}). */
    public static void fuzzerTestOneInput(byte[] input) {
        opens(input);
    }

    /** Whether the damaged log can be opened. */
    static boolean opens(byte[] input) {
        Path folder = copy();
        try {
            damage(Samples.onlyFile(folder), ByteBuffer.wrap(input));
            LogScan scan = MessageLog.scan(folder, DamagedFileFuzz::assertAsWritten);
            assertThat(scan.lastPosition()).isBetween(0L, RECORDS + 1L);
            return continues(folder);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } finally {
            delete(folder);
        }
    }

    private static boolean continues(Path folder) {
        try (MessageLog log = open(folder)) {
            Samples.fill(log, 1, PAYLOAD_BYTES);
        } catch (LogException e) {
            assertThat(e.getMessage()).contains(folder.toString());
            return false;
        }
        LogScan after = Samples.scan(folder);
        assertThat(after.defect()).as("defect of a log that was opened").isEmpty();
        return true;
    }

    private static void assertAsWritten(LogEntry entry) {
        if (entry.record() instanceof LogRecord.Arrival arrival) {
            assertThat(arrival).isEqualTo(Samples.arrival(entry.position() - 1, PAYLOAD_BYTES));
            Samples.assertPayloadWhole(entry);
        } else {
            assertThat(entry.position()).as("the start record's position").isEqualTo(1);
        }
    }

    private static void damage(Path file, ByteBuffer damages) throws IOException {
        long bytes = Files.size(file);
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
            for (int i = 0; i < DAMAGES_MAX && damages.remaining() >= DAMAGE_BYTES; i++) {
                int head = damages.getInt();
                int value = damages.getInt();
                long offset = (head & OFFSET) % bytes;
                switch ((head >>> 24) % KINDS) {
                    case 0 -> flip(channel, offset, value);
                    case 1 -> channel.write(ByteBuffer.allocate(Integer.BYTES).putInt(0, value), offset);
                    case 2 -> channel.write(ByteBuffer.allocate(value & 0xfff), offset);
                    default -> channel.truncate(offset);
                }
            }
        }
    }

    private static void flip(FileChannel channel, long offset, int value) throws IOException {
        ByteBuffer one = ByteBuffer.allocate(1);
        if (channel.read(one, offset) == 1) {
            channel.write(one.put(0, (byte) (one.get(0) ^ value)).flip(), offset);
        }
    }

    private static Path copy() {
        try {
            Path folder = Files.createTempDirectory("damaged");
            try (Stream<Path> files = Files.list(WHOLE)) {
                for (Path file : files.toList()) {
                    Files.copy(file, folder.resolve(file.getFileName()));
                }
            }
            return folder;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static void delete(Path folder) {
        try (Stream<Path> files = Files.walk(folder)) {
            files.sorted(Comparator.reverseOrder()).forEach(file -> file.toFile().delete());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** One damage, as an input. */
    static byte[] input(int kind, int offset, int value) {
        return ByteBuffer.allocate(DAMAGE_BYTES).putInt(kind << 24 | offset).putInt(value).array();
    }

    /** Bytes of the file up to the end of its last record. */
    static long usedBytes() {
        LogEntry last = Samples.entry(WHOLE, RECORDS + 1);
        return last.offset() + last.bytes().remaining();
    }
}
