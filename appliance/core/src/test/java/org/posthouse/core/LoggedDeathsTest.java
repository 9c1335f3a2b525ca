package org.posthouse.core;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.posthouse.wire.CloseNotice;
import org.posthouse.wire.CloseReason;
import org.posthouse.wire.FrameType;
import org.posthouse.wire.FrameView;
import org.posthouse.wire.Hello;
import org.posthouse.wire.RankFailed;

/** Sends to a rank that its launcher has given up, in a logged job, at one relay. Rank 1 is dead, rank 0 sends. */
final class LoggedDeathsTest extends TwoRanks {
    private static final long LONG = 100_000;

    LoggedDeathsTest() throws Exception {
        super(OneRelay.loggedTellingFailures());
    }

    @BeforeEach
    void receiverDies() {
        isCut(receiver);
        relay.core.rankFailed(new RankFailed(OneRelay.JOB, 1, 1));
        assertThat(sender.take()).containsExactly("failed 1 incarnation 1");
    }

    private void isCut(OneRelay.Rank port) {
        relay.core.disconnected(port.rank, port, CloseNotice.closing(OneRelay.JOB, CloseReason.NORMAL, "cut"));
    }

    /** The sender's process comes over another connection, and is told of the death again. */
    private OneRelay.Rank comesAgain() throws Exception {
        isCut(sender);
        OneRelay.Rank again = relay.new Rank();
        relay.connect(Hello.firstStart(OneRelay.JOB, 0).again(Hello.AGAIN, 0, 0, 0, 1, 1), again);
        relay.core.storage().historyRead(again.rank, again.rank.replay().number(), List.of(new HistoryStep.End(relay.journal.position())));
        again.sends(relay.frames.live());
        assertThat(again.take()).endsWith("failed 1 incarnation 1");
        return again;
    }

    private ByteBuffer offer(int flags) {
        ByteBuffer offer = relay.frames.message(FrameType.OFFER, 0, 0, 1, 4, 1, LONG);
        new FrameView().wrap(offer, 0).flags(flags);
        return offer;
    }

    @Test
    void offerTakesNoPlaceHoweverOftenItIsBegun() throws Exception {
        sender.sends(offer(0));
        OneRelay.Rank again = comesAgain();
        again.sends(offer(FrameView.AGAIN));
        assertThat(again.rank.sends().offers()).isZero();
        again.sends(relay.frames.withdraw(0, 0, 1, 1, 0));
        assertThat(again.take()).containsExactly("withdrawn ->1 #1 true");
        assertThat(again.rank.sends().offers()).isZero();
        assertThat(again.rank.sends().suppressed().gone()).as("later processes are told").hasSize(1);
    }

    /** It would be sent if there were credit, and thus does not fail: its sender is cleared to send it. */
    @Test
    void placeOfAnOfferForWantOfCreditIsFreedOnce() throws Exception {
        sender.sends(offer(FrameView.STORABLE));
        assertThat(sender.take()).containsExactly("clear ->1 #1 up to 100000");
        sender.sends(relay.frames.withdraw(0, 0, 1, 1, 0));
        assertThat(sender.rank.sends().offers()).isZero();
    }

    /** The history may say that the send has failed, which the process must know first. */
    @Test
    void clearIsSentBehindTheHistory() throws Exception {
        isCut(sender);
        OneRelay.Rank next = relay.new Rank();
        relay.connect(Hello.start(OneRelay.JOB, 0, 2), next);
        next.take();
        next.sends(offer(FrameView.AGAIN | FrameView.STORABLE));
        assertThat(next.take()).isEmpty();
        relay.core.storage().historyRead(next.rank, next.rank.replay().number(), List.of(new HistoryStep.End(relay.journal.position())));
        assertThat(next.take()).endsWith("clear ->1 #1 up to 100000").hasSizeGreaterThan(1);
    }
}
