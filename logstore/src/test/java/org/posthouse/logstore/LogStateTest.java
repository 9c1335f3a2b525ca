package org.posthouse.logstore;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.posthouse.logstore.record.Checkpoint;
import org.posthouse.logstore.record.LogRecord;
import org.posthouse.logstore.record.LogRecord.CheckpointTaken;
import org.posthouse.logstore.record.LogRecord.Diverged;
import org.posthouse.logstore.record.LogRecord.Events;
import org.posthouse.logstore.record.LogRecord.Finalized;
import org.posthouse.logstore.record.LogRecord.Incarnation;
import org.posthouse.logstore.record.LogRecord.JobClosed;
import org.posthouse.logstore.record.LogRecord.JobOpened;
import org.posthouse.logstore.record.LogRecord.Polls;
import org.posthouse.logstore.record.LogRecord.Withdrawn;
import org.posthouse.logstore.record.RecordCodec;

/** What a log says is the same while it is written, when it is read again, and through its snapshots. */
final class LogStateTest {
    private static final int SEEDS = Integer.getInteger("posthouse.seeds", Boolean.getBoolean("posthouse.long") ? 15 : 10);
    private static final int OPENS = 3;

    /** Position of the second message to a rank that is done. */
    private static final long SECOND = 5;

    @TempDir
    private Path folder;

    @Test
    void saysTheSameLiveAndRescanned() throws Exception {
        for (int seed = 1; seed <= SEEDS; seed++) {
            Path log = folder.resolve("log" + seed);
            runs(seed, log);
            try (var files = Files.list(log)) {
                for (Path file : files.toList()) {
                    Files.delete(file);
                }
            }
        }
    }

    private static void runs(int seed, Path folder) throws IOException {
        Traffic traffic = new Traffic(seed);
        Random random = new Random(seed);
        for (int open = 1; open <= OPENS; open++) {
            LogConfig config = new LogConfig(folder, LogConfig.ROLL_BYTES_MIN, 0);
            String before = open == 1 ? "" : Traffic.text(Samples.scan(folder).book());
            try (MessageLog log = LogOpening.open(config, book -> book.relayEpoch() + 1, entry -> {}, Samples.host(Samples.BOOT))) {
                checkDrafts(seed, log, traffic);
                traffic.write(log, random.nextInt(400));
                checkRanks(seed, log, traffic);
                String live = Traffic.text(log.book());
                assertThat(live).as("seed " + seed).isNotEqualTo(before);
                assertThat(Traffic.text(Samples.scan(folder).book())).as("seed " + seed).isEqualTo(live);
                assertThat(Traffic.text(fromSnapshot(log.book()))).as("seed " + seed + ", from a snapshot").isEqualTo(live);
            }
        }
    }

    private static LogState fromSnapshot(LogState book) throws IOException {
        ByteArrayOutputStream snapshot = new ByteArrayOutputStream();
        book.write(new DataOutputStream(snapshot));
        return LogState.read(new DataInputStream(new ByteArrayInputStream(snapshot.toByteArray())));
    }

    private static void checkDrafts(int seed, MessageLog log, Traffic traffic) {
        InFlightMessages inFlightMessages = log.takeDrafts();
        traffic.jobs().forEach((job, ranks) -> {
            for (int rank = 0; rank < Traffic.RANKS; rank++) {
                assertThat(Traffic.texts(inFlightMessages.take(job, rank))).as("seed " + seed)
                        .isEqualTo(Traffic.texts(ranks.get(rank).underWay));
            }
        });
        assertThat(inFlightMessages.count()).as("seed " + seed).isZero();
    }

    private static void checkRanks(int seed, MessageLog log, Traffic traffic) {
        assertThat(log.book().jobs()).extracting(JobState::id).containsExactlyInAnyOrderElementsOf(traffic.jobs().keySet());
        traffic.jobs().forEach((job, ranks) -> log.book().job(job).ranks().forEach(rank -> {
            Traffic.Rank model = ranks.get(rank.rank());
            assertThat(List.of(rank.incarnation(), rank.deliveries(), rank.events(), rank.polls())).as("seed " + seed)
                    .isEqualTo(List.of(model.incarnation, model.deliveries, model.events, model.polls));
            assertThat(rank.trails().count()).as("seed " + seed + ", in pieces and under way")
                    .isEqualTo((int) model.underWay.stream().filter(m -> m.inlineBytes() < m.arrival().length()).count());
            assertThat(channels(rank::forEachChannel)).isEqualTo(model.sequences);
        }));
    }

    /** The last sequence number of each channel. */
    private static Map<Long, Long> channels(Consumer<RankLog.Channels> forEach) {
        Map<Long, Long> last = new HashMap<>();
        forEach.accept((context, source, sequence) -> last.put(ChannelTable.channel(context, source), sequence));
        return last;
    }

    @Test
    void closedJobAndItsDraftsAreRemoved() {
        try (MessageLog log = Samples.open(folder)) {
            log.appendJobOpened(new JobOpened(Samples.JOB, 4, 1), ByteBuffer.wrap(new byte[] {1, 2}));
            log.appendArrival(Samples.arrival(1, 10));
            assertThat(log.book().job(Samples.JOB).opening()).isEqualTo(ByteBuffer.wrap(new byte[] {1, 2}));
            assertThat(channels(log.book().rank(Samples.JOB, 3)::forEachChannel)).containsEntry(ChannelTable.channel(1, 2), 1L);
            log.append(new JobClosed(Samples.JOB, 0));
            assertThat(log.book().jobs()).isEmpty();
            assertThat(log.book().rank(Samples.JOB, 3)).isNull();
            log.appendArrival(Samples.arrival(2, 10));
            assertThat(log.book().rank(Samples.JOB, 3)).isNull();
        }
        try (MessageLog log = Samples.open(folder)) {
            assertThat(log.takeDrafts().count()).isZero();
        }
    }

    /** A snapshot has no room for more: a log with such words could not begin a file any more, nor be opened. */
    @Test
    void keepsTheBeginningOfWordsWithoutEnd() throws IOException {
        String words = "\uD83D\uDE80".repeat(100_000);
        try (MessageLog log = Samples.open(folder)) {
            log.appendJobOpened(new JobOpened(Samples.JOB, 4, 1));
            log.appendDiverged(new Diverged(Samples.JOB, 1), StandardCharsets.UTF_8.encode(words));
            String kept = fromSnapshot(log.book()).job(Samples.JOB).divergence();
            assertThat(kept).hasSize(4_096).isEqualTo(log.book().job(Samples.JOB).divergence());
            assertThat(words).startsWith(kept);
        }
        Samples.open(folder).close();
    }

    /** Also for who reads the log next, from the first record or from a snapshot. */
    @Test
    void unreadableImageDoesNotMoveRetentionPin() throws IOException {
        try (MessageLog log = Samples.open(folder)) {
            log.appendJobOpened(new JobOpened(Samples.JOB, 4, 1));
            log.append(new Incarnation(Samples.JOB, 1, 1, 0, 0));
            log.append(checkpoint(1, 4, false));
            log.append(checkpoint(2, 5, false));
            assertThat(pins(log)).containsExactly(4L, 5L);
            chosen(log, 1);
            assertThat(pins(log)).as("the older was chosen").containsExactly(4L, 4L);
        }
        try (MessageLog log = Samples.open(folder)) {
            assertThat(pins(log)).as("after a restart").containsExactly(4L, 4L);
            assertThat(pinsOf(copy(log.book().rank(Samples.JOB, 1)))).as("from a snapshot").containsExactly(4L, 4L);
            chosen(log, 2);
            assertThat(pins(log)).as("the newest could be read again").containsExactly(4L, 5L);
            chosen(log, 1);
            log.append(checkpoint(3, 6, false));
            assertThat(pins(log)).as("the image before is the one that could be read").containsExactly(4L, 6L);
            chosen(log, 0);
            assertThat(pins(log)).as("none could be read").containsExactly(3L, 3L);
            log.append(checkpoint(4, 7, false));
            assertThat(pins(log)).as("there is one image").containsExactly(3L, 7L);
        }
    }

    /** A relay that is started again has to tell launchers which process leads. */
    @Test
    void knowsWhichFollowerLeads() throws IOException {
        try (MessageLog log = Samples.open(folder)) {
            log.appendJobOpened(new JobOpened(Samples.JOB, 4, 1));
            log.append(new Incarnation(Samples.JOB, 1, 1, 0, 0));
            RankLog rank = log.book().rank(Samples.JOB, 1);
            assertThat(rank.followedAs()).isZero();
            log.append(new Incarnation(Samples.JOB, 1, 3, Incarnation.PROMOTED, 2));
            log.append(new Incarnation(Samples.JOB, 1, 1, Incarnation.CHOSEN, 0));
            assertThat(rank.followedAs()).as("an image for an earlier process was chosen late").isEqualTo(2);
            assertThat(copy(rank).followedAs()).as("from a snapshot").isEqualTo(2);
            assertThat(copy(rank).incarnation()).isEqualTo(3);
            log.append(new Incarnation(Samples.JOB, 1, 4, 0, 0));
            assertThat(rank.followedAs()).as("a process that was started beside it leads").isZero();
            assertThat(copy(rank).followedAs()).isZero();
        }
    }

    private static void chosen(MessageLog log, long image) {
        log.append(new Incarnation(Samples.JOB, 1, 2, Incarnation.CHOSEN, image));
    }

    private static List<Long> pins(MessageLog log) {
        return pinsOf(log.book().rank(Samples.JOB, 1));
    }

    /** The newest image could not be read, and the rank goes on from the one before, which is older than its word. */
    @Test
    void aReplayIsNotPromisedIfTheImageThatIsGoneOnFromIsOlderThanTheWordOfThat() {
        try (MessageLog log = Samples.open(folder)) {
            log.appendJobOpened(new JobOpened(Samples.JOB, 4, 1));
            log.append(new Incarnation(Samples.JOB, 1, 1, 0, 0));
            log.append(new CheckpointTaken(Samples.JOB, 1, new Checkpoint(1, 10, 4, 0, 0, 0, 1, false)));
            log.appendEvents(new Events(Samples.JOB, 1, 1, 1, 1, true), ByteBuffer.allocate(16));
            RankLog rank = log.book().rank(Samples.JOB, 1);
            assertThat(rank.limited()).isTrue();
            log.append(new CheckpointTaken(Samples.JOB, 1, new Checkpoint(2, 10, 6, 1, 0, 0, 1, false)));
            assertThat(rank.limited()).as("the image has it").isFalse();
            chosen(log, 1);
            assertThat(rank.limited()).isTrue();
        }
        assertThat(Samples.scan(folder).book().rank(Samples.JOB, 1).limited()).isTrue();
    }

    @Test
    void tracksProgressOfRankFromRecords() {
        try (MessageLog log = Samples.open(folder)) {
            log.appendJobOpened(new JobOpened(Samples.JOB, 4, 1));
            log.append(new Incarnation(Samples.JOB, 1, 1, 0, 0));
            log.append(new Polls(Samples.JOB, 1, 1, 5_000_000_000L));
            log.appendEvents(new Events(Samples.JOB, 1, 1, 2, 1, true), ByteBuffer.allocate(32));
            RankLog rank = log.book().rank(Samples.JOB, 1);
            assertThat(List.of(rank.events(), rank.polls(), rank.limited())).containsExactly(2L, 5_000_000_000L, true);
            assertThat(List.of(rank.pin(), rank.pinOfNewest(), rank.lastPosition())).containsExactly(3L, 3L, 5L);
            log.append(checkpoint(0, 4, true));
            assertThat(rank.limited()).as("the end of the prologue is no image").isTrue();
            log.append(checkpoint(1, 6, false));
            assertThat(List.of(rank.pin(), rank.pinOfNewest(), rank.limited())).containsExactly(3L, 6L, false);
            log.append(checkpoint(2, 7, false));
            assertThat(List.of(rank.pin(), rank.pinOfNewest())).as("one image back").containsExactly(6L, 7L);
            log.append(new Finalized(Samples.JOB, 1, 1, false));
            assertThat(rank.finalized()).isTrue();
            log.append(new Incarnation(Samples.JOB, 1, 2, 0, 2));
            assertThat(rank.finalized()).as("its process died before it ended").isFalse();
            assertThat(rank.incarnation()).isEqualTo(2);
            log.append(new Finalized(Samples.JOB, 1, 1, false));
            log.append(new Incarnation(Samples.JOB, 1, 1, Incarnation.CHOSEN, 2));
            assertThat(rank.incarnation()).as("what its first process would go on from was found out late").isEqualTo(2);
            assertThat(rank.finalized()).as("by its second").isTrue();
        }
    }

    /** Nobody starts it again; its senders go on with what they have begun, or take it back. Also for who reads the log next. */
    @Test
    void finishedRankPinsOnlyIncompleteMessages() throws IOException {
        try (MessageLog log = Samples.open(folder)) {
            log.appendJobOpened(new JobOpened(Samples.JOB, 4, 1));
            log.append(new Incarnation(Samples.JOB, 3, 1, 0, 0));
            log.appendArrival(Samples.arrival(1, 10), ByteBuffer.allocate(10));
            log.appendArrival(Samples.arrival(2, 10));
            log.appendArrival(Samples.arrival(3, 10));
            log.append(new Finalized(Samples.JOB, 3, 1, false));
            assertThat(pinsOf(log.book().rank(Samples.JOB, 3))).as("its process may be killed").containsOnly(3L);
            log.append(new Finalized(Samples.JOB, 3, 1, true));
            assertThat(pinsOf(log.book().rank(Samples.JOB, 3))).containsOnly(SECOND);
            log.appendChunk(Samples.JOB, 3, SECOND, 0, ByteBuffer.allocate(10));
        }
        try (MessageLog log = Samples.open(folder)) {
            RankLog rank = log.book().rank(Samples.JOB, 3);
            assertThat(pinsOf(rank)).containsOnly(SECOND + 1);
            assertThat(pinsOf(copy(rank))).as("from a snapshot").containsOnly(SECOND + 1);
            log.appendWithdrawn(new Withdrawn(Samples.JOB, 3, 1, 2, 3, SECOND + 1));
            log.appendArrival(Samples.arrival(4, 10), ByteBuffer.allocate(10));
            assertThat(pinsOf(rank)).as("what comes whole is received by nobody").containsOnly(Long.MAX_VALUE);
            assertThat(Samples.oldest(log.book(), RankLog::pin)).isEmpty();
            assertThat(channels(copy(rank)::forEachChannel)).as("what came is not taken twice").containsEntry(ChannelTable.channel(1, 2), 4L);
            assertThat(copy(rank).done()).isTrue();
            log.append(new Incarnation(Samples.JOB, 3, 2, 0, 0));
            assertThat(pinsOf(rank)).as("it was not").containsOnly(3L);
        }
    }

    private static List<Long> pinsOf(RankLog rank) {
        return List.of(rank.pin(), rank.pinOfNewest());
    }

    private static RankLog copy(RankLog rank) throws IOException {
        RankLog copy = new RankLog(rank.rank());
        ByteArrayOutputStream snapshot = new ByteArrayOutputStream();
        rank.write(new DataOutputStream(snapshot));
        copy.read(new DataInputStream(new ByteArrayInputStream(snapshot.toByteArray())));
        return copy;
    }

    @Test
    void aHistoryIsReadFromItsBeginningUntilTwoImagesAreThereAndThenFromTheOlder() {
        try (MessageLog log = Samples.open(folder)) {
            log.appendJobOpened(new JobOpened(Samples.JOB, 4, 1));
            log.appendEvents(new Events(Samples.JOB, 1, 1, 2, 1, false), ByteBuffer.allocate(32));
            log.append(checkpoint(1, 4, false));
            RankLog rank = log.book().rank(Samples.JOB, 1);
            assertThat(rank.beginning()).map(HistoryIndexEntry::position).contains(3L);
            assertThat(rank.milestone(0, 1)).map(HistoryIndexEntry::position).contains(3L);
            assertThat(rank.milestone(0, 2)).map(HistoryIndexEntry::position).as("the first image").contains(4L);
            log.appendEvents(new Events(Samples.JOB, 1, 1, 2, 3, false), ByteBuffer.allocate(32));
            log.append(checkpoint(2, 6, false));
            assertThat(rank.beginning()).as("the log may be cut there").isEmpty();
            assertThat(rank.milestone(0, 1)).isEmpty();
            assertThat(rank.milestone(0, 3)).map(HistoryIndexEntry::position).contains(4L);
            assertThat(rank.milestone(0, 4)).map(HistoryIndexEntry::position).contains(6L);
        }
    }

    private static CheckpointTaken checkpoint(long number, long pin, boolean ready) {
        return new CheckpointTaken(Samples.JOB, 1, new Checkpoint(number, 1, pin, 2, 0, 0, 0, ready));
    }

    @Test
    void refusesPiecesThatDoNotFollowAndRanksThatAreNone() {
        try (MessageLog log = Samples.open(folder)) {
            log.appendJobOpened(new JobOpened(Samples.JOB, 4, 1));
            long arrival = log.appendArrival(Samples.arrival(1, 10));
            log.appendChunk(Samples.JOB, 3, arrival, 0, ByteBuffer.allocate(4));
            assertThatThrownBy(() -> log.appendChunk(Samples.JOB, 3, arrival, 5, ByteBuffer.allocate(1)))
                    .hasMessageContaining("at 5").hasMessageContaining("at most 6 at 4");
            assertThatThrownBy(() -> log.appendChunk(Samples.JOB, 3, arrival, 4, ByteBuffer.allocate(7)))
                    .hasMessageContaining("7 bytes").hasMessageContaining("at most 6 at 4");
            assertThatThrownBy(() -> log.appendChunk(Samples.JOB, 3, arrival - 1, 0, ByteBuffer.allocate(1)))
                    .hasMessageContaining("none of a message under way");
            assertThatThrownBy(() -> log.appendJobOpened(new JobOpened(Samples.JOB, 4, 1)))
                    .hasMessageContaining("1122334455667788 is open already");
            assertThatThrownBy(() -> log.append(new Polls(Samples.JOB, 4, 1, 1)))
                    .isInstanceOf(IllegalArgumentException.class).hasMessageContaining("rank 4 in a job of 4 ranks");
            assertThatThrownBy(() -> log.appendEvents(new Events(Samples.JOB, 3, 1, 2, 1, false), ByteBuffer.allocate(31)))
                    .hasMessageContaining("2 events in 31 bytes");
            assertThat(log.position()).isEqualTo(4);
            log.appendWithdrawn(new Withdrawn(Samples.JOB, 3, 1, 2, 1, arrival));
            List<Long> gone = new ArrayList<>();
            log.book().rank(Samples.JOB, 3).forEachWithdrawn(1, 2, gone::add);
            assertThat(gone).containsExactly(1L);
            assertThatThrownBy(() -> log.appendChunk(Samples.JOB, 3, arrival, 4, ByteBuffer.allocate(1)))
                    .hasMessageContaining("none of a message under way");
        }
        assertThat(Samples.scan(folder).defect()).isEmpty();
    }

    /** Earlier versions let it in, and the records that are of no job carry its number. */
    @Test
    void aJobWithTheNumberOfNoneIsNotOpenAndKeepsNobodyFromTheLog() {
        try (MessageLog log = Samples.open(folder)) {
            log.appendJobOpened(new JobOpened(LogRecord.NO_JOB, 2, 1), ByteBuffer.allocate(10));
            log.appendJobOpened(new JobOpened(5, 2, 1), ByteBuffer.allocate(10));
        }
        try (MessageLog log = Samples.open(folder)) {
            assertThat(log.book().jobs()).extracting(JobState::id).containsExactly(5L);
        }
    }

    /** A rank that is done has no milestones left, and may be told of again by a library that is wrong. */
    @Test
    void checkpointsOfARankThatIsDoneAreTaken() {
        try (MessageLog log = Samples.open(folder)) {
            log.appendJobOpened(new JobOpened(5, 2, 1), ByteBuffer.allocate(10));
            log.append(new Finalized(5, 0, 1, true));
            for (long number = 1; number <= 2; number++) {
                log.append(new CheckpointTaken(5, 0, new Checkpoint(number, 10, log.position() + 1, 0, 0, 0, 1, false)));
            }
            assertThat(log.book().rank(5, 0).checkpoint()).get().extracting(Checkpoint::number).isEqualTo(2L);
        }
    }

    private MessageLog ofManyFiles() {
        return LogOpening.open(new LogConfig(folder, LogConfig.ROLL_BYTES_MIN, 0), book -> 0, entry -> {}, Samples.host(Samples.BOOT));
    }

    /** Another build would perhaps take it: it is kept, and the others go on. */
    @Test
    void aRecordThatCannotBeTakenIsItsJobsAffairAndStays() {
        long bad;
        try (MessageLog log = ofManyFiles()) {
            log.appendJobOpened(new JobOpened(5, 2, 1), ByteBuffer.allocate(10));
            log.append(new Finalized(5, 0, 1, true));
            RecordCodec codec = new RecordCodec();
            codec.pressing(new JobClosed(5, 0));
            log.book().apply(codec.head(), 0, log.place()); // Who has forgotten the job logs whatever of it.
            bad = log.append(new Polls(5, 7, 1, 1));
            log.append(new Polls(5, 1, 1, 99));
        }
        for (int open = 1; open <= 2; open++) {
            try (MessageLog log = ofManyFiles()) {
                JobState faulted = log.book().job(5);
                assertThat(faulted.fault()).hasMessageContainingAll("POLLS", "position " + bad, "Index 7");
                assertThat(faulted.rank(1)).as("what follows says nothing").isNull();
                assertThat(faulted.faultPosition()).isEqualTo(bad);
                log.appendJobOpened(new JobOpened(Samples.JOB, 4, 1), ByteBuffer.allocate(10));
                for (long until = log.rolls() + 2; log.rolls() < until;) {
                    Samples.fill(log, 1, 10_000);
                }
                log.append(new JobClosed(Samples.JOB, 0));
                log.discard(log.cut(bad), 0);
                assertThat(log.firstPosition()).isLessThanOrEqualTo(bad);
            }
        }
    }

    @Test
    void findsTheMilestoneFromWhichAHistoryIsToBeRead() {
        HistoryIndex historyIndex = new HistoryIndex();
        assertThat(historyIndex.before(0, 0)).isNull();
        for (int record = 0; record < 100_000; record++) {
            historyIndex.record(10 + record, 7L * record, record / 2, record / 4, record);
        }
        for (long deliveries : new long[] {0, 1, 2_047, 2_048, 2_049, 30_000, 1L << 40}) {
            HistoryIndexEntry found = historyIndex.before(deliveries, 1L << 40);
            assertThat(found.deliveries()).isLessThanOrEqualTo(deliveries);
            assertThat(found.deliveries() + HistoryIndex.RECORDS / 2).isGreaterThan(Math.min(deliveries, 49_000));
            assertThat(found.place()).isEqualTo(7 * (found.position() - 10));
        }
        assertThat(historyIndex.before(1L << 40, 2_000).events()).isEqualTo(1_024);
        assertThat(historyIndex.count()).isEqualTo(25);
    }

    @Test
    void keepsChannelsTrailsAndTombstonesLikeAMap() {
        for (int seed = 1; seed <= 50; seed++) {
            Random random = new Random(seed);
            ChannelTable table = new ChannelTable();
            PartialMessages partialMessages = new PartialMessages();
            Tombstones stones = new Tombstones();
            Map<Long, Long> channels = new HashMap<>();
            Map<Long, Long> places = new HashMap<>();
            Set<Long> gone = new HashSet<>();
            for (int i = 1; i <= 3_000; i++) {
                long channel = ChannelTable.channel(random.nextInt(-3, 3), random.nextInt(100));
                table.put(channel, i);
                channels.put(channel, (long) i);
                long key = random.nextInt(1, 200) * (seed % 2 == 0 ? 1L << 33 : 1);
                if (places.remove(key) != null) {
                    partialMessages.withdrawn(key);
                } else {
                    partialMessages.begin(key, i, 0, 1, false);
                    places.put(key, (long) i);
                }
                long sequence = random.nextInt(1, 500);
                stones.add(channel & 1, sequence + 1_000 * (channel & 1));
                gone.add(sequence + 1_000 * (channel & 1));
            }
            assertThat(channels(table::forEach)).isEqualTo(channels);
            for (long key = 1; key < 200; key++) {
                long at = seed % 2 == 0 ? key << 33 : key;
                assertThat(partialMessages.lastPlace(at)).isEqualTo(places.getOrDefault(at, MessageLog.NO_PLACE));
            }
            assertThat(partialMessages.count()).isEqualTo(places.size());
            List<Long> listed = new ArrayList<>();
            stones.forEach(0, listed::add);
            stones.forEach(1, listed::add);
            assertThat(listed).containsExactlyElementsOf(gone.stream().sorted().toList());
        }
    }
}
