package org.posthouse.core;

/**
 * Messages that wait for their receives in the log and not in memory. Their senders are done with them, so they may run
 * ahead: they have their credit back, and what they offered for want of credit was asked for. What that costs is the
 * messages' envelopes here, which have limits, and room in the log. Past either, credit stays out and offers wait until
 * the message is delivered, as they do without a log. Confined to the relay core.
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

    /** Counts a message for {@code to} whose sender may go on as if it had been delivered; false if there is no room. */
    boolean admit(HomedRank to, Message message) {
        boolean admitted = to.ahead() < config.storedMessagesMax()
                && ahead < aheadMax
                && to.job().journal().hasAmpleRoom();
        if (admitted) {
            message.runsAhead(true);
            to.countAhead(1);
            ahead++;
        }
        return admitted;
    }

    /** A message that ran ahead before this core began: there is room, for it is there. */
    void restore(HomedRank to, Message message) {
        message.runsAhead(true);
        to.countAhead(1);
        ahead++;
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
}
