package org.posthouse.core;

import java.util.ArrayList;
import java.util.List;
import org.posthouse.wire.FrameType;
import org.posthouse.wire.StatePage;

/**
 * Collects the state of a rank's channels for a process of the rank, with the messages that it will begin again. Part
 * of {@link RelayCore}.
 */
final class OpenChannels {
    /** Limit of entries in the state that a reconnecting process can be sent. */
    static final int STATE_MAX = SuppressedSends.GONE_MAX;

    /**
     * The reason why a rank near that limit cannot reconnect. The text is constant, so that a launcher shows it once.
     */
    static final String FULL =
            "it has used so many channels, and taken back so many sends, that a process that comes again cannot be told of more (" + STATE_MAX + " at most)";

    private OpenChannels() {}

    /**
     * Records the messages that the rank had begun before, in an earlier process or over an earlier connection, and
     * will begin again.
     */
    static void await(HomedRank rank) {
        SuppressedSends suppressedSends = rank.repeats();
        for (HomedRank to : rank.job().homedRanks()) {
            to.receives().forEachOpen(rank.rank(), message -> suppressedSends.await(
                    new TransferId(message.context(), to.rank(), message.sequence()), message.clearedUpTo()));
        }
        rank.outgoing().forEachOpen((transfer, open) -> {
            suppressedSends.await(transfer, open.clearedUpTo());
            if (open.withdrawing()) {
                suppressedSends.isUnasked(transfer);
            }
        });
    }

    /** The channel state that a rank in replay needs: the accepted messages, and those accepted in part. */
    static List<StatePage.Entry> state(HomedRank rank) {
        List<StatePage.Entry> state = new ArrayList<>();
        if (rank.state() != RankState.REPLAYING) {
            return state;
        }
        for (HomedRank to : rank.job().homedRanks()) {
            to.mailbox()
                    .forEachChannel(rank.rank(), (context, source, last) -> state.add(new StatePage.Entry(StatePage.ACCEPTED, context, to.rank(), last)));
            to.receives().forEachOpen(rank.rank(), message -> state.add(new StatePage.Entry(
                    StatePage.OPEN, message.context(), to.rank(), message.form().id(), message.sequence(), message.arrived())));
        }
        rank.outgoing()
                .forEachChannel((context, to, last) -> state.add(new StatePage.Entry(StatePage.ACCEPTED, context, to, last)));
        rank.outgoing().forEachOpen((transfer, open) -> state.add(new StatePage.Entry(
                StatePage.OPEN, transfer.context(), transfer.peer(), open.form().id(), transfer.sequence(), open.sent())));
        for (TransferId message : rank.safety().keptByNobody()) {
            if (rank.outgoing().open(message) == null && !rank.repeats().isGone(message)) {
                int form = FrameType.EAGER.id(); // For every form: it is begun again, and so kept; here it is dropped.
                state.add(new StatePage.Entry(StatePage.OPEN, message.context(), message.peer(), form, message.sequence(), 0));
            }
        }
        rank.repeats().gone().forEach(transfer -> state.add(new StatePage.Entry(
                StatePage.GONE, transfer.context(), transfer.peer(), transfer.sequence())));
        return state;
    }

    /**
     * Notifies the launcher if the rank is within a page of the limit, past which it cannot reconnect. Counts all its
     * channels.
     */
    static void tellIfFull(HomedRank rank) {
        if (count(rank) + rank.repeats().gone().size() > STATE_MAX - StatePage.ENTRIES_MAX) {
            rank.job().report(rank.checkpoints().outputNotes().limited(FULL));
        }
    }

    /** Number of the rank's channels that are known to have been used. */
    static int count(HomedRank rank) {
        int[] count = {0};
        for (HomedRank to : rank.job().homedRanks()) {
            to.mailbox().forEachChannel(rank.rank(), (context, source, last) -> count[0]++);
        }
        rank.outgoing().forEachChannel((context, to, last) -> count[0]++);
        return count[0];
    }
}
