package org.posthouse.core;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import java.nio.ByteBuffer;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.posthouse.wire.CheckpointNotice;
import org.posthouse.wire.CloseNotice;
import org.posthouse.wire.CloseReason;
import org.posthouse.wire.FrameType;
import org.posthouse.wire.Hello;
import org.posthouse.wire.JobEvent;
import org.posthouse.wire.JobKept;
import org.posthouse.wire.ReplayLimit;
import org.posthouse.wire.Wire;
import org.posthouse.wire.WireException;

/** A rank says where it can be started again, sends its image, and comes back from it. */
final class CheckpointsTest {
    private static final int WINDOW = Wire.IMAGE_WINDOW_BYTES;
    private static final int PIECE = Wire.PAYLOAD_BYTES_MAX;

    private OneRelay relay;
    private OneRelay.Rank rank;

    CheckpointsTest() throws Exception {
        relay = OneRelay.logged();
        rank = relay.connect(0);
        relay.events.clear();
    }

    @AfterEach
    void nothingIsLeft() {
        relay.end();
    }

    private void says(CheckpointNotice.Kind kind, long bytes) throws WireException {
        relay.pointed(rank.rank, new CheckpointNotice(OneRelay.JOB, kind, 0, 0, bytes, 0, 11, 12, 8, 9));
    }

    private void sends(long offset, int bytes) throws WireException {
        rank.sends(relay.frames.image(offset, bytes));
    }

    @Test
    void storedImageCountsOnceItsRecordIsLogged() throws Exception {
        says(CheckpointNotice.Kind.SAVE, 100);
        sends(0, 60);
        sends(60, 40);
        assertThat(relay.images.take()).containsExactly("begin rank 0 #1: 100", "put rank 0 #1: 60", "put rank 0 #1: 40", "end rank 0 #1");
        assertThat(rank.take()).isEmpty();
        relay.core.storage().imageStored(rank.rank, 1, new CheckpointImage(1, 100, 7));
        assertThat(rank.take()).containsExactly("point SAVED 1 0, 0 events, 0 failed polls");
        assertThat(relay.journal.events).last().asString().contains("CheckpointImage[number=1, bytes=100, crc=7]");
        assertThat(relay.events).last().satisfies(event -> {
            assertThat(event.kind()).isEqualTo(JobEvent.CHECKPOINTED);
            assertThat(List.of((long) event.code(), event.a(), event.b())).containsExactly(1L, 11L, 12L);
        });
    }

    /** A launcher that was not told, or whose relay died with the word, hears it when it comes. */
    @Test
    void reportsReplayLimitUntilAnImageIsStored() throws Exception {
        ByteBuffer limit = relay.frames.events(1, 1);
        limit.put(Wire.EVENTS_HEADER_BYTES + 4, (byte) Wire.EVENT_LIMIT);
        limit.putLong(Wire.EVENTS_HEADER_BYTES + 8, ReplayLimit.THREADS.code());
        rank.sends(limit);
        JobEvent limited = new JobEvent(OneRelay.JOB, JobEvent.LIMITED, 0, 0, ReplayLimit.THREADS.text());
        assertThat(rank.rank.checkpoints().outputNotesTold()).containsExactly(limited);
        relay.pointed(rank.rank, new CheckpointNotice(OneRelay.JOB, CheckpointNotice.Kind.SAVE, 0, 0, 100, 1, 11, 12, 8, 9));
        sends(0, 100);
        assertThat(rank.rank.checkpoints().outputNotesTold()).containsExactly(limited);
        relay.core.storage().imageStored(rank.rank, 1, new CheckpointImage(1, 100, 7));
        assertThat(rank.rank.checkpoints().outputNotesTold()).extracting(JobEvent::kind).containsExactly(JobEvent.CHECKPOINTED);
    }

    /** Whoever starts from it does not print that again. */
    @Test
    void imageWaitsUntilLauncherHasStoredEarlierOutput() throws Exception {
        relay.end();
        relay = OneRelay.keepingOutput();
        rank = relay.connect(0);
        relay.events.clear();
        says(CheckpointNotice.Kind.SAVE, 100);
        sends(0, 100);
        JobEvent asked = new JobEvent(OneRelay.JOB, JobEvent.SAVES, 0, 1, 8, 9, "");
        assertThat(relay.events).containsExactly(asked);
        assertThat(rank.rank.checkpoints().asking()).as("what a launcher that comes again is asked").contains(asked);
        relay.core.outputKept(new JobKept(OneRelay.JOB, 0, 1, 8, 8));
        relay.core.outputKept(new JobKept(OneRelay.JOB, 0, 1, 7, 9));
        relay.core.outputKept(new JobKept(OneRelay.JOB, 0, 2, 8, 9));
        relay.core.outputKept(new JobKept(OneRelay.JOB, 1, 1, 8, 9));
        relay.core.outputKept(new JobKept(OneRelay.JOB, 5, 1, 8, 9));
        assertThat(relay.images.take()).as("not of less, nor of other processes").containsExactly("begin rank 0 #1: 100", "put rank 0 #1: 100");
        relay.core.outputKept(new JobKept(OneRelay.JOB, 0, 1, 8, 9));
        assertThat(relay.images.take()).containsExactly("end rank 0 #1");
        assertThat(rank.rank.checkpoints().asking()).isEmpty();
        relay.core.outputKept(new JobKept(OneRelay.JOB, 0, 1, 8, 9));
        assertThat(relay.images.take()).as("once").isEmpty();
        relay.core.storage().imageStored(rank.rank, 1, new CheckpointImage(1, 100, 7));
        assertThat(rank.take()).containsExactly("point SAVED 1 0, 0 events, 0 failed polls");
    }

    /** It is then started again by nobody. */
    @Test
    void aRankIsDoneOnceItHasCalledFinalize() throws Exception {
        relay.core.outputKept(JobKept.done(OneRelay.JOB, 0));
        assertThat(relay.journal.events).doesNotContain("rank 0 is done");
        rank.sends(relay.frames.finalizing(0));
        relay.core.outputKept(JobKept.done(OneRelay.JOB, 0));
        relay.core.outputKept(JobKept.done(OneRelay.JOB, 9));
        assertThat(relay.journal.events).last().isEqualTo("rank 0 is done");
    }

    /** All that was printed comes while the image is on its way; and the end of a prologue, which is executed again, waits for nobody. */
    @Test
    void outputStoredInTimeDelaysNoCheckpoint() throws Exception {
        relay.end();
        relay = OneRelay.keepingOutput();
        rank = relay.connect(0);
        says(CheckpointNotice.Kind.READY, 0);
        assertThat(rank.take()).containsExactly("point SAVED 0 0, 0 events, 0 failed polls");
        says(CheckpointNotice.Kind.SAVE, 100);
        relay.core.outputKept(new JobKept(OneRelay.JOB, 0, 1, 20, 9));
        sends(0, 100);
        assertThat(relay.images.take()).endsWith("end rank 0 #1");
    }

    @Test
    void needsTheOldestMessageThatWaitsForIt() throws Exception {
        OneRelay.Rank sender = relay.connect(1);
        rank.sends(relay.frames.post(0, 1, 0, 0, 1, 0));
        for (long sequence = 1; sequence <= 3; sequence++) {
            sender.sends(relay.frames.message(FrameType.SEND, 0, 1, 0, 0, sequence, 10));
        }
        long last = relay.journal.position();
        says(CheckpointNotice.Kind.READY, 0);
        assertThat(relay.journal.events).last().asString()
                .as("the second and the third of three records wait").contains("RecoveryPoint[pin=" + (last - 1) + ", deliveries=1,")
                .contains("waits=message 1->0 context 0 tag 0 sequence 2 (10 bytes)]");
        receiveTwo();
        long next = relay.journal.position() + 1;
        says(CheckpointNotice.Kind.SAVE, 10);
        sends(0, 10);
        relay.core.storage().imageStored(rank.rank, 1, new CheckpointImage(1, 10, 7));
        assertThat(relay.journal.events).last().asString().contains("RecoveryPoint[pin=" + next + ", deliveries=3,", "waits=]");
    }

    /** A rank whose connection broke before it was answered says it again. */
    @Test
    void aPrologueEndsOnce() throws Exception {
        says(CheckpointNotice.Kind.READY, 0);
        rank.take();
        relay.events.clear();
        List<String> logged = List.copyOf(relay.journal.events);
        says(CheckpointNotice.Kind.READY, 0);
        assertThat(rank.take()).containsExactly("point SAVED 0 0, 0 events, 0 failed polls");
        assertThat(relay.journal.events).isEqualTo(logged);
        assertThat(relay.events).isEmpty();
    }

    private void receiveTwo() throws WireException {
        rank.sends(relay.frames.post(0, 1, 0, 0, 2, 0));
        rank.sends(relay.frames.post(0, 1, 0, 0, 3, 0));
    }

    @Test
    void moreOfAnImageComesAsItIsWritten() throws Exception {
        says(CheckpointNotice.Kind.SAVE, 2L * WINDOW);
        for (int at = 0; at < WINDOW; at += PIECE) {
            sends(at, PIECE);
        }
        assertThatExceptionOfType(WireException.class).isThrownBy(() -> sends(WINDOW, PIECE))
                .satisfies(e -> assertThat(e.reason()).isEqualTo(CloseReason.CREDIT_EXCEEDED));
        relay.core.storage().imageWritten(rank.rank, 1, PIECE);
        assertThat(rank.take()).containsExactly("point MORE 0 " + (WINDOW + PIECE) + ", 0 events, 0 failed polls");
        sends(WINDOW, PIECE);
    }

    @Test
    void anImageThatFailedIsSentToItsEndAndForgotten() throws Exception {
        says(CheckpointNotice.Kind.SAVE, 100);
        sends(0, 60);
        relay.core.storage().imageFailed(rank.rank, 1);
        assertThat(rank.take()).isEmpty();
        sends(60, 40);
        assertThat(rank.take()).containsExactly("point FAILED 0 0, 0 events, 0 failed polls");
        assertThat(relay.images.take()).as("nobody holds the rank for it").endsWith("drop rank 0 #1");
        says(CheckpointNotice.Kind.SAVE, 10);
        assertThat(relay.images.take()).endsWith("begin rank 0 #2: 10");
    }

    /** Nobody says any more how much of it was written, and its rank waits for that. */
    @Test
    void allOfAnImageThatFailedMayCome() throws Exception {
        says(CheckpointNotice.Kind.SAVE, WINDOW + 1L);
        relay.core.storage().imageFailed(rank.rank, 1);
        assertThat(rank.take()).containsExactly("point MORE 0 " + (WINDOW + 1) + ", 0 events, 0 failed polls");
    }

    @Test
    void aRankThatGoesTakesItsHalfImageWithIt() throws Exception {
        says(CheckpointNotice.Kind.SAVE, 100);
        relay.core.disconnected(rank.rank, rank, CloseNotice.closing(OneRelay.JOB, CloseReason.NORMAL, "gone"));
        assertThat(relay.images.take()).endsWith("drop rank 0 #1");
        relay.core.storage().imageStored(rank.rank, 1, new CheckpointImage(1, 100, 7));
        assertThat(relay.journal.events).noneMatch(event -> event.contains("ImageNote"));
    }

    @Test
    void ignoresLateResultOfAnEarlierImage() throws Exception {
        says(CheckpointNotice.Kind.SAVE, 100);
        sends(0, 100);
        relay.core.storage().imageFailed(rank.rank, 1);
        says(CheckpointNotice.Kind.SAVE, 50);
        relay.core.storage().imageStored(rank.rank, 1, new CheckpointImage(1, 100, 7));
        assertThat(relay.journal.events).noneMatch(event -> event.contains("ImageNote"));
        sends(0, 50);
        relay.core.storage().imageStored(rank.rank, 2, new CheckpointImage(2, 50, 8));
        assertThat(relay.journal.events).last().asString().contains("CheckpointImage[number=2, bytes=50, crc=8]");
    }

    @Test
    void refusesImageChunksOutOfOrderOrBeyondAnnouncedLength() throws Exception {
        says(CheckpointNotice.Kind.SAVE, 100);
        sends(0, 60);
        assertThatExceptionOfType(WireException.class).isThrownBy(() -> sends(50, 50)).withMessageContaining("expected at 60 of 100");
        assertThatExceptionOfType(WireException.class).isThrownBy(() -> sends(60, 41)).withMessageContaining("expected at 60 of 100");
        sends(60, 40);
        assertThat(relay.images.take()).endsWith("put rank 0 #1: 40", "end rank 0 #1");
    }

    @Test
    void refusesUnexpectedCheckpointNotices() throws Exception {
        assertThatExceptionOfType(WireException.class).isThrownBy(() -> says(CheckpointNotice.Kind.JUMP, 0));
        assertThatExceptionOfType(WireException.class).isThrownBy(() -> sends(0, 10));
        assertThatExceptionOfType(WireException.class).as("an event that it has not told")
                .isThrownBy(() -> relay.pointed(rank.rank, new CheckpointNotice(OneRelay.JOB, CheckpointNotice.Kind.READY, 0, 0, 0, 1, 0, 0, 0, 0)));
        rank.sends(relay.frames.post(0, 1, 0, 0, 1, 0));
        assertThatExceptionOfType(WireException.class).as("a receive is posted").isThrownBy(() -> says(CheckpointNotice.Kind.SAVE, 1));
    }

    /** What the relay would find for it now may be another image than it has gone on from, or one where there was none. */
    @Test
    void reconnectingProcessWithOriginIsNotSentItAgain() throws Exception {
        for (int origin : new int[] {Hello.NO_IMAGE, 5}) {
            relay.core.disconnected(rank.rank, rank, CloseNotice.closing(OneRelay.JOB, CloseReason.NORMAL, "cut"));
            OneRelay.Rank next = relay.new Rank();
            Hello hello = Hello.start(OneRelay.JOB, 0, 1).again(Hello.AGAIN, 0, 0, 0, 1, 1).from(origin);
            relay.historySource.take();
            relay.connect(hello, next);
            assertThat(relay.historySource.take()).containsExactly("begin rank 0 #" + next.rank.replay().number() + " and its origin");
            next.take();
            relay.core.storage().historyRead(next.rank, next.rank.replay().number(), List.of(new HistoryStep.PrologueEnd(0, 0, 0, 0, 0)));
            assertThat(next.take()).isEmpty();
            rank = next;
        }
    }

    /** Also the newest two images, which a launcher that comes is told again. */
    @Test
    void launcherReceivesPrologueAndNewestImages() throws Exception {
        relay.core.disconnected(rank.rank, rank, CloseNotice.closing(OneRelay.JOB, CloseReason.NORMAL, "gone"));
        OneRelay.Rank next = relay.new Rank();
        relay.connect(Hello.start(OneRelay.JOB, 0, 2), next);
        relay.core.storage().historyRead(next.rank, next.rank.replay().number(), List.of(new HistoryStep.End(relay.journal.position())));
        next.sends(relay.frames.live());
        rank = next;
        relay.events.clear();
        says(CheckpointNotice.Kind.READY, 0);
        JobEvent prologue = new JobEvent(OneRelay.JOB, JobEvent.CHECKPOINTED, 0, 0, 11, 12, "");
        assertThat(relay.events).containsExactly(prologue);
        assertThat(relay.journal.events).last().asString().contains("out=11, err=12");
        for (int image = 1; image <= 3; image++) {
            says(CheckpointNotice.Kind.SAVE, 1);
            sends(0, 1);
            relay.core.storage().imageStored(rank.rank, image, new CheckpointImage(image, 1, 7));
        }
        assertThat(rank.rank.checkpoints().outputNotesTold()).containsExactly(
                prologue,
                new JobEvent(OneRelay.JOB, JobEvent.CHECKPOINTED, 0, 2, 11, 12, ""),
                new JobEvent(OneRelay.JOB, JobEvent.CHECKPOINTED, 0, 3, 11, 12, ""));
    }

    @Test
    void aHistoryJumpsToAnImageAndGoesOnBehindIt() throws Exception {
        relay.core.disconnected(rank.rank, rank, CloseNotice.closing(OneRelay.JOB, CloseReason.NORMAL, "gone"));
        OneRelay.Rank next = relay.new Rank();
        relay.connect(Hello.start(OneRelay.JOB, 0, 2), next);
        relay.core.storage().historyRead(next.rank, next.rank.replay().number(), List.of(
                new HistoryStep.Polls(3),
                new HistoryStep.PrologueEnd(5, 70, 40, 30, 20),
                new HistoryStep.ImagePiece(5, 0, ByteBuffer.allocate(70)),
                new HistoryStep.Events(31, 1, ByteBuffer.allocate(Wire.EVENT_BYTES))));
        assertThat(next.take()).containsExactly(
                "point JUMP 5 70, 30 events, 3 failed polls", "image 5 at 0: 70", "events 31 to 31, 20 failed polls");
        rank = next;
    }
}
