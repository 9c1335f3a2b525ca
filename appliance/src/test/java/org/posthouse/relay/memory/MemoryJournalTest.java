package org.posthouse.relay.memory;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.Unpooled;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.posthouse.core.HistoryStep;
import org.posthouse.core.Message;
import org.posthouse.core.Parcel;
import org.posthouse.relay.io.BufferParcel;
import org.posthouse.wire.FollowedRanks;
import org.posthouse.wire.FrameType;
import org.posthouse.wire.Wire;

/** What a journal in memory keeps of rank 0, which is followed, and of rank 1, which is not; and when it holds senders. */
final class MemoryJournalTest {
    private static final long JOB = 7;
    private static final long SHARE = 1 << 20;
    private static final int BYTES = Wire.PAYLOAD_BYTES_MAX;

    private static final Message.Logged LOGGED = new Message.Logged(0, 1, 0, 5, 9, 1, 1, 1, FrameType.SEND, false, 0, 0);

    private final HistoryBudget budget = new HistoryBudget(SHARE);
    private long nanos;
    private int freed;
    private final MemoryJournal journal = new MemoryJournal(FollowedRanks.of(2, 1), budget, () -> nanos, () -> freed++);
    private long events;

    private void observes(int rank, int times) {
        for (int i = 0; i < times; i++) {
            Parcel items = new BufferParcel(Unpooled.buffer().writeZero(BYTES), 0, BYTES, 0);
            journal.events(JOB, rank, 1, ++events, 1, false, items);
            items.release();
        }
    }

    private HistoryCursor followed() {
        nanos += TimeUnit.SECONDS.toNanos(1);
        return journal.history(0).begin(5);
    }

    /** All that is there now is sent to the follower. */
    private List<HistoryStep> sends(HistoryCursor cursor) {
        List<HistoryStep> all = new ArrayList<>();
        HistoryStep.End end = new HistoryStep.End(-1);
        while (end.position() < journal.position()) {
            List<HistoryStep> steps = cursor.read(journal.position(), journal.position());
            end = (HistoryStep.End) steps.getLast();
            all.addAll(steps.subList(0, steps.size() - 1));
            cursor.reached(end.position());
            journal.trim(journal.history(0));
        }
        return all;
    }

    private static Parcel parcel(int bytes) {
        return new BufferParcel(Unpooled.buffer().writeZero(bytes), 0, bytes, 0);
    }

    @Test
    void newFollowerIsSentTheHistoryFromItsBeginningInTheOrderOfTheJournal() {
        Message early = message(FrameType.SEND, 8, 1);
        journal.arrival(JOB, early, parcel(8));
        observes(0, 1);
        Message late = message(FrameType.EAGER, 2L * BYTES, 2);
        journal.arrivalDelivered(JOB, 1, 1, Message.recovered(LOGGED, true).receive(), late, parcel(0));
        late.loggedPiece(BYTES, journal.chunk(JOB, late, 0, parcel(BYTES)));
        journal.polls(JOB, 0, 1, 3);
        late.loggedPiece(BYTES, journal.chunk(JOB, late, BYTES, parcel(BYTES)));
        List<HistoryStep> steps = sends(followed());
        assertThat(steps).extracting(step -> step.getClass().getSimpleName()).containsExactly("Events", "Delivered", "Piece", "Polls", "Piece");
        HistoryStep.Delivered delivered = (HistoryStep.Delivered) steps.get(1);
        assertThat(delivered.message().sequence()).isEqualTo(2);
        assertThat(delivered.arrived()).as("what had come when it was delivered").isZero();
        Parcel piece = journal.piece(JOB, delivered.message(), BYTES);
        assertThat(piece.payloadBytes()).isEqualTo(BYTES);
        piece.release();
    }

    /** It is read as often as there are followers, each time with its own envelope. */
    @Test
    void payloadThatWaitedIsReadBackAsItCame() {
        Message message = message(FrameType.SEND, 3, 1);
        Parcel came = new BufferParcel(Unpooled.wrappedBuffer(new byte[] {4, 5, 6}), 0, 3, 0);
        journal.arrival(JOB, message, came);
        BufferParcel head = (BufferParcel) journal.head(JOB, message, true);
        byte[] read = new byte[3];
        head.buffer().getBytes(head.payloadIndex(), read);
        head.release();
        assertThat(read).containsExactly(4, 5, 6);
        Parcel bare = journal.head(JOB, message, false);
        assertThat(bare.payloadBytes()).isZero();
        bare.release();
    }

    @Test
    void historyOfARankThatNobodyIsToFollowIsNotKept() {
        observes(1, 100);
        assertThat(journal.bytes(1)).isZero();
        assertThat(journal.position()).isEqualTo(100);
    }

    /** The beginning goes first: it is needed by nobody yet. */
    @Test
    void whatAFollowerHasBeenSentIsDroppedOnceTheHistoryIsHalfOfTheShare() {
        HistoryCursor cursor = followed();
        for (int i = 0; i < 64; i++) {
            observes(0, 1);
            sends(cursor);
            assertThat(journal.bytes(0)).isLessThanOrEqualTo(SHARE / 2);
        }
        assertThat(journal.hasHistory(0, 0, 0)).as("for a new follower").isFalse();
        assertThat(journal.history(0).isHere(0, 64)).as("for one that comes again with all").isTrue();
        assertThat(journal.history(0).isHere(0, 30)).as("for one that has too little").isFalse();
        assertThat(journal.holds()).isFalse();
    }

    /** What its connection had not carried when it broke is not lost, though it was sent. */
    @Test
    void followerThatComesAgainSoonFindsWhatItHadNotReadAlsoBehindACut() {
        HistoryCursor cursor = followed();
        for (int i = 0; i < 64; i++) {
            observes(0, 1);
            sends(cursor);
        }
        journal.history(0).end(5);
        observes(0, 3);
        assertThat(journal.history(0).isHere(0, 60)).isTrue();
        HistoryCursor again = journal.history(0).begin(6);
        assertThat(sends(again)).as("with what it has read").hasSize(7);
        assertThat(journal.holds()).isFalse();
        journal.history(0).end(6);
        nanos += TimeUnit.SECONDS.toNanos(RankHistory.AGAIN_SECONDS + 1);
        journal.look();
        assertThat(journal.bytes(0)).as("for one that has not come").isZero();
    }

    @Test
    void rankAtItsEndKeepsNothingForFollowersThatMayComeAgain() {
        HistoryCursor cursor = followed();
        observes(0, 3);
        sends(cursor);
        journal.history(0).end();
        journal.look();
        assertThat(journal.bytes(0)).isZero();
    }

    @Test
    void sendersAreHeldForAFollowerThatIsBehindAndItIsDroppedWhenAWholeShareIsKeptForIt() {
        HistoryCursor cursor = followed();
        observes(0, 9);
        assertThat(journal.holds()).isTrue();
        assertThat(journal.hasAmpleRoom()).isFalse();
        assertThat(journal.history(0).unsent(5)).isLessThan(SHARE);
        sends(cursor);
        assertThat(journal.holds()).isFalse();
        assertThat(freed).isEqualTo(1);
        observes(0, 17);
        assertThat(journal.history(0).unsent(5)).isGreaterThan(SHARE);
    }

    /** Its leader does not wait for ever for a process that may never come. */
    @Test
    void firstFollowersAreAwaitedForAWhileWithWhatFitsTheShare() {
        observes(0, 9);
        assertThat(journal.holds()).isTrue();
        journal.look();
        assertThat(journal.history(0).isHere(0, 0)).isTrue();
        nanos += TimeUnit.SECONDS.toNanos(MemoryJournal.AWAITED_SECONDS + 1);
        journal.look();
        assertThat(journal.holds()).isFalse();
        assertThat(freed).isEqualTo(1);
        assertThat(journal.bytes(0)).as("nobody follows").isZero();
        observes(0, 1_000);
        assertThat(journal.bytes(0)).isZero();
    }

    @Test
    void firstFollowersAreNotAwaitedWithMoreThanAShare() {
        observes(0, 17);
        assertThat(journal.bytes(0)).isZero();
        assertThat(journal.holds()).isFalse();
    }

    @Test
    void memoryIsSharedByAllHistoriesAndGivenBackAtTheEndOfTheJob() {
        observes(0, 1);
        assertThat(budget.share()).isEqualTo(SHARE);
        MemoryJournal other = new MemoryJournal(FollowedRanks.of(2, 2), budget, () -> nanos, () -> {});
        other.polls(8, 0, 1, 1);
        assertThat(budget.share()).isEqualTo(SHARE / 2);
        other.polls(8, 1, 1, 1);
        assertThat(budget.share()).isEqualTo(SHARE / 3);
        other.close();
        assertThat(budget.share()).isEqualTo(SHARE);
        journal.close();
        assertThat(journal.bytes(0)).isZero();
        assertThat(journal.history(0)).as("of a job that has ended").isNull();
    }

    @Test
    void historyOfARankThatIsDoneIsNotKept() {
        observes(0, 2);
        journal.done(JOB, 0, 1);
        assertThat(journal.bytes(0)).isZero();
    }

    /** The leader is given each chunk at once, and the follower is sent it. */
    @Test
    void oneMessageManyTimesTheShareIsFreedWhileItArrives() {
        HistoryCursor cursor = followed();
        assertThat(mostPieces(message(FrameType.EAGER, 100L * BYTES, 1), 100, () -> sends(cursor))).isLessThanOrEqualTo(SHARE / 2 / BYTES + 1);
    }

    @Test
    void messageToARankThatNobodyFollowsIsFreedAsItsLeaderIsGivenIt() {
        Message message = Message.recovered(new Message.Logged(0, 0, 1, 5, 1, 100L * BYTES, 1, 1, FrameType.EAGER, false, 0, 0), false);
        assertThat(mostPieces(message, 100, () -> {})).isLessThanOrEqualTo(1);
    }

    /** The most pieces of the message that were kept at a time while so many came. */
    private long mostPieces(Message message, int chunks, Runnable sent) {
        journal.arrivalDelivered(JOB, 1, 1, Message.recovered(LOGGED, true).receive(), message, parcel(0));
        long most = 0;
        for (long i = 0; i < chunks; i++) {
            Parcel chunk = parcel(BYTES);
            message.loggedPiece(BYTES, journal.chunk(JOB, message, i * BYTES, chunk));
            chunk.release();
            message.pass(BYTES);
            sent.run();
            most = Math.max(most, ((KeptMessage) message.journalEntry()).piecesHere());
        }
        return most;
    }

    /** It is as large as at any time of the relay, however many jobs and ranks share the memory for histories. */
    @Test
    void messagesThatWaitAreLimitedForAllJobsTogetherAndForgottenWithTheirs() {
        MemoryJournal other = new MemoryJournal(FollowedRanks.of(2, 2), budget, () -> nanos, () -> {});
        long limit = SHARE / 2 / BYTES;
        for (int i = 1; i < limit; i++) {
            other.arrival(8, message(FrameType.SEND, BYTES, i), parcel(BYTES));
        }
        assertThat(journal.hasAmpleRoom()).isTrue();
        Message last = message(FrameType.SEND, BYTES, limit);
        journal.arrival(JOB, last, parcel(BYTES));
        assertThat(journal.hasAmpleRoom()).isFalse();
        assertThat(other.hasAmpleRoom()).isFalse();
        other.close();
        assertThat(journal.hasAmpleRoom()).isTrue();
        journal.withdrawn(JOB, last);
        assertThat(budget.hasRoomToWait()).isTrue();
    }

    @Test
    void historyOfAProcessThatLeadsNowIsDroppedAsItIsSent() {
        HistoryCursor cursor = followed();
        observes(0, 64);
        long before = journal.bytes(0);
        List<HistoryStep> steps = cursor.read(Long.MAX_VALUE, journal.position());
        assertThat(steps.getLast()).isInstanceOf(HistoryStep.Reached.class);
        cursor.reached(((HistoryStep.Reached) steps.getLast()).position());
        journal.trim(journal.history(0));
        assertThat(journal.bytes(0)).isLessThan(before);
    }

    private static Message message(FrameType form, long bytes, long sequence) {
        return Message.recovered(new Message.Logged(0, 1, 0, 5, sequence, bytes, 1, 1, form, false, 0, 0), false);
    }
}
