package org.posthouse.core;

import java.util.List;
import org.posthouse.wire.FrameType;

/**
 * Restores a job to its state at the last write of its relay's log. The state includes mailboxes with the messages that
 * wait in the log, awaited ranks, and channels with their sequence numbers. The state of other relays is not known, and
 * is learned from what ranks send again. No credit is owed either way: credit under way was forgotten at both ends.
 * Part of {@link RelayCore}.
 */
final class JobRecovery {
    private final Deliveries deliveries;

    JobRecovery(Deliveries deliveries) {
        this.deliveries = deliveries;
    }

    /** @param ranks all of the job's that are at home at this relay */
    void restore(Job job, List<RecoveredRank> ranks) {
        job.homedRanks().forEach(rank -> rank.outgoing().restore());
        for (RecoveredRank recoveredRank : ranks) {
            HomedRank to = job.homed(recoveredRank.rank());
            if (to == null) {
                elsewhere(job, recoveredRank);
            } else {
                here(job, to, recoveredRank);
            }
            recoveredRank.takenBack().forEach(offer -> takenBack(job, recoveredRank.rank(), offer));
        }
    }

    /** A rank of this core. */
    private void here(Job job, HomedRank to, RecoveredRank recoveredRank) {
        to.restore(recoveredRank);
        recoveredRank.channels().forEach(channel -> to.mailbox().restore(channel.context(), channel.source(), channel.sequence()));
        recoveredRank.takenBack().forEach(offer -> to.incoming().takeBack(new TransferId(offer.context(), offer.source(), offer.sequence())));
        recoveredRank.messages().forEach(message -> message(job, to, message));
    }

    private void message(Job job, HomedRank to, Message message) {
        message.forgive();
        if (message.form() == FrameType.OFFER) {
            deliveries.grants().restore(job, message);
        }
        to.incoming().begin(message);
        HomedRank source = job.homed(message.source());
        boolean offered = message.form() == FrameType.OFFER;
        if (message.receive() != null) {
            message.pass(message.arrived()); // The rank has it, or gets it out of its history.
        } else {
            deliveries.restore(to, message);
            if (offered && !message.isAhead() && source != null) {
                source.sends().takeOfferPlace();
            }
        }
        Peer peer = job.peer(message.source());
        if (offered && peer != null && message.clearedUpTo() != SuppressedSends.NOT_CLEARED) {
            clearAgain(job, peer, message);
        }
    }

    /**
     * Repeats a CLEAR, because the first may be lost with the relay; another core of this relay ignores a repeated one.
     */
    private static void clearAgain(Job job, Peer peer, Message message) {
        peer.clear(
                job.id(),
                message.context(),
                message.source(),
                message.destination(),
                message.sequence(),
                message.clearedUpTo());
    }

    /** A rank of another core of this relay: what ranks of this one have sent to it. */
    private void elsewhere(Job job, RecoveredRank recoveredRank) {
        for (RecoveredRank.Channel channel : recoveredRank.channels()) {
            HomedRank source = job.homed(channel.source());
            if (source != null) {
                source.outgoing().restore(channel.context(), recoveredRank.rank(), channel.sequence());
            }
        }
        for (Message message : recoveredRank.messages()) {
            HomedRank source = job.homed(message.source());
            if (source != null && isOpen(message)) {
                TransferId transferId = new TransferId(message.context(), recoveredRank.rank(), message.sequence());
                long upTo = message.form() == FrameType.OFFER ? deliveries.grants().clearedAtMost(message) : message.bytes();
                boolean cleared = message.receive() != null || message.isStorable() || message.arrived() > 0;
                source.outgoing().restore(transferId, message, upTo, cleared);
                if (message.form() == FrameType.OFFER && !cleared) {
                    source.sends().takeOfferPlace();
                }
            }
        }
    }

    private static boolean isOpen(Message message) {
        return !message.isComplete() || message.form() == FrameType.OFFER && message.receive() == null;
    }

    private static void takenBack(Job job, int destination, RecoveredRank.Channel offer) {
        HomedRank source = job.homed(offer.source());
        if (source != null) {
            source.repeats().tookBack(new TransferId(offer.context(), destination, offer.sequence()));
        }
    }
}
