package org.posthouse.logstore;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import net.openhft.chronicle.queue.ExcerptTailer;
import net.openhft.chronicle.queue.impl.single.SingleChronicleQueue;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.posthouse.logstore.LogDefect.Kind;
import org.posthouse.logstore.file.FileClock;
import org.posthouse.logstore.file.LogException;
import org.posthouse.logstore.file.LogHighWater;
import org.posthouse.logstore.file.QueueFiles;
import org.posthouse.logstore.record.LogRecord;
import org.posthouse.logstore.record.LogRecord.Polls;
import org.posthouse.logstore.record.RecordCodec;
import org.posthouse.logstore.record.RecordEnvelope;
import org.posthouse.logstore.record.RecordType;

/** A log of 21 records, damaged in every way that section 13 of the design names. */
final class DamageTest {
    private static final UUID OTHER_BOOT = new UUID(1, 2);

    @TempDir
    private Path folder;

    private LogDefect defect() {
        return Samples.scan(folder).defect().orElseThrow();
    }

    private void assertRefusedAt(Path file, long position) {
        assertThatThrownBy(() -> Samples.open(folder)).isInstanceOf(LogException.class)
                .hasMessageContaining(file.toString()).hasMessageContaining("position " + position)
                .hasMessageContaining("damaged");
    }

    @ParameterizedTest(name = "at byte {0} of the record")
    @ValueSource(ints = {-4, -2, 0, 4, 6, 7, 8, 12, 16, 24, 32, 40, 44, 48, 111, 112, 200, 311})
    void findsAFlippedByte(int at) {
        Samples.closedLog(folder, 20);
        Samples.flip(Samples.onlyFile(folder), Samples.entry(folder, 11).offset() + at);
        LogScan scan = Samples.scan(folder);
        assertThat(scan.lastPosition()).isEqualTo(10);
        assertThat(defect().kind()).isEqualTo(Kind.FLIPPED_BYTE);
        assertThat(defect().position()).isEqualTo(11);
        assertThat(defect().index()).isEqualTo(10);
        assertThat(defect().atTail()).isFalse();
        assertRefusedAt(Samples.onlyFile(folder), 11);
    }

    @ParameterizedTest(name = "from byte {0} of the record")
    @ValueSource(ints = {-4, 0, 100})
    void findsAZeroedMiddle(int at) {
        Samples.closedLog(folder, 20);
        Samples.overwrite(Samples.onlyFile(folder), Samples.entry(folder, 11).offset() + at, new byte[1000]);
        assertThat(defect().kind()).isEqualTo(Kind.ZEROED_MIDDLE);
        assertThat(defect().position()).isEqualTo(11);
        assertRefusedAt(Samples.onlyFile(folder), 11);
    }

    @ParameterizedTest(name = "at byte {0} of the file")
    @ValueSource(ints = {0, 1, 2, 4, 12, 20, 26, 107, 110, 196})
    void findsAFlippedByteInTheHeadOfTheFile(int at) {
        Samples.closedLog(folder, 20);
        Samples.flip(Samples.onlyFile(folder), at);
        assertThat(defect().kind()).isEqualTo(Kind.FLIPPED_BYTE);
        assertThat(defect().atTail()).isFalse();
        assertThat(defect().detail()).contains("of the file's head is");
        assertRefusedAt(Samples.onlyFile(folder), 1);
    }

    /** Of the words before Chronicle's index, which then reach over the records behind it, to the end of the file or beyond. */
    @ParameterizedTest(name = "at byte {0} of the file, by {1}")
    @CsvSource({"202,1", "202,128", "202,255", "203,1", "203,64", "203,255", "33010,1", "33010,128", "33011,1"})
    void losesNothingToAFlippedByteOfTheIndex(int at, int by) {
        Samples.closedLog(folder, 20);
        Samples.flip(Samples.onlyFile(folder), at, by);
        assertThat(defect().atTail()).isFalse();
        assertRefusedAt(Samples.onlyFile(folder), 1);
    }

    @ParameterizedTest(name = "at byte {0} of the file")
    @ValueSource(ints = {64, 65, 66, 67, 68, 71, 76, 77, 78, 79})
    void goesOnBehindTheLastRecordWhereverTheHeadOfTheFileSaysThatItIs(int at) {
        for (int by : new int[] {1, 4, 128, 255}) {
            Path own = folder.resolve("by-" + by);
            Samples.closedLog(own, 20);
            Samples.flip(Samples.onlyFile(own), at, by);
            assertThat(Samples.scan(own).defect()).as("by %d", by).isPresent();
            try (MessageLog log = Samples.open(own)) {
                assertThat(log.position()).isEqualTo(22);
                Samples.fill(log, 5, 300);
            }
            assertThat(Samples.scan(own).defect()).as("by %d", by).isEmpty();
            assertThat(Samples.scan(own).lastPosition()).isEqualTo(27);
        }
    }

    @Test
    void refusesAFlippedByteInTheLastPublishedRecord() {
        Samples.closedLog(folder, 20);
        Samples.flip(Samples.onlyFile(folder), Samples.entry(folder, 21).offset() + 60);
        assertThat(defect().kind()).isEqualTo(Kind.FLIPPED_BYTE);
        assertThat(defect().lost()).isEqualTo(1);
        assertRefusedAt(Samples.onlyFile(folder), 21);
    }

    @Test
    void refusesALogThatHasFewerRecordsThanChronicleCounted() {
        Samples.closedLog(folder, 20);
        zeroFrom(11);
        assertThat(defect().kind()).isEqualTo(Kind.MISSING_RECORDS);
        assertThat(defect().lost()).isEqualTo(11);
        assertRefusedAt(Samples.onlyFile(folder), 11);
    }

    /** Wherever in a record, its header or its envelope that is. */
    @Test
    void findsThatAFileEndsWithinARecord() throws Exception {
        Samples.closedLog(folder, 20);
        Path file = Samples.onlyFile(folder);
        LogEntry last = Samples.entry(folder, 21);
        long end = last.offset() + last.bytes().remaining();
        long before = Samples.entry(folder, 20).offset();
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE)) {
            for (long length = end; length > before; length--) {
                channel.truncate(length);
                LogScan scan = Samples.scan(folder);
                long whole = length == end ? 21 : length >= last.offset() - 4 ? 20 : 19;
                assertThat(List.of(scan.lastPosition(), scan.defect().isPresent())).as("of %d bytes", length).containsExactly(whole, length < end);
                if (length == last.offset() + 6) {
                    assertRefusedAt(file, 21);
                }
            }
        }
    }

    @Test
    void truncatesRecordsLostWithPageCacheAfterReboot() {
        Samples.closedLog(folder, 20);
        zeroFrom(11);
        try (MessageLog log = LogOpening.open(Samples.config(folder), book -> 0, entry -> {}, Samples.host(OTHER_BOOT))) {
            assertThat(log.position()).isEqualTo(11);
            Samples.fill(log, 5, 300);
        }
        assertThat(Samples.scan(folder).defect()).isEmpty();
        assertThat(Samples.scan(folder).lastPosition()).isEqualTo(16);
    }

    @ParameterizedTest
    @EnumSource(names = {"FLIPPED_BYTE", "ZEROED_MIDDLE", "MISSING_RECORDS"})
    void countsUnreadRecordsOfAllFiles(Kind kind) throws Exception {
        writeFiles(3);
        List<LogEntry> entries = Samples.entries(folder);
        LogEntry first = entries.get(20);
        switch (kind) {
            case FLIPPED_BYTE -> Samples.flip(first.file(), first.offset() + 60);
            case ZEROED_MIDDLE -> Samples.overwrite(first.file(), first.offset(), new byte[100]);
            default -> Files.delete(QueueFiles.file(folder, 1));
        }
        LogScan scan = Samples.scan(folder);
        assertThat(defect().kind()).isEqualTo(kind);
        assertThat(scan.records() + defect().lost()).isEqualTo(entries.size());
    }

    private void zeroFrom(long position) {
        long from = Samples.entry(folder, position).offset() - 4;
        Samples.overwrite(Samples.onlyFile(folder), from, new byte[20_000]);
    }

    @Test
    void findsAMissingFile() throws Exception {
        try (MessageLog log = open(Samples.BOOT)) {
            Samples.fill(log, 300, 1000);
        }
        LogEntry first = Samples.entries(folder).stream()
                .filter(e -> e.file().equals(QueueFiles.file(folder, 2))).findFirst().orElseThrow();
        Files.delete(QueueFiles.file(folder, 2));
        assertThat(defect().kind()).isEqualTo(Kind.MISSING_RECORDS);
        assertThat(defect().position()).isEqualTo(first.position());
        assertRefusedAt(QueueFiles.file(folder, 3), first.position());
        try (MessageLog log = open(OTHER_BOOT)) {
            assertThat(log.position()).as("behind what is left, a snapshot and a start: none of it was ever synced").isEqualTo(first.position() + 1);
        }
        assertThat(Samples.scan(folder).defect()).isEmpty();
    }

    /** @return the number of the newest file */
    private int writeFiles(int count) {
        try (MessageLog log = open(Samples.BOOT)) {
            while (log.rolls() + 1 < count) {
                Samples.fill(log, 10, 1000);
            }
            Samples.fill(log, 10, 1000);
        }
        return count - 1;
    }

    private MessageLog open(UUID boot) {
        return LogOpening.open(new LogConfig(folder, LogConfig.ROLL_BYTES_MIN, 0), book -> 0, entry -> {}, Samples.host(boot));
    }

    /** One in the middle, the oldest, which may be gone and never empty, and the newest, which nothing but the writer's word counts. */
    @ParameterizedTest(name = "file {0} of 3 has {1} bytes")
    @CsvSource({"0,0", "1,0", "2,0", "0,200000", "1,200000", "2,200000"})
    void findsAFileOfWhichNothingIsLeft(int number, int bytes) throws Exception {
        writeFiles(3);
        long position = Samples.entries(folder).stream().filter(e -> e.file().equals(QueueFiles.file(folder, number)))
                .findFirst().orElseThrow().position();
        Files.write(QueueFiles.file(folder, number), new byte[bytes]);
        assertThat(List.of(defect().kind(), defect().position(), defect().file()))
                .containsExactly(Kind.MISSING_RECORDS, position, QueueFiles.file(folder, number));
        assertRefusedAt(QueueFiles.file(folder, number), position);
    }

    @ParameterizedTest(name = "of {0} files")
    @ValueSource(ints = {1, 3})
    void findsThatTheNewestFileIsGoneUnlessPowerWasLost(int files) throws Exception {
        Path newest = QueueFiles.file(folder, writeFiles(files));
        long position = Samples.entries(folder).stream().filter(e -> e.file().equals(newest)).findFirst().orElseThrow().position();
        Files.delete(newest);
        assertThat(defect().detail()).isEqualTo("the file is not there, the log ends at position " + (position - 1)
                + ", and its writer had come to position " + position + " in this file");
        assertRefusedAt(newest, position);
        try (MessageLog log = open(OTHER_BOOT)) {
            assertThat(log.position()).isEqualTo(files == 1 ? 1 : position + 1);
        }
        assertThat(Samples.scan(folder).defect()).isEmpty();
    }

    /** The record that tells which boot it was of is among those that are gone; {@code writer.reached} tells too. */
    @Test
    void aLossWithinTheBootOfTheLastWriterIsDamageThoughNothingOfThatWriterIsLeft() throws Exception {
        Samples.closedLog(folder, 20);
        byte[] before = Files.readAllBytes(Samples.onlyFile(folder));
        open(OTHER_BOOT).close();
        Files.write(Samples.onlyFile(folder), before);
        assertThat(List.of(defect().kind(), defect().position(), defect().lost())).containsExactly(Kind.MISSING_RECORDS, 22L, 1L);
        assertThatThrownBy(() -> open(OTHER_BOOT)).isInstanceOf(LogException.class).hasMessageContaining("position 22")
                .hasMessageContaining("its writer had come to position 22 in this file");
        try (MessageLog log = open(new UUID(3, 4))) {
            assertThat(log.position()).as("the host was booted since").isEqualTo(22);
        }
    }

    /** A power cut may have taken what was never synced; but whether there was one nobody can tell. */
    @Test
    void refusesToTruncateWhenBootOfWriterIsUnknown() throws Exception {
        Samples.closedLog(folder, 20);
        Samples.flip(Samples.onlyFile(folder), Samples.entry(folder, 1).offset() + 60);
        Files.delete(folder.resolve(LogHighWater.FILE));
        assertThatThrownBy(() -> open(OTHER_BOOT)).isInstanceOf(LogException.class).hasMessageContaining("position 1: is damaged");
    }

    @Test
    void missingNewestFileGoesUnnoticedWithoutHighWaterMark() throws Exception {
        Path newest = QueueFiles.file(folder, writeFiles(2));
        Samples.flip(folder.resolve(LogHighWater.FILE), 9);
        Files.delete(newest);
        assertThat(Samples.scan(folder).defect()).isEmpty();
    }

    /** A log that was cut to its newest file. @return the number of that */
    private int writeOneFile() {
        int newest = writeFiles(3);
        try (MessageLog log = open(Samples.BOOT)) {
            log.discard(log.cut(log.position() + 1), 0);
        }
        assertThat(Samples.scan(folder).files()).isEqualTo(1);
        return newest;
    }

    /** Only the first file of all may begin without a snapshot: a log that did so in a later one could not be opened again. */
    @ParameterizedTest(name = "its only file has {0} bytes")
    @ValueSource(ints = {0, 200_000})
    void beginsAnewIfNothingIsLeftOfALogThatHadBeenCutAndPowerWasLost(int bytes) throws Exception {
        Path only = QueueFiles.file(folder, writeOneFile());
        Files.write(only, new byte[bytes]);
        assertRefusedAt(only, 1);
        for (long position : new long[] {1, 7}) {
            try (MessageLog log = open(OTHER_BOOT)) {
                assertThat(log.position()).isEqualTo(position);
                Samples.fill(log, 5, 300);
            }
            assertThat(Samples.scan(folder).defect()).isEmpty();
        }
    }

    /** However high their positions are: none was read before, from which they could be told. */
    @ParameterizedTest(name = "zeroed {0}, synced {1}")
    @CsvSource({"false,false", "true,false", "false,true", "true,true"})
    void findsThatWholeRecordsFollowTheFirstOfALogThatHadBeenCut(boolean zeroed, boolean synced) throws Exception {
        try (MessageLog log = open(Samples.BOOT)) {
            for (int i = 1; i <= 10_000; i++) {
                log.append(new Polls(Samples.JOB, 1, 1, i));
            }
            log.discard(log.cut(log.position() + 1), 0);
            if (synced) {
                LogSync sync = log.sync();
                sync.sync();
                sync.tell();
            }
        }
        LogEntry first = Samples.entries(folder).getFirst();
        try (FileChannel file = FileChannel.open(first.file(), StandardOpenOption.WRITE)) {
            file.truncate(Samples.entries(folder).getLast().offset() + 200);
        }
        assertThat(first.position() * RecordEnvelope.BYTES).as("more than the file has records").isGreaterThan(Files.size(first.file()));
        if (zeroed) {
            Samples.overwrite(first.file(), first.offset() - 4, new byte[4 + first.bytes().remaining()]);
        } else {
            Samples.flip(first.file(), first.offset() + 60);
        }
        assertThat(List.of(defect().kind(), defect().atTail()))
                .containsExactly(zeroed ? Kind.ZEROED_MIDDLE : Kind.FLIPPED_BYTE, false);
        assertRefusedAt(first.file(), 1);
        if (synced) {
            assertThatThrownBy(() -> open(OTHER_BOOT)).as("a disk that flips bytes, not one that lost them with the power")
                    .isInstanceOf(LogException.class).hasMessageContaining("damaged");
        } else {
            try (MessageLog log = open(OTHER_BOOT)) {
                assertThat(log.position()).as("the disk may have had the later pages only").isEqualTo(1);
            }
        }
    }

    /** The next files were there by name, and nothing of them was on the disk. */
    @ParameterizedTest(name = "behind the end of file {0} of 3, the files have {1} bytes")
    @CsvSource({"0,0", "0,200000", "1,0", "1,200000"})
    void truncatesFileEndAndLaterFilesLostInReboot(int number, int bytes) throws Exception {
        writeFiles(3);
        LogEntry last = Samples.entries(folder).stream().filter(e -> e.file().equals(QueueFiles.file(folder, number)))
                .reduce((before, entry) -> entry).orElseThrow();
        Samples.flip(last.file(), last.offset() + 60);
        assertThat(defect().atTail()).as("the next file has records").isFalse();
        for (int behind = number + 1; behind < 3; behind++) {
            Files.write(QueueFiles.file(folder, behind), new byte[bytes]);
        }
        assertThat(List.of(defect().kind(), defect().position(), defect().atTail()))
                .containsExactly(Kind.FLIPPED_BYTE, last.position(), true);
        assertRefusedAt(last.file(), last.position());
        try (MessageLog log = open(OTHER_BOOT)) {
            assertThat(log.position()).isEqualTo(last.position());
            Samples.fill(log, 200, 1000);
        }
        assertThat(Samples.scan(folder).defect()).isEmpty();
    }

    @Test
    void continuesAfterIntactFileIfLaterFilesWereLost() throws Exception {
        writeFiles(3);
        long last = Samples.entries(folder).stream().filter(e -> e.file().equals(QueueFiles.file(folder, 0)))
                .mapToLong(LogEntry::position).max().orElseThrow();
        for (int behind : new int[] {1, 2}) {
            Files.write(QueueFiles.file(folder, behind), new byte[0]);
        }
        assertRefusedAt(QueueFiles.file(folder, 1), last + 1);
        try (MessageLog log = open(OTHER_BOOT)) {
            assertThat(log.position()).as("snapshot and start record").isEqualTo(last + 2);
            assertThat(QueueFiles.list(folder)).containsOnlyKeys(0, 1);
        }
        assertThat(Samples.scan(folder).defect()).isEmpty();
    }

    @Test
    void findsARecordOfAnotherLog(@TempDir Path other) throws Exception {
        Samples.closedLog(folder, 20);
        try (MessageLog log = LogOpening.open(Samples.config(other), book -> 0, entry -> {}, Samples.host(OTHER_BOOT))) {
            Samples.fill(log, 20, 200);
        }
        LogEntry foreign = Samples.entry(other, 11);
        byte[] bytes = new byte[312];
        ByteBuffer.wrap(Files.readAllBytes(foreign.file())).get((int) foreign.offset(), bytes);
        Samples.overwrite(Samples.onlyFile(folder), foreign.offset(), bytes);
        assertThat(defect().kind()).isEqualTo(Kind.BROKEN_CHAIN);
        assertRefusedAt(Samples.onlyFile(folder), 11);
    }

    @ParameterizedTest(name = "{0} bytes of the next record")
    @ValueSource(ints = {1, 5, 60, 311, 312})
    void cutsATornTailAndGoesOn(int written) throws Exception {
        Samples.closedLog(folder, 20);
        byte[] next = nextRecord();
        long end = Samples.entry(folder, 21).offset() + 312;
        byte[] torn = new byte[4 + written];
        System.arraycopy(next, 0, torn, 4, written);
        torn[4 + written - 1] |= 1;
        Samples.overwrite(Samples.onlyFile(folder), end, written == 312 ? unpublished(next) : torn);

        assertThat(defect().kind()).isEqualTo(Kind.TORN_TAIL);
        assertThat(defect().position()).isEqualTo(22);
        try (MessageLog log = Samples.open(folder)) {
            assertThat(log.position()).isEqualTo(22);
        }
        assertThat(Samples.scan(folder).defect()).isEmpty();
        try (MessageLog log = Samples.open(folder)) {
            Samples.fill(log, 2, 20);
        }
        LogScan scan = Samples.scan(folder);
        assertThat(scan.defect()).isEmpty();
        assertThat(scan.lastPosition()).isEqualTo(25);
        assertThat(scan.epoch()).isEqualTo(3);
        assertThat(folder.resolve("cut.tmp")).doesNotExist();
    }

    private static byte[] unpublished(byte[] record) {
        return ByteBuffer.allocate(4 + record.length).put(4, record).array();
    }

    /** A whole record that would follow position 21, as it stands in memory before its header is written. */
    private byte[] nextRecord() {
        RecordCodec codec = new RecordCodec();
        codec.arrival(Samples.arrival(21, 200));
        ByteBuffer payload = ByteBuffer.wrap(Samples.bytes(21, 200));
        codec.seal(22, 1, Samples.scan(folder).end().hash(), new ByteBuffer[] {payload}, 200);
        return ByteBuffer.allocate(312).put(codec.head().duplicate()).put(payload).array();
    }

    @Test
    void cutsAnIncompleteHeaderAtTheEnd() {
        Samples.closedLog(folder, 20);
        ByteBuffer header = ByteBuffer.allocate(4).order(ByteOrder.LITTLE_ENDIAN).putInt(0, 0x8000_0000);
        Samples.overwrite(Samples.onlyFile(folder), Samples.entry(folder, 21).offset() + 312, header.array());
        assertThat(defect().kind()).isEqualTo(Kind.TORN_TAIL);
        Samples.open(folder).close();
        assertThat(Samples.scan(folder).defect()).isEmpty();
        assertThat(Samples.scan(folder).lastPosition()).isEqualTo(22);
    }

    @Test
    void replacesAFileWhoseBirthWasInterrupted() throws Exception {
        ByteBuffer header = ByteBuffer.allocate(70_000).order(ByteOrder.LITTLE_ENDIAN).putInt(0, 0x8000_0000);
        Files.write(Samples.onlyFile(folder), header.put(30, (byte) 1).array());
        Samples.closedLog(folder, 2);
        assertThat(Samples.scan(folder).defect()).isEmpty();
        assertThat(Samples.scan(folder).lastPosition()).isEqualTo(3);
    }

    /** Chronicle alone would wait for the header for more than 20 s. */
    @ParameterizedTest(name = "of {0} bytes")
    @ValueSource(ints = {0, 200_000})
    @Timeout(value = 120, unit = TimeUnit.SECONDS)
    void replacesAFileThatWasMadeButNeverGotItsFirstHeader(int bytes) throws Exception {
        LogConfig config = new LogConfig(folder, LogConfig.ROLL_BYTES_MIN, 0);
        int newest = writeFiles(3);
        Samples.killedBeforeItTold(folder, newest);
        Files.write(QueueFiles.file(folder, newest), new byte[bytes]);
        long before = Samples.scan(folder).lastPosition();
        try (MessageLog log = MessageLog.open(config)) {
            assertThat(log.position()).as("snapshot and start record").isEqualTo(before + 2);
        }
        assertThat(Samples.scan(folder).defect()).isEmpty();
        assertThat(Samples.scan(folder).end().lastFile()).isEqualTo(newest);
    }

    @Test
    void finishesACutThatWasInterrupted() throws Exception {
        Samples.closedLog(folder, 20);
        Files.writeString(Files.createDirectory(folder.resolve("cut.tmp")).resolve("19700101-00F.cq4"), "half");
        Samples.overwrite(Samples.onlyFile(folder), Samples.entry(folder, 21).offset() + 324, (byte) 1);
        Samples.open(folder).close();
        assertThat(Samples.scan(folder).lastPosition()).isEqualTo(22);
    }

    @Test
    void doesNotPublishARecordWhosePayloadFailedHalfWay() {
        RecordCodec codec = new RecordCodec();
        codec.arrival(Samples.arrival(1, 0));
        codec.seal(1, 1, 0, new ByteBuffer[0], 0);
        try (RecordAppender appender = new RecordAppender(folder, 0)) {
            ByteBuffer[] broken = {ByteBuffer.wrap(Samples.bytes(2, 5000)), null};
            assertThatThrownBy(() -> appender.append(codec.head(), broken)).isInstanceOf(NullPointerException.class);
            assertThat(appender.broken()).isFalse();
            assertThat(Samples.scan(folder).records()).isZero();
            appender.append(codec.head(), new ByteBuffer[0]);
        }
        assertThat(Samples.scan(folder).defect()).isEmpty();
        assertThat(Samples.scan(folder).records()).isEqualTo(1);
    }

    @Test
    void refusesAppendsAfterChronicleFailedUntilOpenedAgain() throws Exception {
        LogConfig config = new LogConfig(folder, LogConfig.ROLL_BYTES_MIN, 0);
        Path inTheWay = QueueFiles.file(folder, 1);
        try (MessageLog log = MessageLog.open(config)) {
            Files.createDirectory(inTheWay);
            assertThatThrownBy(() -> Samples.fill(log, 200, 1000)).isInstanceOf(LogException.class)
                    .hasMessageContaining("append failed");
            assertThatThrownBy(() -> Samples.fill(log, 1, 1)).isInstanceOf(LogException.class)
                    .hasMessageContaining("broken by an earlier failure");
        }
        Files.delete(inTheWay);
        long before = Samples.scan(folder).lastPosition();
        try (MessageLog log = MessageLog.open(config)) {
            Samples.fill(log, 200, 1000);
        }
        LogScan scan = Samples.scan(folder);
        assertThat(scan.lastPosition()).isEqualTo(before + 201 + scan.counts().get(RecordType.SNAPSHOT));
        assertThat(scan.defect()).isEmpty();
    }

    @Test
    void leavesAFileThatChronicleItselfReadsWholeAfterACut() {
        Samples.closedLog(folder, 2000);
        Samples.overwrite(Samples.onlyFile(folder), Samples.entry(folder, 2001).offset() + 324, (byte) 1);
        try (MessageLog log = Samples.open(folder)) {
            Samples.fill(log, 1000, 200);
        }
        try (SingleChronicleQueue queue = QueueFiles.open(folder, new FileClock(0));
                ExcerptTailer tailer = queue.createTailer()) {
            int read = 0;
            while (tailer.readBytes(bytes -> bytes.readPosition(bytes.readLimit()))) {
                read++;
            }
            assertThat(read).isEqualTo(3002);
            assertThat(tailer.moveToIndex(2500)).isTrue();
        }
    }
}
