package org.posthouse.relay;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.posthouse.core.Parcel;
import org.posthouse.core.Peer;
import org.posthouse.wire.BlockedReport;
import org.posthouse.wire.FrameType;

/** What waits for room in the log, and in which order it goes on. */
final class BacklogTest {
    private final List<String> done = new ArrayList<>();
    private final List<Long> told = new ArrayList<>();
    private boolean full = true;
    private final Backlog backlog = new Backlog(() -> full, told::add);

    @Test
    void stopsWhatIsLoggedWhileItIsFullAndAllThatComesBehindIt() {
        assertThat(backlog.stopsFirst(FrameType.SEND)).isTrue();
        assertThat(backlog.stopsFirst(FrameType.EVENTS)).isTrue();
        assertThat(backlog.stopsFirst(FrameType.LIVE)).isTrue();
        assertThat(backlog.stopsFirst(FrameType.POINT)).as("what makes room").isFalse();
        assertThat(backlog.stopsFirst(FrameType.IMAGE)).isFalse();
        assertThat(backlog.stopsFirst(FrameType.FINALIZE)).isFalse();
        assertThat(backlog.stops(FrameType.CREDIT)).isFalse();
        wait("first", new Nobody());
        assertThat(backlog.stops(FrameType.CREDIT)).as("behind another").isTrue();
        full = false;
        assertThat(backlog.stops(FrameType.CREDIT)).as("until that has gone").isTrue();
        assertThat(backlog.isIdle()).isFalse();
        backlog.goOn();
        assertThat(backlog.stops(FrameType.SEND)).isFalse();
        assertThat(backlog.isIdle()).isTrue();
    }

    @Test
    void goesOnInOrderAsFarAsThereIsRoom() {
        Peer peer = new Nobody();
        wait("first", peer);
        backlog.add(peer, Unpooled.buffer(), () -> full = true);
        wait("third", peer);
        backlog.add(() -> done.add("connection"));
        backlog.goOn();
        assertThat(done).as("it is full").isEmpty();
        full = false;
        backlog.goOn();
        assertThat(done).containsExactly("first");
        full = false;
        backlog.goOn();
        assertThat(done).containsExactly("first", "third", "connection");
    }

    /** It adds itself again if its next frame must wait. */
    @Test
    void asksEachConnectionOnce() {
        full = false;
        Runnable[] goOn = new Runnable[1];
        goOn[0] = () -> {
            done.add("connection");
            backlog.add(goOn[0]);
        };
        backlog.add(goOn[0]);
        backlog.goOn();
        assertThat(done).hasSize(1);
    }

    @Test
    void forgetsWhatARestartedRelayWillSayAgain() {
        Peer gone = new Nobody();
        Peer other = new Nobody();
        ByteBuf dropped = Unpooled.buffer();
        wait("of the other", other);
        backlog.add(gone, dropped, () -> done.add("of the gone"));
        backlog.drop(gone);
        assertThat(dropped.refCnt()).isZero();
        full = false;
        backlog.goOn();
        assertThat(done).containsExactly("of the other");
    }

    /** Else a rank that is told so would believe that a message which waits here does not come. */
    @Test
    void keepsSomeWordsOnBlockedRanksInTheirOrder() {
        Peer peer = new Nobody();
        wait("frame", peer);
        backlog.addWord(peer, () -> done.add("word"));
        wait("behind", peer);
        full = false;
        backlog.goOn();
        assertThat(done).containsExactly("frame", "word", "behind");
    }

    @Test
    void keepsNoMoreWordsThanItsLimitAndThoseOfNobodyWhoIsGone() {
        Peer gone = new Nobody();
        Peer other = new Nobody();
        backlog.addWord(gone, () -> done.add("of the gone"));
        backlog.drop(gone);
        for (int word = 0; word < 2 * Backlog.WORDS_MAX; word++) {
            backlog.addWord(other, () -> done.add("word"));
        }
        full = false;
        backlog.goOn();
        assertThat(done).hasSize(Backlog.WORDS_MAX).containsOnly("word");
        backlog.addWord(other, () -> done.add("one more"));
        backlog.goOn();
        assertThat(done).as("there is room for words again").endsWith("one more");
    }

    @Test
    void tellsWhichJobsWait() {
        backlog.waits(7);
        assertThat(told).containsExactly(7L);
    }

    private void wait(String what, Peer from) {
        backlog.add(from, Unpooled.buffer(), () -> done.add(what));
    }

    private static final class Nobody extends FramePeer {
        @Override
        public boolean isFar() {
            return false;
        }

        @Override
        void send(ByteBuf frame) {
            throw new AssertionError("nothing is sent");
        }

        @Override
        public boolean forward(Parcel frame, boolean kept) {
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
