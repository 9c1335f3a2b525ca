package org.posthouse.core;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.posthouse.wire.BlockedReport;
import org.posthouse.wire.CloseNotice;
import org.posthouse.wire.CloseReason;
import org.posthouse.wire.FrameType;
import org.posthouse.wire.JobEvent;
import org.posthouse.wire.WireException;

/** In what ranks are blocked, since when, and which of them their launcher hears of. */
final class BlockedRanksTest {
    private static final int P2P = BlockedReport.POINT_TO_POINT;

    private OneRelay relay;
    private OneRelay.Rank zero;
    private OneRelay.Rank one;

    BlockedRanksTest() throws Exception {
        use(new OneRelay());
    }

    private void use(OneRelay next) throws Exception {
        relay = next;
        zero = relay.connect(0);
        one = relay.connect(1);
        relay.events.clear();
    }

    @AfterEach
    void nothingIsLeft() {
        relay.end();
    }

    private void says(OneRelay.Rank rank, int number, String text, int bits) throws WireException {
        relay.blocked(rank.rank, new BlockedReport(OneRelay.JOB, 0, 0, number, rank.rank.rank(), 1 - rank.rank.rank(), text, bits));
    }

    private void collective(OneRelay.Rank rank, int context, int number, String text, int bits) throws WireException {
        relay.blocked(rank.rank, new BlockedReport(OneRelay.JOB, context, 99, number, rank.rank.rank(), -1, text, bits));
    }

    private void pass(long seconds) {
        relay.nanos += TimeUnit.SECONDS.toNanos(seconds);
    }

    private BlockedCall of(int rank) {
        return relay.core.job(OneRelay.JOB).blockedIn(rank).orElse(null);
    }

    /** What the launcher was told since the last time. */
    private List<String> told() {
        List<String> told = relay.events.stream()
                .filter(event -> event.kind() == JobEvent.BLOCKED)
                .map(event -> event.rank() + " " + event.code() + " " + event.text())
                .toList();
        relay.events.clear();
        return told;
    }

    // ---- what it is blocked in

    @Test
    void aPointToPointCallProvesNothingAndIsPassedOn() throws Exception {
        one.sends(relay.frames.finalizing(0));
        zero.sends(relay.frames.post(0, 1, 0, 2, 7, 0));
        says(zero, 5, "Recv(source 1, tag 7)", P2P);
        relay.core.stalled(relay.there, FrameType.BLOCKED, new BlockedReport(OneRelay.JOB, 0, 0, 5, 3, 0, "Ssend(destination 0, tag 7)", P2P));
        assertThat(zero.take()).as("nobody is told of a mismatch").isEmpty();
        assertThat(relay.sites).containsExactly("BLOCKED there rank 0 Recv(source 1, tag 7)", "BLOCKED far rank 0 Recv(source 1, tag 7)");
        assertThat(of(3).in()).isEqualTo("Ssend(destination 0, tag 7)");
    }

    @Test
    void itIsBlockedSinceItsFirstWordAboutTheCall() throws Exception {
        long since = relay.nanos;
        says(zero, 5, "Recv(source 1, tag 7)", P2P);
        pass(5);
        says(zero, 5, "Recv(source 1, tag 7)", P2P);
        assertThat(of(0)).isEqualTo(new BlockedCall("Recv(source 1, tag 7)", since, 1, true, since));
        pass(5);
        says(zero, 6, "Recv(source 1, tag 7)", P2P);
        assertThat(of(0).sinceNanos()).as("another call; that it had gone on was lost").isEqualTo(relay.nanos);
        says(zero, 6, "", P2P);
        assertThat(of(0)).isNull();
    }

    @Test
    void aCollectiveInTheBackgroundIsNotWhereItIsBlocked() throws Exception {
        says(zero, 5, "Recv(source 1, tag 7)", P2P);
        collective(zero, 1, 3, "ibarrier", BlockedReport.AT_WORK);
        assertThat(of(0).in()).startsWith("Recv");
        collective(zero, 1, 3, "", 0);
        assertThat(of(0).in()).startsWith("Recv");
        says(zero, 5, "", P2P);
        collective(zero, 1, 3, "ibarrier", BlockedReport.AT_WORK);
        assertThat(of(0).still()).isFalse();
        collective(zero, 3, 1, "barrier", 0);
        assertThat(of(0).in()).isEqualTo("barrier");
    }

    @Test
    void rankThatLeftCollectiveWithErrorIsNotBlocked() throws Exception {
        collective(zero, 1, 3, "bcast, root 0", BlockedReport.LEFT);
        assertThat(of(0)).isNull();
        collective(one, 1, 3, "reduce, root 0", 0);
        assertThat(one.take()).as("it was there, which proves a mismatch").hasSize(1);
    }

    @Test
    void disconnectedRankIsNotBlocked() throws Exception {
        says(zero, 5, "Recv(source 1, tag 7)", P2P);
        relay.core.disconnected(zero.rank, zero, CloseNotice.closing(OneRelay.JOB, CloseReason.TIMEOUT, "silent"));
        assertThat(of(0)).isNull();
    }

    // ---- standstills

    /** Says it again every five seconds, for so long. */
    private void stays(OneRelay.Rank rank, int number, String text, int bits, int seconds) throws WireException {
        for (int left = seconds; left > 0; left -= 5) {
            pass(5);
            says(rank, number, text, bits);
        }
    }

    @Test
    void theLauncherHearsOnceOfARankThatStandsStillForAMinuteAndThatItGoesOn() throws Exception {
        says(zero, 5, "Recv(source 1, tag 7)", P2P);
        stays(zero, 5, "Recv(source 1, tag 7)", P2P, 55);
        assertThat(told()).isEmpty();
        stays(zero, 5, "Recv(source 1, tag 7)", P2P, 30);
        assertThat(told()).containsExactly("0 60 Recv(source 1, tag 7)");
        assertThat(zero.rank.standstill()).map(JobEvent::text).as("one that comes later is told").hasValue("Recv(source 1, tag 7)");
        says(zero, 5, "", P2P);
        assertThat(told()).containsExactly("0 0 ");
        assertThat(zero.rank.standstill()).isEmpty();
        stays(zero, 6, "Recv(source 1, tag 7)", P2P, 60);
        assertThat(told()).isEmpty();
        pass(5);
        says(zero, 7, "Recv(source 1, tag 8)", P2P);
        stays(zero, 7, "Recv(source 1, tag 8)", P2P, 60);
        assertThat(told()).containsExactly("0 60 Recv(source 1, tag 8)");
        collective(zero, 1, 3, "barrier", 0);
        assertThat(told()).containsExactly("0 0 ");
    }

    @Test
    void collectivesCountToo() throws Exception {
        for (int i = 0; i <= 12; i++) {
            collective(zero, 1, 3, "barrier", 0);
            pass(5);
        }
        assertThat(told()).containsExactly("0 60 barrier");
    }

    @Test
    void rankReportedAtWorkIsNoStandstill() throws Exception {
        says(zero, 5, "Recv(any source, tag 7)", P2P | BlockedReport.AT_WORK);
        stays(zero, 5, "Recv(any source, tag 7)", P2P | BlockedReport.AT_WORK, 100);
        collective(one, 1, 3, "bcast, root 0", 0);
        for (int i = 0; i < 40; i++) {
            pass(5);
            collective(one, 1, 3, "bcast, root 0", i % 10 == 9 ? BlockedReport.AT_WORK : 0);
        }
        assertThat(told()).as("bytes of it move now and then").isEmpty();
    }

    @Test
    void ofRanksElsewhereTheirOwnRelayTells() throws Exception {
        for (int i = 0; i < 20; i++) {
            pass(5);
            relay.core.stalled(relay.there, FrameType.BLOCKED, new BlockedReport(OneRelay.JOB, 0, 0, 5, 3, 0, "Recv(source 0, tag 7)", P2P));
        }
        assertThat(told()).isEmpty();
    }

    @Test
    void whileALinkIsDownNobodyStandsStill() throws Exception {
        says(zero, 5, "Recv(source 3, tag 7)", P2P);
        stays(zero, 5, "Recv(source 3, tag 7)", P2P, 60);
        assertThat(told()).hasSize(1);
        relay.core.linked(relay.there, false);
        assertThat(told()).containsExactly("0 0 ");
        stays(zero, 5, "Recv(source 3, tag 7)", P2P, 600);
        assertThat(told()).isEmpty();
        relay.core.linked(relay.there, true);
        stays(zero, 5, "Recv(source 3, tag 7)", P2P, 55);
        assertThat(told()).as("it counts from there").isEmpty();
        stays(zero, 5, "Recv(source 3, tag 7)", P2P, 5);
        assertThat(told()).hasSize(1);
        relay.core.linked(relay.peer("nowhere"), false);
        assertThat(told()).as("a relay without a rank of it").isEmpty();
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void whileALogIsFullNoLoggedJobStandsStill(boolean logged) throws Exception {
        relay.end();
        use(logged ? OneRelay.logged() : new OneRelay());
        relay.core.roomChanged(true, "full");
        says(zero, 5, "Recv(source 1, tag 7)", P2P);
        stays(zero, 5, "Recv(source 1, tag 7)", P2P, 100);
        assertThat(told()).hasSize(logged ? 0 : 1);
    }

    private static final int SENDS = P2P | BlockedReport.SENDS;

    private void sends(OneRelay.Rank rank, int number, long sequence) throws WireException {
        int self = rank.rank.rank();
        relay.blocked(rank.rank, new BlockedReport(OneRelay.JOB, 0, sequence, number, self, 1 - self, "Send(destination " + (1 - self) + ")", SENDS));
    }

    private void offers(OneRelay.Rank rank, long sequence) throws Exception {
        int self = rank.rank.rank();
        rank.sends(relay.frames.message(FrameType.OFFER, 0, self, 1 - self, 0, sequence, 10));
    }

    private List<String> behind() {
        List<String> told = relay.events.stream()
                .filter(event -> event.kind() == JobEvent.SENDS_BEHIND)
                .map(event -> event.rank() + "." + event.a() + " behind " + event.code() + "." + event.b())
                .toList();
        relay.events.clear();
        return told;
    }

    @Test
    void tellsWhichSendIsMatchedLaterThanAnother() throws Exception {
        offers(zero, 1);
        offers(one, 1);
        sends(zero, 4, 1);
        assertThat(behind()).as("rank 1 may be about to receive").isEmpty();
        sends(one, 7, 1);
        assertThat(behind()).containsExactly("1.7 behind 0.4", "0.4 behind 1.7");
        sends(zero, 4, 1);
        sends(one, 7, 1);
        assertThat(behind()).as("once").isEmpty();
    }

    @Test
    void saysNothingOfASendThatIsMatched() throws Exception {
        offers(zero, 1);
        offers(one, 1);
        one.sends(relay.frames.post(0, 0, 1, 0, 1, 0));
        sends(zero, 4, 1);
        sends(one, 7, 1);
        assertThat(behind()).containsExactly("1.7 behind 0.4");
    }

    @Test
    void saysNothingOfARankThatMayAskForMore() throws Exception {
        offers(zero, 1);
        offers(one, 1);
        sends(zero, 4, 1);
        says(one, 7, "Waitany of 2 operations", P2P);
        says(one, 8, "Send(destination 0)", SENDS | BlockedReport.AT_WORK);
        assertThat(behind()).isEmpty();
    }

    @Test
    void sendsToItselfForEver() throws Exception {
        zero.sends(relay.frames.message(FrameType.OFFER, 0, 0, 0, 0, 1, 10));
        relay.blocked(zero.rank, new BlockedReport(OneRelay.JOB, 0, 1, 1, 0, 0, "Ssend(destination 0)", SENDS));
        assertThat(behind()).containsExactly("0.1 behind 0.1");
    }
}
