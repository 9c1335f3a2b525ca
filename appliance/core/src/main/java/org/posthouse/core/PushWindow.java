package org.posthouse.core;

import org.posthouse.wire.CloseReason;
import org.posthouse.wire.Wire;
import org.posthouse.wire.WireException;

/**
 * A context of one rank that may run ahead (docs/wire.md, running ahead). While it is open, messages of one frame are
 * pushed: sent to the rank before a receive is posted here. Confined to the mailbox's owner.
 *
 * <p>While it is open no message of the context waits in the mailbox, and no receive of the rank is on its way there.
 * Code that stores a message, or closes the context for another reason, ends the round first. The rank is then sent the
 * end before any other frame.
 */
public final class PushWindow {
    /** The reason of a round's end. */
    public enum End {
        /** The rank wants no more, or has a probe waiting here. */
        ASKED(1),
        /** A message arrived that is not pushed: it does not fit into a frame, or is only offered. */
        NOT_PUSHED(2),
        /** The rank's grant is used up. */
        BOUND(3),
        /** The rank is slow to read. */
        SLOW(4);

        private final int code;

        End(int code) {
            this.code = code;
        }

        /** Its code in ENDED. */
        public int code() {
            return code;
        }
    }

    private final int context;

    /** From 1; frames have the low 32 bits. 0 before the first. */
    private long number;

    private boolean open;

    /** Cost of all that may be pushed, and of all that was, since the rank's start; pushed never exceeds bound. */
    private long bound;

    private long pushed;

    /** @param number of those that have been and ended */
    PushWindow(int context, long number) {
        this.context = context;
        this.number = number;
    }

    boolean isOpen() {
        return open;
    }

    /**
     * The rank has granted as much.
     *
     * @return whether that begins the round; if not, the round continues, or it has ended and the notice to the rank is
     *     under way
     */
    boolean grant(int round, long upTo) throws WireException {
        boolean begins = round == (int) (number + 1) && !open;
        if (!begins && (round != (int) number || number == 0)) {
            throw new WireException(
                    CloseReason.MALFORMED_FRAME,
                    "AHEAD of round " + round + " in context " + context + ", whose round " + number + (open ? " is open" : " has ended"));
        }
        if (upTo < bound || upTo - pushed > Wire.PUSHED_COST_MAX) {
            throw new WireException(
                    CloseReason.MALFORMED_FRAME,
                    "AHEAD up to " + upTo + " in context " + context + ", expected " + bound + " to "
                            + (pushed + Wire.PUSHED_COST_MAX));
        }
        bound = upTo;
        if (begins) {
            number++;
            open = true;
        }
        return begins;
    }

    /**
     * Why a message that no posted receive matches must not be pushed; null if it may.
     *
     * @param reads whether the rank is not slow to read
     */
    End refuses(Message message, boolean reads) {
        if (!message.isWhole()) {
            return End.NOT_PUSHED;
        }
        if (pushed + message.cost() > bound) {
            return End.BOUND;
        }
        return reads ? null : End.SLOW;
    }

    /** A message that it does not refuse is pushed. */
    void count(Message message) {
        pushed += message.cost();
    }

    /** Ends the window: nothing is pushed from here on. */
    void end() {
        assert open : this;
        open = false;
    }

    int context() {
        return context;
    }

    /** Its number in its context, from 1. */
    long number() {
        return number;
    }

    /** The cost of all that was pushed in it, in bytes. */
    long pushed() {
        return pushed;
    }

    @Override
    public String toString() {
        return "round " + number + " of context " + context + (open ? ", open: " : ", ended: ") + pushed + " of " + bound;
    }
}
