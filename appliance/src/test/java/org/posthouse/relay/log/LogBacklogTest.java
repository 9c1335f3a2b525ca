package org.posthouse.relay.log;

import java.nio.ByteBuffer;
import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.posthouse.core.Parcel;
import org.posthouse.core.Peer;
import org.posthouse.relay.shard.FramePeer;
import org.posthouse.wire.BlockedReport;
import org.posthouse.wire.FrameType;

/** What waits for room in the log, and in which order it goes on. */
final class LogBacklogTest {
    private final List<String> done = new ArrayList<>();
    private final List<Long> told = new ArrayList<>();
    private boolean full = true;
    private final LogBacklog logBacklog = new LogBacklog(() -> full, told::add);

    @Test
    void holdsLoggedFramesWhileFullAndAllFramesBehindThem() {
        assertThat(logBacklog.stopsFirst(FrameType.SEND)).isTrue();
        assertThat(logBacklog.stopsFirst(FrameType.EVENTS)).isTrue();
        assertThat(logBacklog.stopsFirst(FrameType.LIVE)).isTrue();
        assertThat(logBacklog.stopsFirst(FrameType.POINT)).as("what makes room").isFalse();
        assertThat(logBacklog.stopsFirst(FrameType.IMAGE)).isFalse();
        assertThat(logBacklog.stopsFirst(FrameType.FINALIZE)).isFalse();
        assertThat(logBacklog.stops(FrameType.CREDIT)).isFalse();
        wait("first", new Nobody());
        assertThat(logBacklog.stops(FrameType.CREDIT)).as("behind another").isTrue();
        full = false;
        assertThat(logBacklog.stops(FrameType.CREDIT)).as("until that has gone").isTrue();
        assertThat(logBacklog.isIdle()).isFalse();
        logBacklog.goOn();
        assertThat(logBacklog.stops(FrameType.SEND)).isFalse();
        assertThat(logBacklog.isIdle()).isTrue();
    }

    @Test
    void goesOnInOrderAsFarAsThereIsRoom() {
        Peer peer = new Nobody();
        wait("first", peer);
        logBacklog.add(peer, Unpooled.buffer(), () -> full = true);
        wait("third", peer);
        logBacklog.add(() -> done.add("connection"));
        logBacklog.goOn();
        assertThat(done).as("it is full").isEmpty();
        full = false;
        logBacklog.goOn();
        assertThat(done).containsExactly("first");
        full = false;
        logBacklog.goOn();
        assertThat(done).containsExactly("first", "third", "connection");
    }

    /** It adds itself again if its next frame must wait. */
    @Test
    void asksEachConnectionOnce() {
        full = false;
        Runnable[] goOn = new Runnable[1];
        goOn[0] = () -> {
            done.add("connection");
            logBacklog.add(goOn[0]);
        };
        logBacklog.add(goOn[0]);
        logBacklog.goOn();
        assertThat(done).hasSize(1);
    }

    @Test
    void discardsFramesOfDroppedPeer() {
        Peer gone = new Nobody();
        Peer other = new Nobody();
        ByteBuf dropped = Unpooled.buffer();
        wait("of the other", other);
        logBacklog.add(gone, dropped, () -> done.add("of the gone"));
        logBacklog.drop(gone);
        assertThat(dropped.refCnt()).isZero();
        full = false;
        logBacklog.goOn();
        assertThat(done).containsExactly("of the other");
    }

    /** Else a rank that is told so would believe that a message which waits here does not come. */
    @Test
    void keepsSomeWordsOnBlockedRanksInTheirOrder() {
        Peer peer = new Nobody();
        wait("frame", peer);
        logBacklog.addWord(peer, () -> done.add("word"));
        wait("behind", peer);
        full = false;
        logBacklog.goOn();
        assertThat(done).containsExactly("frame", "word", "behind");
    }

    @Test
    void boundsQueuedTasksAndDiscardsThoseOfDroppedPeers() {
        Peer gone = new Nobody();
        Peer other = new Nobody();
        logBacklog.addWord(gone, () -> done.add("of the gone"));
        logBacklog.drop(gone);
        for (int word = 0; word < 2 * LogBacklog.WORDS_MAX; word++) {
            logBacklog.addWord(other, () -> done.add("word"));
        }
        full = false;
        logBacklog.goOn();
        assertThat(done).hasSize(LogBacklog.WORDS_MAX).containsOnly("word");
        logBacklog.addWord(other, () -> done.add("one more"));
        logBacklog.goOn();
        assertThat(done).as("there is room for words again").endsWith("one more");
    }

    @Test
    void tellsWhichJobsWait() {
        logBacklog.waits(7);
        assertThat(told).containsExactly(7L);
    }

    private void wait(String what, Peer from) {
        logBacklog.add(from, Unpooled.buffer(), () -> done.add(what));
    }

    private static final class Nobody extends FramePeer {
        @Override
        public boolean isFar() {
            return false;
        }

        @Override
        public void send(ByteBuf frame) {
            throw new AssertionError("nothing is sent");
        }

        @Override
        public boolean forward(Parcel frame, boolean kept) {
            throw new AssertionError("nothing is sent");
        }

        @Override
        public void failure(ByteBuffer frame, boolean behind) {
            throw new AssertionError("nothing is sent");
        }

        @Override
        public void stall(FrameType type, BlockedReport blockedReport) {
            throw new AssertionError("nothing is sent");
        }

        @Override
        public String toString() {
            return "nobody";
        }
    }
}
