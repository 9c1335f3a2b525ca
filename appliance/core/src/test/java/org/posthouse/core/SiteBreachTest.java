package org.posthouse.core;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.util.List;
import java.util.function.Function;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.posthouse.wire.CloseReason;
import org.posthouse.wire.FrameType;
import org.posthouse.wire.Hello;
import org.posthouse.wire.JobEvent;
import org.posthouse.wire.Wire;

/** A site that lies ends the job it lies about, with a reason, and nothing else; it cannot move another site's ranks. */
final class SiteBreachTest {
    private final OneRelay relay;
    private final OneRelay.Rank zero;

    SiteBreachTest() throws Exception {
        relay = new OneRelay();
        zero = relay.connect(0);
        zero.sends(relay.frames.message(FrameType.SEND, 0, 0, 3, 0, 1, 100));
        zero.sends(relay.frames.message(FrameType.OFFER, 0, 0, 3, 0, 2, 500_000));
        zero.sends(relay.frames.message(FrameType.EAGER, 0, 0, 3, 0, 3, 5_000));
    }

    @AfterEach
    void theOtherJobHeardNothing() {
        assertThat(relay.otherEvents).isEmpty();
        relay.end();
    }

    /** A lie, built when the test runs. */
    private static Arguments lie(String what, String site, CloseReason closeReason, Function<Frames, ByteBuffer> frame) {
        return Arguments.of(what, site, closeReason, frame);
    }

    static Stream<Arguments> lies() {
        FrameType send = FrameType.SEND;
        return Stream.of(
                lie("message of another site's rank", "far", CloseReason.WRONG_SITE, f -> f.message(send, 0, 3, 0, 0, 1, 0)),
                lie("message of a rank here", "there", CloseReason.WRONG_SITE, f -> f.message(send, 0, 1, 0, 0, 1, 0)),
                lie("message of no rank", "there", CloseReason.WRONG_SITE, f -> f.message(send, 0, -1, 0, 0, 1, 0)),
                lie("message of a rank past the end", "there", CloseReason.WRONG_SITE, f -> f.message(send, 0, 5, 0, 0, 1, 0)),
                lie("message for another site", "there", CloseReason.WRONG_RANK, f -> f.message(send, 0, 3, 4, 0, 1, 0)),
                lie("message for no rank", "there", CloseReason.MALFORMED_FRAME, f -> f.message(send, 0, 3, 5, 0, 1, 0)),
                lie("gap", "there", CloseReason.SEQUENCE_GAP, f -> f.message(send, 0, 3, 0, 0, 2, 0)),
                lie("long eager", "there", CloseReason.LIMIT, f -> f.message(FrameType.EAGER, 0, 3, 0, 0, 1, Wire.EAGER_BYTES_MAX + 1)),
                lie("chunk of nothing", "there", CloseReason.NOT_EXPECTED, f -> f.chunk(0, 3, 0, 1, 0, 8)),
                lie("chunk of another site's rank", "far", CloseReason.WRONG_SITE, f -> f.chunk(0, 3, 0, 1, 0, 8)),
                lie("rank's frame", "there", CloseReason.NOT_EXPECTED, f -> f.post(0, 3, 0, 0, 0, 0)),
                lie("finalize", "there", CloseReason.NOT_EXPECTED, f -> f.finalizing(0)),
                lie("clear for another site's offer", "far", CloseReason.WRONG_SITE, f -> f.clear(0, 0, 3, 2, 65_536)),
                lie("clear in the name of no rank", "there", CloseReason.WRONG_SITE, f -> f.clear(0, 0, -1, 2, 65_536)),
                lie("clear in the name of a rank past the end", "there", CloseReason.WRONG_SITE, f -> f.clear(0, 0, 5, 2, 65_536)),
                lie("clear for a rank elsewhere", "there", CloseReason.WRONG_RANK, f -> f.clear(0, 4, 3, 2, 65_536)),
                lie("clear of nothing", "there", CloseReason.NOT_EXPECTED, f -> f.clear(0, 0, 3, 9, 65_536)),
                lie("clear of an eager message", "there", CloseReason.NOT_EXPECTED, f -> f.clear(0, 0, 3, 3, 5_000)),
                lie("clear past the end", "there", CloseReason.MALFORMED_FRAME, f -> f.clear(0, 0, 3, 2, 500_001)),
                lie("clear backwards", "there", CloseReason.MALFORMED_FRAME, f -> f.clear(0, 0, 3, 2, -1)),
                lie("clear of nothing more", "there", CloseReason.MALFORMED_FRAME, f -> f.clear(0, 0, 3, 2, 0)),
                lie("withdrawal of another site's message", "far", CloseReason.WRONG_SITE, f -> f.withdraw(0, 3, 0, 1, 0)),
                lie("withdrawal for another site", "there", CloseReason.WRONG_RANK, f -> f.withdraw(0, 3, 4, 1, 0)),
                lie("answer to no withdrawal", "there", CloseReason.NOT_EXPECTED, f -> f.withdrawn(0, 0, 3, 2, true)),
                lie("answer about nothing", "there", CloseReason.NOT_EXPECTED, f -> f.withdrawn(0, 0, 3, 9, false)),
                lie("answer about another site's offer", "far", CloseReason.WRONG_SITE, f -> f.withdrawn(0, 0, 3, 2, true)),
                lie("answer for a rank elsewhere", "there", CloseReason.WRONG_RANK, f -> f.withdrawn(0, 4, 3, 2, true)),
                lie("credit for a rank elsewhere", "there", CloseReason.WRONG_RANK, f -> f.credit(3, 1, 1)),
                lie("credit for no rank", "there", CloseReason.WRONG_RANK, f -> f.credit(-1, 1, 1)),
                lie("credit never used, in bytes", "there", CloseReason.CREDIT_EXCEEDED, f -> f.credit(0, 1 << 30, 1)),
                lie("credit never used, in messages", "there", CloseReason.CREDIT_EXCEEDED, f -> f.credit(0, 100, 3)),
                lie("negative bytes", "there", CloseReason.CREDIT_EXCEEDED, f -> f.credit(0, -1, 1)),
                lie("negative messages", "there", CloseReason.CREDIT_EXCEEDED, f -> f.credit(0, 1, -1)));
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("lies")
    void endsTheJobItLiesAbout(String what, String site, CloseReason closeReason, Function<Frames, ByteBuffer> lie) {
        long used = zero.rank.sends().creditBytesUsed();
        relay.fromSite(site, lie.apply(relay.frames));
        assertThat(relay.failure()).startsWith(closeReason + ": ").contains("from site " + site);
        assertThat(zero.heard).as("the rank itself hears nothing of it").isEmpty();
        assertThat(zero.rank.sends().creditBytesUsed()).isEqualTo(used);
        assertThat(zero.rank.state()).isEqualTo(RankState.CONNECTED);
    }

    /** A relay of the grid that has no rank of the job: whatever it knows of it, it is nobody to the job. */
    @ParameterizedTest(name = "{0}")
    @MethodSource("lies")
    void relayWithoutRankOfTheJobCannotEndIt(String what, String site, CloseReason closeReason, Function<Frames, ByteBuffer> lie) {
        long used = zero.rank.sends().creditBytesUsed();
        relay.fromSite("nowhere", lie.apply(relay.frames));
        relay.fromSite("nowhere", relay.frames.credit(0, 100, 1));
        assertThat(relay.failure()).isNull();
        assertThat(zero.heard).isEmpty();
        assertThat(zero.rank.sends().creditBytesUsed()).isEqualTo(used);
        assertThat(relay.strangers).as("it is told of").hasSize(2);
    }

    @Test
    void takesTheTruth() {
        relay.fromSite("there", relay.frames.clear(0, 0, 3, 2, 65_536));
        relay.fromSite("there", relay.frames.credit(0, 100 + Wire.MESSAGE_COST_BYTES, 1));
        assertThat(relay.failure()).isNull();
        assertThat(zero.take()).containsExactly("clear ->3 #2 up to 65536", "credit 356 bytes 1 messages");
    }

    @Test
    void clearsEmptyOfferOnce() throws Exception {
        zero.sends(relay.frames.message(FrameType.OFFER, 0, 0, 3, 0, 4, 0));
        relay.fromSite("there", relay.frames.clear(0, 0, 3, 4, 0));
        assertThat(zero.take()).containsExactly("clear ->3 #4 up to 0");
        assertThat(relay.failure()).isNull();
        relay.fromSite("there", relay.frames.clear(0, 0, 3, 4, 0));
        assertThat(relay.failure()).startsWith("NOT_EXPECTED");
    }

    @Test
    void endsTheJobWhereAnOfferIsClearedAndTakenBack() throws Exception {
        zero.sends(relay.frames.withdraw(0, 0, 3, 2, 0));
        relay.fromSite("there", relay.frames.clear(0, 0, 3, 2, 65_536));
        relay.fromSite("there", relay.frames.withdrawn(0, 0, 3, 2, true));
        assertThat(relay.failure()).startsWith("NOT_EXPECTED: ").contains("from site there");
        assertThat(zero.rank.sends().offers()).isZero();
    }

    @Test
    void dropsDuplicateFromSite() throws Exception {
        zero.sends(relay.frames.post(0, 3, 0, 0, 6, 0));
        for (int i = 0; i < 3; i++) {
            relay.fromSite("there", relay.frames.message(FrameType.SEND, 0, 3, 0, 0, 1, 9));
        }
        assertThat(zero.take()).containsExactly("deliver #1 from 3 to request 6");
        assertThat(relay.failure()).isNull();
        assertThat(zero.rank.mailbox().unexpected()).isZero();
    }

    /** What it sends waits in memory: no more of it than a relay gives a rank credit for, whether that one minds it or not. */
    @Test
    void endsTheJobWhenARelayMindsNoCredit() throws Exception {
        int most = CoreConfig.DEFAULT.creditMessages();
        for (int sequence = 1; sequence <= most; sequence++) {
            relay.fromSite("there", relay.frames.message(FrameType.SEND, 0, 3, 0, 0, sequence, 0));
        }
        zero.sends(relay.frames.post(0, 3, 0, 0, 6, 0));
        relay.fromSite("there", relay.frames.message(FrameType.SEND, 0, 3, 0, 0, most + 1, 0));
        assertThat(relay.failure()).as("one was received").isNull();
        relay.fromSite("there", relay.frames.message(FrameType.SEND, 0, 3, 0, 0, most + 2, 0));
        assertThat(relay.failure()).startsWith("CREDIT_EXCEEDED: ").contains("from site there");
    }

    @Test
    void endsTheJobWhenARelayMindsNoLimitOfOffers() throws Exception {
        for (int sequence = 1; sequence <= SendSide.OFFERS_MAX; sequence++) {
            relay.fromSite("there", relay.frames.message(FrameType.OFFER, 0, 3, 0, 0, sequence, 1));
        }
        relay.fromSite("there", relay.frames.withdraw(0, 3, 0, SendSide.OFFERS_MAX, 0));
        zero.sends(relay.frames.post(0, 3, 0, 0, 6, 0));
        for (int more = 1; more <= 2; more++) {
            relay.fromSite("there", relay.frames.message(FrameType.OFFER, 0, 3, 0, 0, SendSide.OFFERS_MAX + more, 1));
        }
        assertThat(relay.failure()).as("one was taken back, and one received").isNull();
        relay.fromSite("there", relay.frames.message(FrameType.OFFER, 0, 3, 0, 0, SendSide.OFFERS_MAX + 3, 1));
        assertThat(relay.failure()).startsWith("LIMIT: ").contains("from site there");
    }

    @Test
    void dropsFramesOfJobsThatHaveEnded() {
        relay.fromSite("there", new Frames(404).message(FrameType.SEND, 0, 3, 0, 0, 1, 9));
        relay.fromSite("there", new Frames(404).credit(0, 1, 1));
        assertThat(relay.failure()).isNull();
        assertThat(relay.ledger.open()).isZero();
    }

    @Test
    void failsTheJobWhenThereIsNoWayToTheSite() throws Exception {
        relay.linked = false;
        zero.sends(relay.frames.message(FrameType.SEND, 0, 0, 4, 0, 1, 1));
        assertThat(relay.failure()).startsWith("SITE_UNREACHABLE: ").contains("site far", "rank 4");
    }

    @Test
    void failsOnlyJobsWithRanksAtTheRestartedRelay() throws Exception {
        relay.core.peerRestarted(relay.peer("nowhere"), List.of());
        assertThat(relay.failure()).isNull();
        relay.core.peerRestarted(relay.far, List.of());
        assertThat(relay.failure()).startsWith("CANNOT_RESUME: ").contains("site far");
        assertThat(relay.otherEvents).as("it is being opened, and none of its ranks has come").isEmpty();
        relay.connect(Hello.firstStart(OneRelay.OTHER_JOB, 1), relay.new Rank());
        relay.otherEvents.clear();
        relay.core.peerRestarted(relay.far, List.of());
        assertThat(relay.otherEvents).extracting(JobEvent::kind).containsExactly(JobEvent.ABORTED);
        relay.otherEvents.clear();
    }
}
