package org.posthouse.core;

import java.util.Arrays;

/**
 * The credit of a rank that is under way, and in logged jobs how much of it each other core must return. A restarted
 * core returns only what is sent to it again, some of it perhaps for the second time. Confined to the relay core.
 */
final class UsedCredit {
    /** The part of it at one core. */
    private static final class Share {
        private long bytes;
        private int messages;

        /** Bytes that will come back from there for the second time. */
        private long bytesTwice;

        private int messagesTwice;

        /** Bytes that are back and not reported: credit is reported with a message at least. */
        private long held;

        private Back tell(long back, int backMessages) {
            held += back;
            if (backMessages == 0) {
                return Back.NOTHING;
            }
            Back told = new Back(held, backMessages);
            held = 0;
            return told;
        }
    }

    /** Credit that comes back. */
    record Back(long bytes, int messages) {
        static final Back NOTHING = new Back(0, 0);
    }

    private long bytes;
    private int messages;

    /** By the index of the crossing; made when they are needed. */
    private Share[] shares = {};

    long bytes() {
        return bytes;
    }

    int messages() {
        return messages;
    }

    /** Whether another message of so many bytes may be under way. */
    boolean has(long more, CoreConfig config) {
        return bytes + more <= config.creditBytes() && messages + 1 <= config.creditMessages();
    }

    /** @param crossing where it goes; null if that does not matter */
    void use(long more, ForwardCount forwardCount) {
        change(more, 1, forwardCount);
    }

    /** Whether so much is under way that this can be a part of it coming back. */
    boolean mayReturn(long back, int backMessages) {
        return back >= 0 && back <= bytes && backMessages > 0 && backMessages <= messages;
    }

    void comesBack(long back, int backMessages, ForwardCount forwardCount) {
        change(-back, -backMessages, forwardCount);
    }

    private void change(long more, int moreMessages, ForwardCount forwardCount) {
        bytes += more;
        messages += moreMessages;
        if (forwardCount != null) {
            Share share = share(forwardCount);
            share.bytes += more;
            share.messages += moreMessages;
        }
    }

    private Share share(ForwardCount forwardCount) {
        int index = forwardCount.index();
        if (index >= shares.length) {
            shares = Arrays.copyOf(shares, index + 1);
        }
        if (shares[index] == null) {
            shares[index] = new Share();
        }
        return shares[index];
    }

    /** Credit comes back from there, some of it perhaps again. @return the part that had not come back before */
    Back back(ForwardCount forwardCount, long back, int backMessages) {
        Share share = share(forwardCount);
        long twice = Math.min(back, share.bytesTwice);
        int messagesTwice = Math.min(backMessages, share.messagesTwice);
        share.bytesTwice -= twice;
        share.messagesTwice -= messagesTwice;
        return share.tell(back - twice, backMessages - messagesTwice);
    }

    /**
     * The core of {@code crossing} was started again. Exactly this much will come back from there, whatever its share
     * is.
     *
     * @return the credit that is back at once
     */
    Back settle(ForwardCount forwardCount, long toCome, int messagesToCome) {
        Share share = share(forwardCount);
        share.bytesTwice = Math.max(0, toCome - share.bytes);
        share.messagesTwice = Math.max(0, messagesToCome - share.messages);
        share.held = 0;
        return share.tell(Math.max(0, share.bytes - toCome), Math.max(0, share.messages - messagesToCome));
    }
}
