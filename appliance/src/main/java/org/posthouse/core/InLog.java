package org.posthouse.core;

import org.posthouse.wire.FrameType;

/**
 * Messages that wait for their receives in the log and not in memory. Their senders have their credit back, so they may
 * run ahead; what that costs is the messages' envelopes here, which have limits, and room in the log. Past either the
 * credit stays out until the message was delivered, as it does without a log. Confined to the relay core.
 */
final class InLog {
    private final CoreConfig config;
    private final int aheadMax;
    private int ahead;

    /** @param shards how many cores of the relay share its limit */
    InLog(CoreConfig config, int shards) {
        this.config = config;
        this.aheadMax = Math.max(1, config.storedMessagesMaxTotal() / shards);
    }

    /** Counts a whole message that was put into the log for {@code to}; true if its sender gets its credit back now. */
    boolean admit(HomedRank to, Message message) {
        boolean admitted = message.form() != FrameType.OFFER
                && message.isComplete()
                && to.ahead() < config.storedMessagesMax()
                && ahead < aheadMax
                && to.job().journal().hasAmpleRoom();
        if (admitted) {
            message.runsAhead(true);
            to.countAhead(1);
            ahead++;
        }
        return admitted;
    }

    /** The message was delivered; false if its sender has not had its credit yet. */
    boolean leave(HomedRank to, Message message) {
        if (!message.isAhead()) {
            return false;
        }
        message.runsAhead(false);
        to.countAhead(-1);
        ahead--;
        return true;
    }

    /** The rank's job has ended. */
    void forget(HomedRank to) {
        ahead -= to.ahead();
        to.countAhead(-to.ahead());
    }

    /** Messages of all ranks whose senders have had their credit back. */
    int ahead() {
        return ahead;
    }
}
