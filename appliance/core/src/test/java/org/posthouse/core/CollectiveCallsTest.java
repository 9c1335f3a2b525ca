package org.posthouse.core;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.posthouse.wire.BlockedReport;
import org.posthouse.wire.CloseNotice;
import org.posthouse.wire.CloseReason;
import org.posthouse.wire.FrameType;
import org.posthouse.wire.WireException;

/** Who is told what when ranks are blocked in collectives: those that cannot go on, and nobody else. */
final class CollectiveCallsTest {
    private static final int CONTEXT = 1;

    private final OneRelay relay;
    private final OneRelay.Rank zero;
    private final OneRelay.Rank one;

    CollectiveCallsTest() throws Exception {
        relay = new OneRelay();
        zero = relay.connect(0);
        one = relay.connect(1);
    }

    @AfterEach
    void nothingIsLeft() {
        relay.end();
    }

    private static BlockedReport stall(int rank, int number, int peer, String text) {
        return new BlockedReport(OneRelay.JOB, CONTEXT, 99, number, rank, peer, text);
    }

    private void blocked(OneRelay.Rank rank, int number, int peer, String text) throws WireException {
        relay.blocked(rank.rank, stall(rank.rank.rank(), number, peer, text));
    }

    @Test
    void mismatchedCollectivesAreReportedToBothRanks() throws Exception {
        blocked(zero, 5, 1, "Reduce, root 0");
        assertThat(zero.take()).as("one alone proves nothing").isEmpty();
        blocked(one, 5, 0, "Bcast, root 0");
        String why = ": all ranks must call the same collectives in the same order";
        assertThat(zero.take())
                .containsExactly("mismatch at 1 number 5: rank 0 is in Reduce, root 0, rank 1 in Bcast, root 0, as collective 5"
                        + " of this communicator (world ranks)" + why);
        assertThat(one.take())
                .containsExactly("mismatch at 1 number 5: rank 1 is in Bcast, root 0, rank 0 in Reduce, root 0, as collective 5"
                        + " of this communicator (world ranks)" + why);
        assertThat(relay.sites)
                .containsExactly(
                        "BLOCKED there rank 0 Reduce, root 0", "BLOCKED far rank 0 Reduce, root 0",
                        "BLOCKED there rank 1 Bcast, root 0", "BLOCKED far rank 1 Bcast, root 0");
    }

    @Test
    void callsThatMatchAndPlacesApartAreNobodysFault() throws Exception {
        blocked(zero, 5, 1, "Reduce_scatter");
        blocked(one, 5, 0, "reduceScatter");
        blocked(one, 6, 0, "Barrier");
        relay.blocked(one.rank, new BlockedReport(OneRelay.JOB, CONTEXT + 2, 99, 5, 1, 0, "Barrier"));
        relay.blocked(one.rank, new BlockedReport(OneRelay.JOB, CONTEXT, 98, 5, 1, 0, "Barrier"));
        blocked(zero, 5, -1, "");
        blocked(one, 5, 0, "Barrier");
        assertThat(zero.take()).isEmpty();
        assertThat(one.take()).isEmpty();
    }

    @Test
    void lateRankInMismatchedCollectiveIsNotifiedToo() throws Exception {
        OneRelay.Rank two = relay.connect(2);
        blocked(zero, 5, 1, "Reduce, root 0");
        blocked(one, 5, 0, "Bcast, root 0");
        blocked(zero, 5, -1, "");
        blocked(one, 5, -1, "");
        blocked(two, 4, 0, "Bcast, root 0");
        blocked(two, 6, 0, "Bcast, root 0");
        assertThat(two.take()).as("before it, and behind it").isEmpty();
        blocked(two, 5, 0, "Bcast, root 0");
        assertThat(two.take()).singleElement().asString()
                .contains("rank 2 is in Bcast, root 0, rank 0 in Reduce, root 0, as collective 5");
    }

    @Test
    void reportsMismatchToRankWaitingForOneThatLeft() throws Exception {
        zero.sends(relay.frames.post(CONTEXT, 1, 0, 2, 7, 0));
        blocked(zero, 2, 1, "Bcast, root 1");
        blocked(one, 3, 0, "Barrier");
        assertThat(zero.take()).containsExactly("mismatch at 1 number 2: rank 0 is in Bcast, root 1, collective 2 of this"
                + " communicator, and waits for rank 1, which has left it and is in Barrier, collective 3 (world ranks)"
                + ": all ranks must call the same collectives in the same order");
        assertThat(one.take()).as("it may be a fault of rank 0 alone").isEmpty();
    }

    @Test
    void numbersGoOnBehindTheLastPositiveOne() throws Exception {
        zero.sends(relay.frames.post(CONTEXT, 1, 0, 2, 7, 0));
        blocked(zero, Integer.MAX_VALUE, 1, "Bcast, root 1");
        blocked(one, Integer.MIN_VALUE, 0, "Barrier");
        assertThat(zero.take()).singleElement().asString()
                .contains("collective 2147483647 of this").contains("is in Barrier, collective 2147483648 (");
        assertThat(one.take()).isEmpty();
    }

    /** It has left that collective, and the word of that was lost: the next communicator of this number counts from 1 again. */
    @Test
    void whereARankIsIsBelievedAsLongAsItSaysSoAgain() throws Exception {
        zero.sends(relay.frames.post(CONTEXT, 1, 0, 2, 7, 0));
        blocked(one, 3, 0, "Barrier");
        relay.nanos += CollectiveCalls.BELIEVED_NS;
        blocked(zero, 2, 1, "Bcast, root 1");
        blocked(zero, 3, 1, "Bcast, root 1");
        assertThat(zero.take()).isEmpty();
        blocked(one, 3, 0, "Barrier");
        assertThat(zero.take()).singleElement().asString().contains("rank 0 is in Bcast, root 1, rank 1 in Barrier, as collective 3");
    }

    /** It says that once. */
    @Test
    void thatARankHasLeftWithAnErrorIsBelievedForEver() throws Exception {
        zero.sends(relay.frames.post(CONTEXT, 1, 0, 2, 7, 0));
        relay.blocked(one.rank, stall(1, 3, -1, "Barrier").with(BlockedReport.LEFT));
        relay.nanos += 1_000 * CollectiveCalls.BELIEVED_NS;
        blocked(zero, 2, 1, "Bcast, root 1");
        assertThat(zero.take()).singleElement().asString().contains("waits for rank 1, which has left it");
    }

    @Test
    void discardsCollectivePositionOfDisconnectedProcess() throws Exception {
        OneRelay logged = OneRelay.logged();
        OneRelay.Rank waits = logged.connect(0);
        OneRelay.Rank gone = logged.connect(1);
        waits.sends(logged.frames.post(CONTEXT, 1, 0, 2, 7, 0));
        logged.blocked(gone.rank, stall(1, 3, 0, "Barrier"));
        logged.core.disconnected(gone.rank, gone, CloseNotice.closing(OneRelay.JOB, CloseReason.NORMAL, "gone"));
        logged.blocked(waits.rank, stall(0, 2, 1, "Bcast, root 1"));
        assertThat(waits.take()).isEmpty();
        logged.end();
    }

    /** It said that once, and its next process, which is brought to where it was, does not say it again. */
    @Test
    void thatARankHasLeftWithAnErrorIsTrueOfItsNextProcess() throws Exception {
        OneRelay logged = OneRelay.logged();
        OneRelay.Rank waits = logged.connect(0);
        OneRelay.Rank gone = logged.connect(1);
        waits.sends(logged.frames.post(CONTEXT, 1, 0, 2, 7, 0));
        logged.blocked(gone.rank, stall(1, 3, -1, "Barrier").with(BlockedReport.LEFT));
        logged.core.disconnected(gone.rank, gone, CloseNotice.closing(OneRelay.JOB, CloseReason.NORMAL, "gone"));
        logged.blocked(waits.rank, stall(0, 2, 1, "Bcast, root 1"));
        assertThat(waits.take()).singleElement().asString().contains("waits for rank 1, which has left it");
        logged.end();
    }

    /** What it had sent before may have been dropped, by this core or another one of the relay. */
    @Test
    void nobodyIsWaitedForInVainInAJobThatTheLogTakesNothingMoreOf() throws Exception {
        OneRelay logged = OneRelay.logged();
        OneRelay.Rank waits = logged.connect(0);
        OneRelay.Rank gone = logged.connect(1);
        waits.sends(logged.frames.post(CONTEXT, 1, 0, 2, 7, 0));
        waits.sends(logged.frames.post(CONTEXT, 3, 0, 2, 8, 0));
        logged.blocked(waits.rank, stall(0, 2, 1, "Bcast, root 1"));
        logged.blocked(waits.rank, new BlockedReport(OneRelay.JOB, CONTEXT, 98, 2, 0, 3, "Bcast, root 3"));
        logged.journal.full = true;
        assertThatExceptionOfType(Refusal.class).isThrownBy(() -> logged.connect(2));
        logged.blocked(gone.rank, stall(1, 3, 0, "Barrier"));
        logged.core.stalled(logged.there, FrameType.BLOCKED, new BlockedReport(OneRelay.JOB, CONTEXT, 98, 3, 3, 0, "Barrier"));
        logged.core.stalled(logged.there, FrameType.MISMATCH, stall(0, 2, 3, "which has left it"));
        assertThat(waits.take()).isEmpty();
        logged.end();
    }

    /** Its messages came before it left, and what has been received does not show that it is not waited for in vain. */
    @Test
    void reportsNoMismatchWithoutPostedReceive() throws Exception {
        blocked(zero, 2, 1, "Bcast, root 1");
        blocked(one, 3, 0, "Barrier");
        one.sends(relay.frames.finalizing(0));
        relay.core.stalled(relay.there, FrameType.MISMATCH, stall(0, 2, 3, "which has called Finalize"));
        assertThat(zero.take()).as("no receive is posted: it has its messages and may ask for more").isEmpty();
        zero.sends(relay.frames.post(CONTEXT, 1, 0, 2, 7, 0));
        blocked(zero, 2, 1, "Bcast, root 1");
        assertThat(zero.take()).singleElement().asString().contains("waits for rank 1, which has");
    }

    @Test
    void reportsMismatchToRankWaitingForFinalizedOne() throws Exception {
        zero.sends(relay.frames.post(CONTEXT, 1, 0, 2, 7, 0));
        blocked(zero, 2, 1, "Barrier");
        one.sends(relay.frames.finalizing(0));
        assertThat(zero.take()).singleElement().asString().contains("rank 0 is in Barrier and waits for rank 1, which has called Finalize");
        blocked(zero, 3, 1, "Barrier");
        assertThat(zero.take()).as("it said so later").hasSize(1);
        relay.core.stalled(relay.there, FrameType.BLOCKED, stall(3, 2, 1, "Barrier"));
        assertThat(relay.sites).last().asString().startsWith("MISMATCH there rank 3 rank 3 is in Barrier");
    }

    @Test
    void judgesAcrossSites() throws Exception {
        relay.core.stalled(relay.there, FrameType.BLOCKED, stall(3, 2, 0, "Gather, root 1"));
        blocked(zero, 2, 3, "Gather, root 0");
        assertThat(zero.take()).hasSize(1);
        one.sends(relay.frames.post(CONTEXT, 4, 1, 2, 7, 0));
        relay.core.stalled(relay.far, FrameType.MISMATCH, stall(1, 2, 4, "because"));
        assertThat(one.take()).containsExactly("mismatch at 1 number 2: because");
        assertThat(relay.failure()).isNull();
    }

    @Test
    void aSiteSpeaksForItsOwnRanksOnly() {
        relay.core.stalled(relay.far, FrameType.BLOCKED, stall(3, 2, 0, "Barrier"));
        assertThat(relay.failure()).startsWith("WRONG_SITE: BLOCKED about rank 3");
        assertThat(zero.take()).isEmpty();
    }

    @Test
    void aSiteWithoutARankSpeaksForNobody() {
        relay.core.stalled(relay.peer("nowhere"), FrameType.BLOCKED, stall(3, 2, 0, "Barrier"));
        relay.core.stalled(relay.peer("nowhere"), FrameType.MISMATCH, stall(0, 2, 0, "Barrier"));
        assertThat(relay.failure()).isNull();
        assertThat(zero.take()).isEmpty();
        assertThat(relay.strangers).hasSize(2);
    }

    @Test
    void aRankSpeaksForItselfOnly() {
        assertThatExceptionOfType(WireException.class)
                .isThrownBy(() -> relay.blocked(zero.rank, stall(1, 2, 0, "Barrier")))
                .satisfies(e -> assertThat(e.reason()).isEqualTo(CloseReason.WRONG_RANK));
    }

    @Test
    void sendsNoMismatchToRankThatDoesNotRead() throws Exception {
        zero.reads = false;
        blocked(zero, 5, 1, "Barrier");
        for (int i = 0; i < 1_000; i++) {
            blocked(one, 5, 0, "Bcast, root " + i);
        }
        assertThat(zero.take()).isEmpty();
    }

    @Test
    void boundsRecordedCallsPerRank() throws Exception {
        for (int context = 0; context <= CollectiveCalls.PER_RANK_MAX; context++) {
            relay.blocked(zero.rank, new BlockedReport(OneRelay.JOB, context, 99, 1, 0, 1, "Barrier"));
        }
        assertThat(zero.rank.job().stalls().waitingFor(1)).hasSize(CollectiveCalls.PER_RANK_MAX);
    }
}
