package org.posthouse.relay;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.vertx.core.Vertx;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.posthouse.core.CoreConfig;
import org.posthouse.directory.MemoryDirectory;
import org.posthouse.launch.job.JobFailure;
import org.posthouse.launch.place.RelayClient;
import org.posthouse.logstore.LogConfig;
import org.posthouse.logstore.MessageLog;
import org.posthouse.logstore.OddRecord;
import org.posthouse.logstore.record.Checkpoint;
import org.posthouse.logstore.record.LogRecord;
import org.posthouse.relay.config.AcceptorConfig;
import org.posthouse.relay.config.LauncherTimeout;
import org.posthouse.relay.config.LogLimits;
import org.posthouse.relay.config.ModeConfig;
import org.posthouse.relay.config.RelayConfig;
import org.posthouse.relay.shard.Shard;
import org.posthouse.status.RankStatus;
import org.posthouse.wire.CheckpointNotice;
import org.posthouse.wire.CloseNotice;
import org.posthouse.wire.CloseReason;
import org.posthouse.wire.Durability;
import org.posthouse.wire.Hello;
import org.posthouse.wire.HomeRelay;
import org.posthouse.wire.JobEvent;
import org.posthouse.wire.JobJoin;
import org.posthouse.wire.JobOpen;
import org.posthouse.wire.Token;
import org.slf4j.LoggerFactory;

/** A logged job at a relay without its launcher: who may come back to it, what he is told, and when it is over. */
@Timeout(120)
class LauncherReturnsTest {
    private static final long JOB = 42;
    private static final Token TOKEN = new Token(1, 2);
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    @TempDir
    private Path folder;

    private final Vertx vertx = Vertx.vertx();
    private final MemoryDirectory directory = new MemoryDirectory();
    private final List<JobEvent> events = new CopyOnWriteArrayList<>();
    private final AtomicInteger syncs = new AtomicInteger();
    private Relay relay;
    private int keepSeconds;
    private boolean keepsOutput;

    @AfterEach
    void close() throws Exception {
        vertx.close().await(60, TimeUnit.SECONDS);
        directory.close();
    }

    private void start(LauncherTimeout wait) throws Exception {
        RelayConfig config = new RelayConfig(
                "here", "here", 1, AcceptorConfig.loopback(0), "", ModeConfig.of(RelayConfig.Mode.MULTIPLEXED), 3, Optional.of(folder), LogLimits.DEFAULT, wait,
                CoreConfig.DEFAULT, Optional.empty(), 0, RelayConfig.STAGE_BYTES_DEFAULT);
        relay = new Relay(config, directory, log -> () -> {
            syncs.incrementAndGet();
            return log.get();
        });
        vertx.deployVerticle(relay).await(60, TimeUnit.SECONDS);
    }

    /** What a relay that died would have left: a job of three ranks, of which one was there, and one has finalized. */
    private void leaveLog() {
        try (MessageLog dead = MessageLog.open(LogConfig.of(folder))) {
            dead.appendJobOpened(new LogRecord.JobOpened(JOB, 3, 1), opening(TOKEN, false).at("here").encode());
            dead.append(new LogRecord.Incarnation(JOB, 0, 1, 0, 0));
            dead.append(new LogRecord.Incarnation(JOB, 1, 1, 0, 0));
            dead.append(new LogRecord.Finalized(JOB, 1, 1, false));
        }
    }

    private JobOpen opening(Token token, boolean again) {
        return opening(JOB, token, again);
    }

    private JobOpen opening(long job, Token token, boolean again) {
        return new JobOpen(job, token, Durability.PROCESS, again, "test", List.of(new HomeRelay("here", "here", "")), new int[3], keepSeconds, keepsOutput);
    }

    private RelayClient launcher(Token token, boolean again) throws JobFailure {
        RelayClient line = RelayClient.connect(relay.address(), Token.NONE);
        line.listen(events::add, why -> {});
        line.open(opening(token, again));
        return line;
    }

    private List<String> heard() {
        return events.stream().map(event -> event.rank() + ":" + event.kind()).sorted().toList();
    }

    @Test
    void returningLauncherReceivesStateOfEachRankAfterRelayRestart() throws Exception {
        leaveLog();
        start(LauncherTimeout.DEFAULT);
        try (RelayClient line = launcher(TOKEN, true)) {
            await().atMost(PATIENCE).until(() -> events.size() >= 2);
            assertThat(heard()).containsExactly("0:" + JobEvent.AWAY, "1:" + JobEvent.FINALIZED);
            assertThat(line.home().relay()).isEqualTo("here");
        }
    }

    /** Its image does not count before: the launcher that was asked has gone. */
    @Test
    void returningLauncherIsAskedForOutputOfRankThatSaves() throws Exception {
        keepsOutput = true;
        start(LauncherTimeout.DEFAULT);
        String asked = "0:" + JobEvent.SAVES;
        try (RawPeer rank = RawPeer.connect(relay.address())) {
            try (RelayClient first = launcher(TOKEN, false)) {
                rank.hello(Hello.firstStart(JOB, 0), TOKEN.ofRelay("here"));
                rank.send(new CheckpointNotice(JOB, CheckpointNotice.Kind.SAVE, 0, 0, 100, 0, 11, 12, 8, 9).encode());
                await().atMost(PATIENCE).until(() -> heard().contains(asked));
                assertThat(first.home().relay()).isEqualTo("here");
            }
            events.clear();
            try (RelayClient second = launcher(TOKEN, true)) {
                await().atMost(PATIENCE).until(() -> heard().contains(asked));
                assertThat(events).contains(new JobEvent(JOB, JobEvent.SAVES, 0, 1, 8, 9, ""));
                assertThat(second.home().relay()).isEqualTo("here");
            }
        }
    }

    /** Without the marks lines are shown twice. */
    @Test
    void returningLauncherReceivesOutputOffsetsOfImagesAgain() throws Exception {
        leaveLog();
        try (MessageLog dead = MessageLog.open(LogConfig.of(folder))) {
            for (int image = 0; image <= 3; image++) {
                dead.append(new LogRecord.CheckpointTaken(
                        JOB, 0, new Checkpoint(image, 0, dead.position() + 1, 0, 0, 0, 0, image == 0, 10 * image, image)));
            }
        }
        start(LauncherTimeout.DEFAULT);
        List<JobEvent> marks = List.of(mark(0, 0, 0), mark(2, 20, 2), mark(3, 30, 3));
        for (int launcher = 0; launcher < 2; launcher++) {
            events.clear();
            try (RelayClient line = launcher(TOKEN, true)) {
                await().atMost(PATIENCE).until(() -> heard().contains("1:" + JobEvent.FINALIZED));
                assertThat(events).containsSubsequence(marks);
                assertThat(line.home().relay()).isEqualTo("here");
            }
        }
    }

    /** It was told once, perhaps to nobody: to a launcher that died before it had written it down. */
    @Test
    void returningLauncherLearnsWhichRanksCannotBeReplayed() throws Exception {
        leaveLog();
        try (MessageLog dead = MessageLog.open(LogConfig.of(folder))) {
            dead.appendEvents(new LogRecord.Events(JOB, 0, 1, 1, 1, true), ByteBuffer.allocate(LogRecord.Events.ITEM_BYTES));
        }
        start(LauncherTimeout.DEFAULT);
        for (int launcher = 0; launcher < 2; launcher++) {
            events.clear();
            try (RelayClient line = launcher(TOKEN, true)) {
                await().atMost(PATIENCE).until(() -> events.size() >= 3);
                assertThat(heard()).containsExactlyInAnyOrder("0:" + JobEvent.AWAY, "0:" + JobEvent.LIMITED, "1:" + JobEvent.FINALIZED);
                assertThat(line.home().relay()).isEqualTo("here");
            }
        }
    }

    /** Rank 2 has left the joint job, and said before, in its own job, that it cannot be replayed. It has saved an image since then. */
    @Test
    void limitInAJointJobCountsUntilTheRankHasLeftIt() throws Exception {
        leaveLog();
        long other = JOB + 1;
        List<HomeRelay> here = List.of(new HomeRelay("here", "here", ""));
        JobJoin join = new JobJoin(JOB, JOB + 2, 0, new JobJoin.Part(JOB, new int[] {0, 2}), new JobJoin.Part(other, new int[] {0}), here, new int[3]);
        try (MessageLog dead = MessageLog.open(LogConfig.of(folder))) {
            dead.appendJobOpened(new LogRecord.JobOpened(other, 3, 1), opening(other, TOKEN, false).at("here").encode());
            JobOpen joint = JobOpen.joint(join, TOKEN, Durability.PROCESS, "joint");
            dead.appendJobOpened(new LogRecord.JobOpened(joint.job(), 3, 1), joint.at("here").encode());
            for (int rank = 0; rank < 2; rank++) {
                dead.append(new LogRecord.Incarnation(joint.job(), rank, 1, 0, 0));
                dead.appendEvents(new LogRecord.Events(joint.job(), rank, 1, 1, 1, true), ByteBuffer.allocate(LogRecord.Events.ITEM_BYTES));
            }
            dead.append(new LogRecord.Finalized(joint.job(), 1, 1, false));
        }
        start(LauncherTimeout.DEFAULT);
        for (int launcher = 1; launcher <= 2; launcher++) {
            int told = launcher;
            try (RelayClient line = launcher(TOKEN, true)) {
                await().atMost(PATIENCE).until(() -> heard().stream().filter(("0:" + JobEvent.LIMITED)::equals).count() == told);
                assertThat(line.home().relay()).isEqualTo("here");
            }
        }
        assertThat(heard()).doesNotContain("2:" + JobEvent.LIMITED);
    }

    @Test
    void deliveriesOfTheDeadRelayAreNotCounted() throws Exception {
        leaveLog();
        try (MessageLog dead = MessageLog.open(LogConfig.of(folder))) {
            dead.appendArrival(
                    new LogRecord.Arrival(JOB, 0, 0, 2, 5, 1, 1, 4, 4, LogRecord.Form.SEND, false, new LogRecord.Receipt(1, 1, 1)), ByteBuffer.allocate(4));
        }
        start(LauncherTimeout.DEFAULT);
        await().atMost(PATIENCE).until(() -> relay.view().snapshot().jobs().size() == 1);
        RankStatus rank = relay.view().snapshot().jobs().getFirst().ranks().getFirst();
        assertThat(List.of(rank.rank(), rank.messagesSent(), rank.messagesDelivered())).asList().containsExactly(0, 0L, 0L);
        assertThat(relay.view().snapshot().counters().traffic().messagesOut()).isZero();
    }

    private static JobEvent mark(int image, long out, long err) {
        return new JobEvent(JOB, JobEvent.CHECKPOINTED, 0, image, out, err, "");
    }

    @Test
    void aJobFromTheLogHasDivergedAsOftenAsBefore() throws Exception {
        leaveLog();
        try (MessageLog dead = MessageLog.open(LogConfig.of(folder))) {
            dead.appendDiverged(new LogRecord.Diverged(JOB, 1), ByteBuffer.wrap("rank 0 sent this".getBytes(StandardCharsets.UTF_8)));
            dead.appendDiverged(new LogRecord.Diverged(JOB, 2), ByteBuffer.wrap("rank 0 sent that".getBytes(StandardCharsets.UTF_8)));
        }
        start(LauncherTimeout.DEFAULT);
        assertThat(inControl(() -> List.of(job().divergences(), job().divergence(), relay.jobs().events().divergences()))).containsExactly(2L,
                "rank 0 sent that", 2L);
    }

    /** One word too many in one job's records, and all that the relay had logged was lost with it. */
    @Test
    void aJobWhoseRecordsCannotBeUsedFailsByNameAndTheOthersGoOn() throws Exception {
        leaveLog();
        try (MessageLog dead = MessageLog.open(LogConfig.of(folder))) {
            for (long job = JOB + 1; job <= JOB + 3; job++) {
                dead.appendJobOpened(new LogRecord.JobOpened(job, 3, 1), opening(job, TOKEN, false).at("here").encode());
            }
            dead.appendArrival(new LogRecord.Arrival(JOB + 1, 0, 0, 9, 5, 1, 1, 4, 4, LogRecord.Form.SEND, false, null), ByteBuffer.allocate(4));
            long arrival = dead.appendArrival(new LogRecord.Arrival(JOB + 2, 0, 0, 1, 5, 1, 1, 8, 8, LogRecord.Form.SEND, false, null), ByteBuffer.allocate(4));
            dead.appendChunk(JOB + 2, 0, arrival, 4, ByteBuffer.allocate(4));
            OddRecord.append(dead, JOB + 3);
        }
        start(LauncherTimeout.DEFAULT);
        try (RelayClient line = launcher(TOKEN, true)) {
            await().atMost(PATIENCE).until(() -> events.size() >= 2);
            assertThat(heard()).containsExactly("0:" + JobEvent.AWAY, "1:" + JobEvent.FINALIZED);
            for (long job = JOB + 1; job <= JOB + 3; job++) {
                events.clear();
                line.open(opening(job, TOKEN, true));
                await().atMost(PATIENCE).until(() -> !events.isEmpty());
                assertThat(events).singleElement().satisfies(event -> assertThat(event.kind()).isEqualTo(JobEvent.ABORTED));
                assertThat(events.getFirst().text()).contains("LOG_DAMAGED: job 000000000000002", "opened at position ", folder.toString(),
                        "restore the relay's data folder");
                assertThat(directory.ranks(job)).isEmpty();
            }
        }
    }

    /** The relay did not start, and no job went on. */
    @Test
    void aJobThatNeedsFilesWhichAreGoneFailsByNameAndTheOthersGoOn() throws Exception {
        long lacking = JOB + 1;
        ByteBuffer payload = ByteBuffer.allocate(16 << 10);
        try (MessageLog dead = MessageLog.open(new LogConfig(folder, 128 << 10, 0))) {
            dead.appendJobOpened(new LogRecord.JobOpened(lacking, 3, 1), opening(lacking, TOKEN, false).at("here").encode());
            for (int sequence = 1; dead.rolls() < 2; sequence++) {
                dead.appendArrival(
                        new LogRecord.Arrival(lacking, 0, 0, 1, 5, sequence, 1, payload.capacity(), payload.capacity(), LogRecord.Form.SEND, false, null),
                        payload.duplicate());
            }
        }
        leaveLog();
        Path oldest;
        try (Stream<Path> files = Files.list(folder)) {
            oldest = files.filter(file -> file.toString().endsWith(".cq4")).min(Comparator.naturalOrder()).orElseThrow();
        }
        Files.delete(oldest);
        start(LauncherTimeout.DEFAULT);
        try (RelayClient line = launcher(TOKEN, true)) {
            await().atMost(PATIENCE).until(() -> events.size() >= 2);
            assertThat(heard()).containsExactly("0:" + JobEvent.AWAY, "1:" + JobEvent.FINALIZED);
            events.clear();
            line.open(opening(lacking, TOKEN, true));
            await().atMost(PATIENCE).until(() -> !events.isEmpty());
            assertThat(events).singleElement().satisfies(event -> assertThat(event.kind()).isEqualTo(JobEvent.ABORTED));
            assertThat(events.getFirst().text()).contains("LOG_DAMAGED: job 000000000000002b", folder.toString(), ".cq4: rank 0 ", "older files are gone");
        }
    }

    /** A build that is wrong is started once, and a job of a month is not to be lost with that: only somebody's word ends it. */
    @Test
    void aJobWithAFolderWhoseRecordsCannotBeUsedStandsInTheLogUntilItIsEnded() throws Exception {
        keepsOutput = true;
        try (MessageLog dead = MessageLog.open(LogConfig.of(folder))) {
            dead.appendJobOpened(new LogRecord.JobOpened(JOB, 3, 1), opening(TOKEN, false).at("here").encode());
            OddRecord.append(dead, JOB);
        }
        start(new LauncherTimeout(1, 1));
        for (int launcher = 1; launcher <= 2; launcher++) {
            events.clear();
            try (RelayClient line = launcher(TOKEN, true)) {
                await().atMost(PATIENCE).until(() -> !events.isEmpty());
                assertThat(events).singleElement().satisfies(event -> {
                    assertThat(List.of(event.kind(), event.rank(), event.code())).containsExactly(JobEvent.ABORTED, -1, JobEvent.STANDS);
                    assertThat(event.text()).contains("LOG_DAMAGED", "POLLS");
                });
            }
            await().atMost(PATIENCE).until(() -> inControl(() -> job().state()) == OpenJob.State.ORPHANED);
            assertThat(inControl(() -> job().launcherAwaitedUntilMs())).isZero();
        }
        stop();
        start(new LauncherTimeout(1, 1));
        try (RelayClient line = launcher(TOKEN, true)) {
            line.closeJob(new CloseNotice(JOB, 1, -1, "ended by its user"));
            assertThat(line.awaitClosed(PATIENCE.toMillis())).isTrue();
        }
        stop();
        try (MessageLog log = MessageLog.open(LogConfig.of(folder))) {
            assertThat(log.book().jobs()).isEmpty();
        }
    }

    /** The relay's next process finds it open, and somebody is to end it again. */
    @Test
    void launcherThatEndsJobHearsThatTheLogDidNotRecordIt() throws Exception {
        leaveLog();
        start(LauncherTimeout.DEFAULT);
        Path metadata = folder.resolve("metadata.cq4t");
        Path away = Files.move(metadata, folder.resolve("away"));
        await().atMost(PATIENCE).until(() -> relay.log().failure().isPresent());
        try (RelayClient line = launcher(TOKEN, true)) {
            line.closeJob(new CloseNotice(JOB, 1, -1, "ended by its user"));
            assertThat(line.awaitClosed(PATIENCE.toMillis())).isFalse();
        }
        await().atMost(PATIENCE).until(() -> inControl(this::job) == null);
        assertThatThrownBy(() -> launcher(TOKEN, true)).hasMessageContainingAll("LOG_BROKEN: job 000000000000002a", "its log did not take that");
        Files.move(away, metadata);
        assertThatThrownBy(() -> launcher(TOKEN, true)).as("now it has").hasMessageContaining("UNKNOWN_JOB");
        stop();
        try (MessageLog log = MessageLog.open(LogConfig.of(folder))) {
            assertThat(log.book().jobs()).isEmpty();
        }
    }

    /** A rank that polls may do it for days while nobody ends the job, and each of its frames fails. */
    @Test
    void logsOnceThatJobCannotGoOn() throws Exception {
        for (boolean folder : new boolean[] {false, true}) {
            keepsOutput = folder;
            start(LauncherTimeout.DEFAULT);
            ListAppender<ILoggingEvent> lines = new ListAppender<>();
            lines.list = new CopyOnWriteArrayList<>();
            lines.start();
            Logger logger = (Logger) LoggerFactory.getLogger(RankEvents.class);
            Level before = logger.getLevel();
            logger.setLevel(Level.INFO);
            logger.addAppender(lines);
            try (RelayClient line = launcher(TOKEN, false)) {
                Shard shard = relay.shards().of(JOB, 0);
                shard.strand().submit(() -> {
                    for (int frame = 0; frame < 100; frame++) {
                        shard.core().failJob(JOB, CloseReason.LOG_BROKEN, "no disk");
                    }
                });
                await().atMost(PATIENCE).until(() -> !events.isEmpty());
                line.closeJob(new CloseNotice(JOB, 1, -1, "ended by its user"));
                assertThat(line.awaitClosed(PATIENCE.toMillis())).isTrue();
            } finally {
                logger.detachAppender(lines);
                logger.setLevel(before);
            }
            assertThat(lines.list).extracting(ILoggingEvent::getFormattedMessage).filteredOn(text -> text.contains("no disk")).hasSize(1);
            assertThat(events).hasSize(1);
            events.clear();
            stop();
        }
    }

    /** They go on sending, and here nobody takes it. */
    @Test
    void faultedJobReportsLossOfMessagesFromOtherRelays() throws Exception {
        keepsOutput = true;
        List<HomeRelay> homes = List.of(new HomeRelay("here", "here", ""), new HomeRelay("there", "there", ""));
        try (MessageLog dead = MessageLog.open(LogConfig.of(folder))) {
            dead.appendJobOpened(new LogRecord.JobOpened(JOB, 3, 1),
                    new JobOpen(JOB, TOKEN, Durability.PROCESS, false, "test", homes, new int[] {0, 0, 1}, 0, true).at("here").encode());
            OddRecord.append(dead, JOB);
        }
        start(LauncherTimeout.DEFAULT);
        try (RelayClient line = launcher(TOKEN, true)) {
            await().atMost(PATIENCE).until(() -> !events.isEmpty());
            assertThat(events.getFirst().text()).endsWith("; what its ranks at other relays have sent here meanwhile is lost to it");
            assertThat(line.home().relay()).isEqualTo("here");
        }
    }

    /** What comes again and again does not push the job's end out. */
    @Test
    void returningLauncherReceivesJobEndDespiteManyOtherEvents() throws Exception {
        leaveLog();
        start(LauncherTimeout.DEFAULT);
        inControl(() -> {
            for (int word = 0; word < 2 * OpenJob.UNTOLD_MAX; word++) {
                job().tell(new JobEvent(JOB, word % 100 == 0 ? JobEvent.ABORTED : JobEvent.LINK_STATE, -1, 1, "word " + word));
            }
            job().tell(new JobEvent(JOB, JobEvent.LINK_STATE, -1, 1, "the last"));
            return null;
        });
        try (RelayClient line = launcher(TOKEN, true)) {
            await().atMost(PATIENCE).until(() -> events.stream().anyMatch(event -> event.text().equals("the last")));
            assertThat(line.home().relay()).isEqualTo("here");
            assertThat(events.stream().filter(event -> event.rank() < 0)).hasSize(OpenJob.UNTOLD_MAX).first()
                    .matches(event -> event.kind() == JobEvent.ABORTED);
            assertThat(ends()).containsExactly("word 0");
        }
    }

    /** Anybody may come with one, as often as he likes. */
    @Test
    void launcherReceivesOnlyTheFirstWrongTokenEvents() throws Exception {
        leaveLog();
        start(LauncherTimeout.DEFAULT);
        inControl(() -> {
            job().tell(new JobEvent(JOB, JobEvent.LINK_STATE, -1, 1, "the first"));
            for (int stranger = 0; stranger < 2 * OpenJob.UNTOLD_MAX; stranger++) {
                job().tell(new JobEvent(JOB, JobEvent.REFUSED, 0, CloseReason.WRONG_TOKEN.code(), "not the job's"));
            }
            job().tell(new JobEvent(JOB, JobEvent.REFUSED, 0, CloseReason.FENCED.code(), "the last"));
            return null;
        });
        try (RelayClient line = launcher(TOKEN, true)) {
            await().atMost(PATIENCE).until(() -> events.stream().anyMatch(event -> event.text().equals("the last")));
            assertThat(line.home().relay()).isEqualTo("here");
            assertThat(events).extracting(JobEvent::text).contains("the first");
            assertThat(events.stream().filter(event -> event.code() == CloseReason.WRONG_TOKEN.code())).hasSize(OpenJob.TOLD_MAX)
                    .last().matches(event -> event.text().startsWith("not the job's; of more"));
        }
    }

    private List<String> ends() {
        return events.stream().filter(event -> event.kind() == JobEvent.ABORTED).map(JobEvent::text).toList();
    }

    /** Each frame of another relay that lies says it again. */
    @Test
    void eachLauncherReceivesJobEndOnce() throws Exception {
        leaveLog();
        start(LauncherTimeout.DEFAULT);
        for (String launcher : List.of("first", "second")) {
            events.clear();
            try (RelayClient line = launcher(TOKEN, true)) {
                inControl(() -> {
                    for (int word = 0; word < 100; word++) {
                        job().tell(new JobEvent(JOB, JobEvent.ABORTED, -1, 1, launcher));
                    }
                    job().tell(new JobEvent(JOB, JobEvent.LINK_STATE, -1, 1, "the last"));
                    return null;
                });
                await().atMost(PATIENCE).until(() -> events.stream().anyMatch(event -> event.text().equals("the last")));
                assertThat(line.home().relay()).isEqualTo("here");
                assertThat(ends()).containsExactly(launcher);
            }
        }
    }

    @Test
    void returningLauncherWithWrongTokenIsRefused() throws Exception {
        leaveLog();
        start(LauncherTimeout.DEFAULT);
        assertThatThrownBy(() -> launcher(new Token(1, 3), true)).hasMessageContaining("WRONG_TOKEN").hasMessageContaining("not the job's");
        assertThatThrownBy(() -> launcher(TOKEN, false)).hasMessageContaining("DUPLICATE_JOB");
        launcher(TOKEN, true).close();
    }

    @Test
    void aJobFromTheLogEndsIfNobodyComes() throws Exception {
        leaveLog();
        start(new LauncherTimeout(200, 60_000));
        assertEnds();
        vertx.undeploy(relay.deploymentID()).await(60, TimeUnit.SECONDS);
        try (MessageLog log = MessageLog.open(LogConfig.of(folder))) {
            assertThat(log.book().jobs()).isEmpty();
        }
    }

    @Test
    void aJobOutlivesItsLaunchersConnectionAndItsReplacedOne() throws Exception {
        start(LauncherTimeout.DEFAULT);
        launcher(TOKEN, false).close();
        RelayClient second = launcher(TOKEN, true);
        try (RelayClient third = launcher(TOKEN, true)) {
            second.close();
            assertThat(third.home().relay()).as("a launcher's old connection that ends behind its new one ends nothing").isEqualTo("here");
            launcher(TOKEN, true).close();
        }
    }

    @Test
    void aJobWhoseLauncherHasGoneEndsIfNobodyComes() throws Exception {
        start(new LauncherTimeout(60_000, 200));
        launcher(TOKEN, false).close();
        assertEnds();
    }

    /** A host that is started again stops everything in good order first, and may lose its power behind that. */
    @Test
    void aJobOfARelayThatStopsStandsInItsLogOnTheDisk() throws Exception {
        start(new LauncherTimeout(60_000, 200));
        CompletableFuture<String> lost = new CompletableFuture<>();
        try (RelayClient line = RelayClient.connect(relay.address(), Token.NONE)) {
            line.listen(events::add, lost::complete);
            line.open(opening(TOKEN, false));
            stop();
            assertThat(lost.get()).contains("has ended the connection: RELAY_STOPPING");
            assertThat(events).as("what its launcher was told").isEmpty();
        }
        assertThat(syncs).hasValue(1);
        try (MessageLog log = MessageLog.open(LogConfig.of(folder))) {
            assertThat(log.book().jobs()).singleElement().satisfies(job -> assertThat(job.id()).isEqualTo(JOB));
        }
        start(LauncherTimeout.DEFAULT);
        launcher(TOKEN, true).close();
    }

    /** Nor does the relay wait for a disk that nobody needs. */
    @Test
    void aJobWithoutALogEndsWithItsRelay() throws Exception {
        start(LauncherTimeout.DEFAULT);
        try (RelayClient line = RelayClient.connect(relay.address(), Token.NONE)) {
            line.open(new JobOpen(JOB, TOKEN, Durability.NONE, false, "test", List.of(new HomeRelay("here", "here", "")), new int[3]));
            stop();
        }
        assertThat(directory.ranks(JOB)).isEmpty();
        assertThat(syncs).hasValue(0);
    }

    private void stop() throws Exception {
        vertx.undeploy(relay.deploymentID()).await(60, TimeUnit.SECONDS);
    }

    /** In both ways of being without one: what the relay itself is set to is over at once. */
    @Test
    void jobOutlivesRelayDefaultByItsOwnRetention() throws Exception {
        keepSeconds = 60;
        leaveLog();
        start(new LauncherTimeout(0, 0));
        for (int launcher = 0; launcher < 3; launcher++) {
            launcher(TOKEN, true).close();
        }
    }

    private <T> T inControl(Supplier<T> what) {
        return CompletableFuture.supplyAsync(what, relay.control()::post).join();
    }

    /** For the control strand. */
    private OpenJob job() {
        return relay.jobs().job(JOB);
    }

    private void assertEnds() {
        await().atMost(PATIENCE).until(() -> inControl(this::job) == null && directory.ranks(JOB).isEmpty());
        assertThatThrownBy(() -> launcher(TOKEN, true)).hasMessageContaining("UNKNOWN_JOB").hasMessageContaining("not open any more");
    }
}
