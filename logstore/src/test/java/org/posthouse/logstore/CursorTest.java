package org.posthouse.logstore;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import java.util.function.Predicate;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.posthouse.logstore.Traffic.Written;
import org.posthouse.logstore.file.LogException;
import org.posthouse.logstore.record.Checkpoint;
import org.posthouse.logstore.record.LogRecord;
import org.posthouse.logstore.record.LogRecord.Arrival;
import org.posthouse.logstore.record.LogRecord.Chunk;
import org.posthouse.logstore.record.LogRecord.Delivery;
import org.posthouse.logstore.record.LogRecord.JobOpened;
import org.posthouse.logstore.record.LogRecord.Polls;
import org.posthouse.logstore.record.LogRecord.Receipt;
import org.posthouse.logstore.record.RecordPosition;

/** Histories that are read beside the writer: every record once, in order, none that is damaged, none left out. */
final class CursorTest {
    private static final int SEEDS = Integer.getInteger("posthouse.seeds", 6);
    private static final int RANK = 3;

    @TempDir
    private Path folder;

    private LogConfig smallFiles() {
        return new LogConfig(folder, LogConfig.ROLL_BYTES_MIN, 0);
    }

    private static List<String> read(LogCursor cursor) {
        List<String> read = new ArrayList<>();
        while (cursor.advance()) {
            byte[] payload = new byte[cursor.payloadBytes()];
            cursor.payload().get(payload);
            boolean ofMessage = cursor.record() instanceof Arrival || cursor.record() instanceof Delivery;
            String message = ofMessage ? Traffic.text(cursor.message()) : null;
            read.add(text(new Written(cursor.position(), cursor.place(), cursor.record(), payload, message)));
        }
        return read;
    }

    private static String text(Written w) {
        return w.position() + "/" + w.place() + " " + w.record() + " " + ByteBuffer.wrap(w.payload()).hashCode() + " "
                + w.message();
    }

    private static List<String> expected(Traffic traffic, Predicate<LogRecord> wanted) {
        return traffic.written.stream().filter(w -> wanted.test(w.record())).map(CursorTest::text).toList();
    }

    @Test
    void showsEachRankItsRecordsFromEachMilestoneWithTheMessagesAsTheyWere() {
        for (int seed = 1; seed <= SEEDS; seed++) {
            Traffic traffic = new Traffic(seed);
            LogConfig config = new LogConfig(folder.resolve("log" + seed), LogConfig.ROLL_BYTES_MIN, 0);
            try (MessageLog log = MessageLog.open(config)) {
                traffic.write(log, 2_000);
                long job = traffic.jobs().keySet().iterator().next();
                for (RankLog rank : log.book().job(job).ranks()) {
                    HistoryIndexEntry from = rank.beginning().orElseGet(() -> ofOlderCheckpoint(rank));
                    try (LogCursor cursor = log.rankCursor(job, rank.rank(), from)) {
                        assertThat(read(cursor)).as("seed " + seed).isEqualTo(traffic.written.stream()
                                .filter(w -> w.position() >= from.position())
                                .filter(w -> w.record().job() == job && w.record().rank() == rank.rank())
                                .map(CursorTest::text).toList());
                        assertThat(cursor.position()).isEqualTo(log.position());
                        assertThat(cursor.advance()).isFalse();
                    }
                }
                checkSources(seed, log, traffic, log.book().job(job));
            }
        }
    }

    private static HistoryIndexEntry ofOlderCheckpoint(RankLog rank) {
        Checkpoint older = rank.olderCheckpoint().orElseThrow();
        return rank.milestone(older.deliveries(), older.events()).orElseThrow();
    }

    private static void checkSources(int seed, MessageLog log, Traffic traffic, JobState job) {
        for (int source = 0; source < Traffic.RANKS; source++) {
            try (LogCursor sent = log.sentCursor(job.id(), source, job.position(), job.place())) {
                assertThat(read(sent)).as("seed " + seed).isEqualTo(expected(traffic, sentBy(job.id(), source, traffic)));
            }
        }
    }

    private static Predicate<LogRecord> sentBy(long job, int source, Traffic traffic) {
        Set<Long> arrivals = new HashSet<>();
        traffic.written.stream()
                .filter(w -> w.record() instanceof Arrival a && a.job() == job && a.source() == source)
                .forEach(w -> arrivals.add(w.position()));
        return r -> r instanceof Arrival a && a.job() == job && a.source() == source
                || r instanceof Chunk c && c.job() == job && arrivals.contains(c.arrivalPosition());
    }

    @Test
    void rankCursorStartsFromPrecedingMilestone() {
        try (MessageLog log = Samples.open(folder)) {
            log.appendJobOpened(new JobOpened(Samples.JOB, 4, 1));
            for (int i = 1; i <= 10_000; i++) {
                log.appendArrival(Samples.arrival(i, 1, new Receipt(1, i, i)), ByteBuffer.allocate(1));
                log.append(new Polls(Samples.JOB, 1, 1, i));
            }
            HistoryIndexEntry from = log.book().rank(Samples.JOB, RANK).milestone(9_000, 0).orElseThrow();
            assertThat(from.deliveries()).isEqualTo(8_192);
            try (LogCursor cursor = log.rankCursor(Samples.JOB, RANK, from)) {
                for (long number = 8_193; number <= 10_000; number++) {
                    assertThat(cursor.advance()).isTrue();
                    assertThat(((Arrival) cursor.record()).receipt().number()).isEqualTo(number);
                    assertThat(cursor.message().receipt().ordinal()).isEqualTo(number);
                }
                assertThat(cursor.advance()).isFalse();
            }
        }
    }

    /** It has no file open while it rests, and the log goes on. */
    @Test
    void goesOnBehindARest() {
        int records = 400;
        try (MessageLog log = MessageLog.open(smallFiles())) {
            log.appendJobOpened(new JobOpened(Samples.JOB, 4, 1));
            try (LogCursor cursor = log.sentCursor(Samples.JOB, 2)) {
                for (int next = 1; next <= records; next++) {
                    log.appendArrival(Samples.arrival(next, 1_000), ByteBuffer.wrap(Samples.bytes(next, 1_000)));
                    if (next % 7 > 3) {
                        continue;
                    }
                    while (cursor.advance()) {
                        assertThat(cursor.payload()).isEqualTo(ByteBuffer.wrap(Samples.bytes(((Arrival) cursor.record()).sequence(), 1_000)));
                        if (cursor.position() % 3 == 0) {
                            cursor.rest();
                        }
                    }
                    cursor.rest();
                    assertThat(cursor.position()).isEqualTo(log.position());
                }
            }
            assertThat(log.rolls()).isGreaterThan(2);
        }
    }

    /** Blocks of 16 MiB are mapped anew, files follow each other, and an end that was reached is no end for ever. */
    @ParameterizedTest(name = "files of {0} bytes")
    @ValueSource(longs = {1 << 20, 64 << 20})
    void followsTheLogWhileItGrows(long rollBytes) throws Exception {
        int records = 12_000;
        try (MessageLog log = MessageLog.open(new LogConfig(folder, rollBytes, 0))) {
            log.appendJobOpened(new JobOpened(Samples.JOB, 4, 1));
            HistoryIndexEntry from = new HistoryIndexEntry(log.position(), log.place(), 0, 0, 0);
            CountDownLatch atAnEnd = new CountDownLatch(1);
            FutureTask<Void> reading = new FutureTask<>(() -> {
                try (LogCursor cursor = log.rankCursor(Samples.JOB, RANK, from)) {
                    for (int next = 1; next <= records;) {
                        if (cursor.advance()) {
                            assertThat(((Arrival) cursor.record()).sequence()).isEqualTo(next);
                            assertThat(cursor.payload()).isEqualTo(ByteBuffer.wrap(payload(next++)));
                        } else {
                            atAnEnd.countDown();
                            Thread.onSpinWait();
                        }
                    }
                    return null;
                }
            });
            Thread.ofPlatform().start(reading);
            assertThat(atAnEnd.await(60, TimeUnit.SECONDS)).as("the cursor meets the end before anything is appended").isTrue();
            for (int i = 1; i <= records; i++) {
                log.appendArrival(Samples.arrival(i, 5_000), ByteBuffer.wrap(payload(i)));
                log.append(new Polls(Samples.JOB, 1, 1, i));
            }
            reading.get();
        }
    }

    private static byte[] payload(int seed) {
        byte[] payload = new byte[seed * 7 % 5_000];
        Arrays.fill(payload, (byte) seed);
        return payload;
    }

    @Test
    void showsPiecesThatComeBehindADelivery() {
        try (MessageLog log = MessageLog.open(smallFiles())) {
            log.appendJobOpened(new JobOpened(Samples.JOB, 4, 1));
            long first = log.appendArrival(Samples.arrival(1, 300_000));
            HistoryIndexEntry from = log.book().rank(Samples.JOB, RANK).milestone(0, 0).orElseThrow();
            List<Long> places = new ArrayList<>();
            for (int piece = 0; piece < 3; piece++) {
                append(log, first, piece, places);
            }
            log.appendDelivery(new Delivery(Samples.JOB, RANK, new Receipt(1, 1, 1), 1, 2, 1, first, from.place()));
            append(log, first, 3, places);
            append(log, first, 4, places);
            try (LogCursor cursor = log.rankCursor(Samples.JOB, RANK, from)) {
                for (int i = 0; i < 5; i++) {
                    assertThat(cursor.advance()).isTrue();
                }
                StoredMessage message = cursor.message();
                assertThat(List.of(message.arrived(), message.pieces(), message.place())).containsExactly(
                        180_000L, 3, from.place());
                assertThat(List.of(message.piecePlace(0), message.piecePlace(2))).containsExactly(places.get(0), places.get(2));
                assertThat(message.arrival()).isEqualTo(Samples.arrival(1, 300_000));
                for (int piece = 3; piece < 5; piece++) {
                    assertThat(cursor.advance()).isTrue();
                    assertThat(cursor.record()).isEqualTo(
                            new Chunk(Samples.JOB, RANK, first, 60_000L * piece, places.get(piece - 1)));
                    assertThat(cursor.payload()).isEqualTo(ByteBuffer.wrap(Samples.bytes(piece, 60_000)));
                }
                assertThat(cursor.advance()).isFalse();
            }
        }
        assertThat(Samples.scan(folder).files()).as("the pieces lie in several files").isGreaterThan(1);
    }

    private static void append(MessageLog log, long arrival, int piece, List<Long> places) {
        byte[] bytes = Samples.bytes(piece, 60_000);
        log.appendChunk(Samples.JOB, RANK, arrival, 60_000L * piece, ByteBuffer.wrap(bytes));
        places.add(log.place());
    }

    @Test
    void endsBeforeATornTail() {
        Samples.closedLog(folder, 20);
        LogEntry last = Samples.entry(folder, 21);
        Samples.overwrite(Samples.onlyFile(folder), last.offset() + 316, (byte) 'P', (byte) 'H', (byte) 2);
        try (LogCursor cursor = cursor(() -> 0)) {
            assertThat(read(cursor)).hasSize(20);
            assertThat(cursor.position()).isEqualTo(21);
        }
        Samples.overwrite(Samples.onlyFile(folder), last.offset() + 315, (byte) 0x80);
        try (LogCursor cursor = cursor(() -> 0)) {
            assertThat(read(cursor)).hasSize(20);
        }
    }

    private LogCursor cursor(LongSupplier end) {
        LogEntry first = Samples.entry(folder, 2);
        return LogCursor.ofRank(folder, Samples.JOB, RANK, 2, RecordPosition.of(0, first.offset()), end);
    }

    @ParameterizedTest(name = "at byte {0} of the record")
    @ValueSource(ints = {-4, -3, -2, 0, 4, 6, 7, 8, 16, 40, 44, 48, 111, 112, 200, 311})
    void namesFileOffsetAndPositionOfAFlippedByte(int at) {
        Samples.closedLog(folder, 20);
        long damaged = Samples.entry(folder, 11).offset();
        try (LogCursor cursor = cursor(() -> 21)) {
            Samples.flip(Samples.onlyFile(folder), damaged + at);
            for (int position = 2; position <= 10; position++) {
                assertThat(cursor.advance()).isTrue();
                cursor.payload();
            }
            assertThatThrownBy(() -> read(cursor)).isInstanceOf(LogException.class)
                    .hasMessageContaining("log " + Samples.onlyFile(folder)).hasMessageContaining("position 11")
                    .hasMessageContaining("offset " + damaged);
        }
    }

    @Test
    void reportsLostRecordsInsteadOfEnd() throws Exception {
        Samples.closedLog(folder, 20);
        long lost = Samples.entry(folder, 11).offset();
        try (LogCursor cursor = cursor(() -> 21)) {
            Samples.overwrite(Samples.onlyFile(folder), lost - 4, new byte[20_000]);
            assertThatThrownBy(() -> read(cursor)).isInstanceOf(LogException.class).hasMessageContaining("position 11")
                    .hasMessageContaining("offset " + lost).hasMessageContaining("records up to position 21");
        }
        try (LogCursor gone = cursor(() -> 21)) {
            Files.delete(Samples.onlyFile(folder));
            assertThatThrownBy(gone::advance).isInstanceOf(LogException.class).hasMessageContaining("is gone");
        }
    }

    @Test
    void refusesAPlaceWhereAnotherRecordStands() {
        Samples.closedLog(folder, 20);
        long place = RecordPosition.of(0, Samples.entry(folder, 5).offset());
        for (long wrong : new long[] {place + 4, place - 4}) {
            try (LogCursor cursor = LogCursor.ofRank(folder, Samples.JOB, RANK, 5, wrong, () -> 21)) {
                assertThatThrownBy(cursor::advance).isInstanceOf(LogException.class).hasMessageContaining("is damaged");
            }
        }
        try (LogCursor cursor = LogCursor.ofRank(folder, Samples.JOB, RANK, 6, place, () -> 0)) {
            assertThatThrownBy(cursor::advance).isInstanceOf(LogException.class).hasMessageContaining("has position 5");
        }
    }

    @Test
    void findsDamageOfAPieceBehindAPlace() {
        try (MessageLog log = Samples.open(folder)) {
            log.appendJobOpened(new JobOpened(Samples.JOB, 4, 1));
            long first = log.appendArrival(Samples.arrival(1, 120_000));
            HistoryIndexEntry from = log.book().rank(Samples.JOB, RANK).milestone(0, 0).orElseThrow();
            List<Long> places = new ArrayList<>();
            append(log, first, 0, places);
            append(log, first, 1, places);
            log.appendDelivery(new Delivery(Samples.JOB, RANK, new Receipt(1, 1, 1), 1, 2, 1, first, from.place()));
            try (LogCursor cursor = log.rankCursor(Samples.JOB, RANK, from)) {
                for (int i = 0; i < 4; i++) {
                    assertThat(cursor.advance()).isTrue();
                }
                Samples.flip(Samples.onlyFile(folder), RecordPosition.offset(places.get(0)) + new Random(1).nextInt(4, 80));
                assertThatThrownBy(cursor::message).isInstanceOf(LogException.class)
                        .hasMessageContaining("offset " + RecordPosition.offset(places.get(0))).hasMessageContaining("position " + first);
            }
        }
    }
}
