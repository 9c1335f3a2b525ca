package org.posthouse.core;

import java.util.Arrays;

/**
 * The credit of a rank that is under way, and in logged jobs how much of it another core has to give back: a core that is
 * started again gives nothing back. Confined to the relay core.
 */
final class UsedCredit {
    private long bytes;
    private int messages;

    /** By the index of the crossing; made when they are needed. */
    private long[] bytesAt = {};

    private int[] messagesAt = {};

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
    void use(long more, Crossing crossing) {
        change(more, 1, crossing);
    }

    /** Whether so much is under way that this can be a part of it coming back. */
    boolean mayReturn(long back, int backMessages) {
        return back >= 0 && back <= bytes && backMessages > 0 && backMessages <= messages;
    }

    void comesBack(long back, int backMessages, Crossing crossing) {
        change(-back, -backMessages, crossing);
    }

    private void change(long more, int moreMessages, Crossing crossing) {
        bytes += more;
        messages += moreMessages;
        if (crossing != null) {
            int at = crossing.index();
            if (at >= bytesAt.length) {
                bytesAt = Arrays.copyOf(bytesAt, at + 1);
                messagesAt = Arrays.copyOf(messagesAt, at + 1);
            }
            bytesAt[at] += more;
            messagesAt[at] += moreMessages;
        }
    }

    long bytesAt(Crossing crossing) {
        return crossing.index() < bytesAt.length ? bytesAt[crossing.index()] : 0;
    }

    int messagesAt(Crossing crossing) {
        return crossing.index() < messagesAt.length ? messagesAt[crossing.index()] : 0;
    }
}
