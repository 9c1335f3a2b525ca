package org.posthouse.core;

import java.util.List;
import java.util.function.Consumer;
import org.posthouse.wire.CloseNotice;
import org.posthouse.wire.CloseReason;
import org.posthouse.wire.Hello;
import org.posthouse.wire.JobEvent;
import org.posthouse.wire.StatePage;
import org.posthouse.wire.Wire;

/**
 * Handles processes that reconnect, whether or not their relay was restarted: the part of the history that they have
 * not read is replayed. Part of {@link RelayCore}.
 */
final class RankReconnection {
    private final HistorySource historySource;
    private final Consumer<HomedRank> departures;

    RankReconnection(HistorySource historySource, Consumer<HomedRank> departures) {
        this.historySource = historySource;
        this.departures = departures;
    }

    /** Begins the replay of a process that continues, if it may. */
    void admit(HomedRank rank, Hello hello, List<StatePage.Entry> state, RankPort port, long nanos) throws Refusal {
        check(rank, hello);
        ResumePoint resumePoint = ResumePoint.of(hello, state);
        checkGone(rank, resumePoint.gone());
        replaceLiving(rank);
        if (hello.incarnation() > rank.incarnation()) {
            rank.job().journal().incarnation(rank.job().id(), rank.rank(), hello.incarnation());
        }
        resumePoint.gone().forEach(rank.repeats()::tookBack);
        OpenChannels.await(rank);
        rank.safety().connect(hello.kept(), false);
        long deliveries = rank.counters().messagesDelivered() - hello.deliveries();
        long events = Math.max(0, rank.counters().events() - hello.events());
        rank.beginReplay(port, hello.incarnation(), resumePoint, historySource, nanos);
        rank.job().report(new JobEvent(rank.job().id(), JobEvent.REPLAYING, rank.rank(), 0, deliveries, events, ""));
    }

    private static void check(HomedRank rank, Hello hello) throws Refusal {
        if (!rank.job().logged()) {
            throw new Refusal(CloseReason.CANNOT_RESUME, rank + " has lost its connection, and its job is not logged");
        }
        if (hello.incarnation() < rank.incarnation()) {
            throw new Refusal(
                    CloseReason.FENCED,
                    rank + " with incarnation " + hello.incarnation() + ", but incarnation " + rank.incarnation() + " is "
                            + rank.state());
        }
        if (rank.state() == RankState.LOST) {
            throw new Refusal(CloseReason.CANNOT_RESUME, rank + " was given up");
        }
        // A host that crashed may have lost the end of its log, on which the rank's state depends.
        if (hello.incarnation() > rank.incarnation() && !knowsNothing(hello)) {
            throw new Refusal(
                    CloseReason.CANNOT_RESUME,
                    "restart: " + rank + " comes again with incarnation " + hello.incarnation() + ", the last known here is "
                            + rank.incarnation());
        }
        if (hello.deliveries() > rank.counters().messagesDelivered()) {
            throw new Refusal(
                    CloseReason.CANNOT_RESUME,
                    "restart: " + rank + " has read " + hello.deliveries() + " deliveries, known here: "
                            + rank.counters().messagesDelivered());
        }
    }

    /** A process may know of offers that were taken back, which this relay has forgotten; of so many more it cannot. */
    private static void checkGone(HomedRank rank, List<TransferId> gone) throws Refusal {
        long unknown = gone.stream().filter(offer -> !rank.repeats().isGone(offer)).count();
        if (rank.repeats().gone().size() + unknown > SuppressedSends.GONE_MAX) {
            throw new Refusal(
                    CloseReason.LIMIT,
                    rank + " tells of " + unknown + " sends more that it took back than the " + rank.repeats().gone().size() + " that are known here; at most "
                            + SuppressedSends.GONE_MAX + " can be");
        }
    }

    /** It may have been cut off before it was welcomed: then it is as good as one that starts. */
    private static boolean knowsNothing(Hello hello) {
        return hello.deliveries() == 0 && hello.events() == 0 && hello.failedPolls() == 0 && hello.kept() == 1;
    }

    /**
     * The old connection hangs, or its end is not known here yet. However often that happens, it is one process: if there were a second
     * of this incarnation, it would end now.
     */
    private void replaceLiving(HomedRank rank) {
        RankPort old = rank.port();
        if (old == null) {
            return;
        }
        String why = rank + " with incarnation " + rank.incarnation() + " has come over another connection";
        old.close(CloseNotice.closing(rank.job().id(), CloseReason.FENCED, why));
        departures.accept(rank);
    }

    /** Sends the CLEARs and the stability report that are due, after the process was welcomed. */
    static void tell(HomedRank rank) {
        rank.replay().headway().goingOn().forEach(entry -> goOn(rank, entry));
        if (rank.safety().isDue()) {
            rank.safety().tell(rank.port());
        }
    }

    /** Clears a message that the process does not begin again, or asks its destination for the CLEAR. */
    private static void goOn(HomedRank rank, StatePage.Entry entry) {
        int context = entry.context();
        int destination = entry.peer();
        long sequence = entry.a();
        if (destination < 0 || destination >= rank.job().size()) {
            return; // Its frames for that rank will be refused.
        }
        TransferId transferId = new TransferId(context, destination, sequence);
        rank.repeats().came(transferId);
        HomedRank to = rank.job().homed(destination);
        SendState sendState = rank.outgoing();
        if (to == null && sendState.isForgotten(context, destination) && sendState.open(transferId) == null) {
            long sent = Math.min(entry.b(), (long) entry.aux() * Wire.PAYLOAD_BYTES_MAX);
            if (sent > 0 || rank.sends().takeOfferPlace()) {
                sendState.goesOn(transferId, entry.b(), sent);
            }
            return;
        }
        long upTo = clearedUpTo(rank, to, transferId, entry.b());
        if (upTo != SuppressedSends.NOT_CLEARED) {
            rank.sends().cleared(context, destination, sequence, upTo);
        }
    }

    private static long clearedUpTo(HomedRank rank, HomedRank to, TransferId transferId, long bytes) {
        if (to == null) {
            SendState.Open open = rank.outgoing().open(transferId);
            return open != null ? open.clearedUpTo() : over(rank, transferId, bytes);
        }
        Message open = to.receives().openMessage(transferId.context(), rank.rank(), transferId.sequence());
        return open != null ? open.clearedUpTo() : over(rank, transferId, bytes);
    }

    /** All of it is there: if that is nothing, its rank may not know that it was matched; unless it was taken back. */
    private static long over(HomedRank rank, TransferId transferId, long bytes) {
        return bytes > 0 || rank.repeats().isGone(transferId) ? SuppressedSends.NOT_CLEARED : 0;
    }

    /** All that the process says again has been said: what is not known here is asked where it is. */
    static void askAgain(HomedRank rank) {
        long job = rank.job().id();
        rank.outgoing().forEachBelieved((transferId, bytes) -> rank.job()
                .peer(transferId.peer())
                .offerAgain(job, transferId.context(), rank.rank(), transferId.peer(), transferId.sequence(), bytes));
    }
}
