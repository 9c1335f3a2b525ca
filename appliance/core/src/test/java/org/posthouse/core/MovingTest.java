package org.posthouse.core;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.posthouse.wire.CloseNotice;
import org.posthouse.wire.CloseReason;
import org.posthouse.wire.FrameType;
import org.posthouse.wire.Hello;
import org.posthouse.wire.JobEvent;
import org.posthouse.wire.StatePage;
import org.posthouse.wire.WireException;

/** A rank changes its connection: what it is sent meanwhile is held, in order, and counters that differ are refused. */
final class MovingTest {
    private static final StatePage.Entry TO_ONE = sent(1, 2);
    private static final StatePage.Entry TO_THREE = sent(3, 1);

    private final OneRelay relay;
    private OneRelay.Rank zero;
    private OneRelay.Rank one;

    MovingTest() throws Exception {
        relay = new OneRelay();
    }

    @BeforeEach
    void zeroHasTalked() throws Exception {
        zero = relay.connect(0);
        one = relay.connect(1);
        send(0, 1, 1);
        send(0, 1, 2);
        send(0, 3, 1);
        one.sends(relay.frames.message(FrameType.SEND, 0, 1, 0, 0, 1, 10));
        zero.sends(relay.frames.post(0, 1, 0, 0, 1, 0));
        zero.sends(relay.frames.post(0, 1, 0, 0, 2, 0));
        zero.take();
        relay.events.clear();
    }

    @AfterEach
    void nothingIsLeft() {
        relay.end();
    }

    private void send(int from, int to, long sequence) throws WireException {
        (from == 0 ? zero : one).sends(relay.frames.message(FrameType.SEND, 0, from, to, 0, sequence, 10));
    }

    private static StatePage.Entry sent(int to, long sequence) {
        return new StatePage.Entry(StatePage.SENT, 0, to, sequence);
    }

    private static Hello again(long deliveries) {
        return Hello.firstStart(OneRelay.JOB, 0).again(Hello.MOVED, deliveries, 7, 0, 1, 1);
    }

    private void leave() throws WireException {
        assertThat(relay.core.move(zero.rank)).isTrue();
        assertThat(zero.take()).containsExactly("move");
        zero.sends(relay.frames.moving());
        assertThat(zero.take()).containsExactly("close MOVED");
    }

    private OneRelay.Rank come(Hello hello, StatePage.Entry... sent) throws Refusal {
        OneRelay.Rank port = relay.new Rank();
        relay.connect(hello, port, sent);
        assertThat(port.welcome.deliveries()).isEqualTo(hello.deliveries());
        return port;
    }

    @Test
    void framesSentDuringMoveArriveOnTheNextConnection() throws Exception {
        leave();
        send(1, 0, 2);
        send(1, 0, 3);
        relay.fromSite("there", relay.frames.credit(0, 266, 1));
        OneRelay.Rank next = come(again(1), TO_ONE, TO_THREE);
        assertThat(next.take()).containsExactly("deliver #2 from 1 to request 2", "credit 266 bytes 1 messages");
        assertThat(next.rank.mailbox().unexpected()).as("the third had no receive").isEqualTo(1);
        relay.core.disconnected(next.rank, zero, CloseNotice.closing(0, CloseReason.NORMAL, "the old connection ended"));
        assertThat(next.rank.state()).isEqualTo(RankState.CONNECTED);
        next.sends(relay.frames.message(FrameType.SEND, 0, 0, 1, 0, 3, 10));
        next.sends(relay.frames.post(0, 1, 0, 0, 3, 0));
        assertThat(next.take()).containsExactly("deliver #3 from 1 to request 3");
        assertThat(relay.events).isEmpty();
    }

    @Test
    void countersThatDifferAreRefused() throws Exception {
        leave();
        send(1, 0, 2);
        refused(again(2), TO_ONE, TO_THREE);
        refused(again(0), TO_ONE, TO_THREE);
        refused(again(1), TO_ONE);
        refused(again(1), TO_ONE, sent(3, 2));
        refused(again(1), sent(1, 1), TO_THREE);
        refused(again(1), TO_ONE, TO_THREE, sent(9, 1));
        come(again(1), TO_ONE, TO_THREE);
        assertThat(relay.events).extracting(JobEvent::kind).containsOnly(JobEvent.REFUSED).hasSize(6);
    }

    private void refused(Hello hello, StatePage.Entry... sent) {
        assertThatExceptionOfType(Refusal.class)
                .isThrownBy(() -> relay.connect(hello, relay.new Rank(), sent))
                .satisfies(refusal -> assertThat(refusal.reason()).isEqualTo(CloseReason.CANNOT_RESUME));
    }

    @Test
    void nobodyMovesUnasked() {
        zero.isRefused(relay.frames.moving(), CloseReason.NOT_EXPECTED);
        assertThatExceptionOfType(Refusal.class)
                .isThrownBy(() -> relay.connect(again(1), relay.new Rank(), TO_ONE, TO_THREE))
                .satisfies(refusal -> assertThat(refusal.reason()).isEqualTo(CloseReason.FENCED));
    }

    /** It says its HELLO again, and ends: whoever waits for the job has heard that it is lost. */
    @Test
    void aRankWhoseWelcomeWasLostIsNoStranger() throws Exception {
        leave();
        OneRelay.Rank next = come(again(1), TO_ONE, TO_THREE);
        relay.core.disconnected(next.rank, next, CloseNotice.closing(0, CloseReason.NORMAL, "its connection was cut"));
        assertThatExceptionOfType(Refusal.class)
                .isThrownBy(() -> relay.connect(again(1), relay.new Rank(), TO_ONE, TO_THREE))
                .satisfies(refusal -> assertThat(refusal.reason()).isEqualTo(CloseReason.FENCED));
        assertThat(relay.events).extracting(JobEvent::kind).containsExactly(JobEvent.LOST);
    }

    @Test
    void itIsAskedOnceUntilItAnswers() throws Exception {
        relay.core.move(zero.rank);
        relay.core.move(zero.rank);
        assertThat(zero.take()).containsExactly("move");
        zero.sends(relay.frames.moving());
        assertThat(relay.core.move(zero.rank)).as("it is on its way").isFalse();
        OneRelay.Rank next = come(again(1), TO_ONE, TO_THREE);
        relay.core.move(next.rank);
        assertThat(next.take()).containsExactly("move");
        next.sends(relay.frames.finalizing(0));
        assertThat(next.rank.state()).as("it had said so before it was asked").isEqualTo(RankState.FINALIZED);
    }

    /** What it has sent is not safe yet: it would move, and be finalized on no connection when that is handled. */
    @Test
    void finalizingRankDoesNotMove() throws Exception {
        OneRelay logged = OneRelay.logged();
        List<OneRelay.Rank> ranks = List.of(logged.connect(0), logged.connect(1));
        for (OneRelay.Rank rank : ranks) {
            rank.sends(logged.frames.message(FrameType.SEND, 0, rank.rank.rank(), 3, 0, 1, 10));
            rank.sends(logged.frames.finalizing(0));
        }
        assertThat(logged.core.move(ranks.getFirst().rank)).isTrue();
        ranks.getFirst().isRefused(logged.frames.moving(), CloseReason.NOT_EXPECTED);
        logged.core.handled(logged.peer("there"), false, 2);
        assertThat(ranks).extracting(rank -> rank.rank.state()).containsOnly(RankState.FINALIZED);
        logged.end();
    }

    @Test
    void aRankThatDoesNotComeIsLost() throws Exception {
        leave();
        send(1, 0, 2);
        CloseNotice late = CloseNotice.closing(0, CloseReason.TIMEOUT, "late");
        relay.core.moveFailed(zero.rank, zero.rank.moves() - 1, late);
        assertThat(zero.rank.state()).as("that was another move").isEqualTo(RankState.MOVING);
        relay.core.moveFailed(zero.rank, zero.rank.moves(), late);
        assertThat(zero.rank.state()).isEqualTo(RankState.LOST);
        assertThat(relay.events).singleElement().satisfies(event -> assertThat(event.kind()).isEqualTo(JobEvent.LOST));
    }

    @Test
    void aJobThatEndsMeanwhileLeavesNothing() throws Exception {
        leave();
        send(1, 0, 2);
        relay.core.closeJob(OneRelay.JOB, new CloseNotice(OneRelay.JOB, 1, -1, "over"));
        assertThat(relay.ledger.open()).isZero();
    }
}
