package org.posthouse.core;

/**
 * Limits the messages that wait for their receives and whose senders are done with them: their credit is back, or they
 * were offered for want of credit and were cleared. In a logged job such a message is in the log and costs its envelope
 * here; in another job it is in memory. Both have limits ({@link UnexpectedPool}), and the log has its own room. Past a
 * limit, credit stays out and offers wait until the message is delivered. Confined to the relay core.
 */
final class UnexpectedBudget {
    /** Heap of an envelope and of its buffer, rounded up. */
    static final int MESSAGE_BYTES = 512;

    private final CoreConfig config;
    private final UnexpectedPool pool;

    UnexpectedBudget(CoreConfig config, UnexpectedPool pool) {
        this.config = config;
        this.pool = pool;
    }

    /**
     * Counts a message for {@code to} whose sender may continue as if it had been delivered; false if there is no room.
     */
    boolean admit(HomedRank to, Message message) {
        boolean admitted = to.job().logged() ? admitLogged(to) : admitBytes(to, bytes(message));
        if (admitted) {
            message.runsAhead(true);
            to.receives().countAhead(1, bytes(to, message));
        }
        return admitted;
    }

    private boolean admitLogged(HomedRank to) {
        return to.receives().ahead() < config.storedMessagesMax() && to.job().hasAmpleRoom() && pool.takeLogged();
    }

    private boolean admitBytes(HomedRank to, long bytes) {
        return to.receives().aheadBytes() + bytes <= config.unexpectedBytesMax() && pool.takeBytes(bytes);
    }

    /** Memory of a message that is not in the log: buffers are up to a quarter longer than their content. */
    static long bytes(Message message) {
        return MESSAGE_BYTES + message.bytes() + message.bytes() / 4;
    }

    private static long bytes(HomedRank to, Message message) {
        return to.job().logged() ? 0 : bytes(message);
    }

    /** A message that ran ahead before this core began: there is room, for it is there. */
    void restore(HomedRank to, Message message) {
        message.runsAhead(true);
        to.receives().countAhead(1, 0);
        pool.takeRestored();
    }

    /** The message was delivered; false if its sender has not had its credit yet. */
    boolean leave(HomedRank to, Message message) {
        if (!message.isAhead()) {
            return false;
        }
        message.runsAhead(false);
        giveBack(to, 1, bytes(to, message));
        return true;
    }

    /** The rank's job has ended. */
    void forget(HomedRank to) {
        giveBack(to, to.receives().ahead(), to.receives().aheadBytes());
    }

    private void giveBack(HomedRank to, int messages, long bytes) {
        to.receives().countAhead(-messages, -bytes);
        if (to.job().logged()) {
            pool.giveBackLogged(messages);
        } else {
            pool.giveBackBytes(bytes);
        }
    }
}
