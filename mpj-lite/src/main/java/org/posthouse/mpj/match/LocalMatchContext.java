package org.posthouse.mpj.match;

import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Iterator;
import java.util.List;
import org.posthouse.mpj.operation.Envelope;
import org.posthouse.mpj.operation.PostedReceive;
import org.posthouse.wire.CloseReason;
import org.posthouse.wire.Wire;
import org.posthouse.wire.WireException;

/**
 * Matching of one context that may run ahead (docs/wire.md). While its push window is open, messages come unrequested,
 * and the earlier of message and receive waits here for the other. Guarded by the endpoint's lock.
 *
 * <p>Messages and receives match as in one mailbox. All messages here came before all that the relay has. All receives
 * that wait here were called after those that are posted. The messages here cost at most {@link #WIDE_COST}.
 *
 * <p>In a logged job, a rank that catches up gets such messages again, without a window, and they match its receives as
 * before (ADR 25).
 */
public final class LocalMatchContext {
    /** Most cost of the messages that have come and were not received: 1,020 empty ones, or 60 of 4 KiB. */
    public static final int WINDOW_COST = 256 * 1024;

    /** The same after a long message has come: 15 of 64 KiB. */
    public static final int WIDE_COST = Wire.PUSHED_COST_MAX;

    private static final int SHORT_BYTES_MAX = 4 * 1024;

    /**
     * Pushable messages in a row before the window opens, at first and at most. A round that was not worth it doubles
     * the number.
     */
    private static final int CALM_LEAST = 2;

    private static final int CALM_MOST = 1_024;

    /** Messages of a round that ended at its bound for which the round was worth it. */
    private static final int ROUND_MESSAGES_MIN = 32;

    /**
     * Excess of long messages of a round that came before their receives over those behind them, at which it ends. Each
     * costs two copies.
     */
    private static final int LATE_MAX = 4;

    /** Reasons of an ENDED: a message came that is not pushed; the bound is reached. */
    static final int NOT_PUSHED = 2;

    static final int BOUND = 3;

    /** A message that came before its receive. */
    static final class Message {
        private final Envelope envelope;
        private final byte[] payload;
        private final long delivery;

        /** The event behind which the message came; 0 if none is still to come. */
        private final long behind;

        private Message(Envelope envelope, byte[] payload, long delivery, long behind) {
            this.envelope = envelope;
            this.payload = payload;
            this.delivery = delivery;
            this.behind = behind;
        }

        private boolean matches(int source, int tag) {
            return (source == Wire.ANY || source == envelope.source()) && (tag == Wire.ANY || tag == envelope.tag());
        }

        private void write(DataOutputStream image) throws IOException {
            image.writeInt(envelope.source());
            image.writeInt(envelope.tag());
            image.writeInt(envelope.elements());
            image.writeByte(envelope.datatype());
            image.writeLong(delivery);
            image.writeInt(payload.length);
            image.write(payload);
        }

        private static Message read(DataInputStream image) throws IOException {
            int source = image.readInt();
            int tag = image.readInt();
            int elements = image.readInt();
            int datatype = image.readUnsignedByte();
            long delivery = image.readLong();
            byte[] payload = new byte[image.readInt()];
            image.readFully(payload);
            return new Message(new Envelope(source, tag, payload.length, elements, datatype), payload, delivery, 0);
        }

        void passTo(PostedReceive postedReceive) {
            postedReceive.begin(envelope, delivery);
            postedReceive.read(ByteBuffer.wrap(payload).order(ByteOrder.LITTLE_ENDIAN));
        }
    }

    private final int context;
    private final PostedReceives postedReceives = new PostedReceives();

    /** The early messages in order of arrival; at most as many as the window covers. */
    private final Deque<Message> early = new ArrayDeque<>();

    /** The low 32 bits of the round's number. */
    private int round;

    private boolean open;
    private boolean ending;

    /** Receives of this context that are posted at the relay. */
    private int posted;

    /** Whether receives wait here that should be posted. Later receives wait behind them. */
    private boolean postsLater;

    /** Cost of what was granted, of what has come, and of what was received of that; taken <= pushed <= granted. */
    private long granted;

    private long pushed;
    private long taken;

    /** Messages that have come in this round. */
    private long came;

    /**
     * Excess of long messages of this round that came before their receives over those behind them; at least -LATE_MAX.
     */
    private int late;

    /** The window of this round, or of the next one. */
    private int window = WINDOW_COST;

    private int nextWindow = WINDOW_COST;

    private int calm;
    private int calmNeeded = CALM_LEAST;

    LocalMatchContext(int context) {
        this.context = context;
    }

    int context() {
        return context;
    }

    int round() {
        return round;
    }

    boolean isOpen() {
        return open;
    }

    // ---- receives

    /**
     * Removes and returns the message that a receive with this pattern gets now; null if none has come.
     *
     * @param observed the last event that the program has observed; messages behind a later event are not there yet
     */
    Message take(int source, int tag, long observed) {
        for (Iterator<Message> each = early.iterator(); each.hasNext();) {
            Message message = each.next();
            if (message.behind <= observed && message.matches(source, tag)) {
                each.remove();
                taken += Wire.cost(message.envelope.bytes());
                return message;
            }
        }
        return null;
    }

    /** The message that {@link #take} would take; null if none has come. */
    Envelope find(int source, int tag) {
        for (Message message : early) {
            if (message.matches(source, tag)) {
                return message.envelope;
            }
        }
        return null;
    }

    /** Adds a waiting receive, which no message here matches. */
    void await(PostedReceive postedReceive) {
        postedReceives.add(postedReceive);
    }

    /** All waiting receives, in call order. */
    List<PostedReceive> waiting() {
        return postedReceives.all();
    }

    boolean keepsReceives() {
        return !postedReceives.isEmpty();
    }

    /** Marks the waiting receives as posted at the relay, first or again. */
    void posted() {
        postedReceives.clear();
        postsLater = false;
    }

    /**
     * Marks the waiting receives to be posted when possible.
     *
     * @return whether that is new
     */
    boolean postLater() {
        boolean first = !postsLater;
        postsLater = true;
        return first;
    }

    /** Whether receives called now are posted later, behind others that are not posted yet. */
    boolean postsLater() {
        return postsLater;
    }

    /** Receives of this context that are posted at the relay. */
    int postedCount() {
        return posted;
    }

    void countPosted(int change) {
        posted += change;
    }

    /** Removes a receive that waits no more, although no pushed message has come for it. */
    void remove(PostedReceive postedReceive) {
        postedReceives.remove(postedReceive);
    }

    /** As {@link #remove}; false if it does not wait here. */
    boolean removeWaiting(PostedReceive postedReceive) {
        return postedReceives.removeIfThere(postedReceive);
    }

    // ---- messages

    /**
     * Handles a pushed message.
     *
     * @return its receive, which waits no more; null if the message is to be kept
     */
    PostedReceive came(Envelope envelope) throws WireException {
        pushed += Wire.cost(envelope.bytes());
        came++;
        measure(envelope.bytes());
        if (!open || pushed > granted) {
            throw new WireException(
                    CloseReason.NOT_EXPECTED,
                    "a message of " + envelope.bytes() + " bytes, pushed in context " + context + (open ? "" : ", which is closed")
                            + ", with " + pushed + " of " + granted);
        }
        PostedReceive postedReceive = postedReceives.take(envelope.source(), envelope.tag());
        if (postedReceive != null) {
            taken += Wire.cost(envelope.bytes());
        }
        if (envelope.bytes() > SHORT_BYTES_MAX && !ending) {
            late = postedReceive == null ? late + 1 : Math.max(late - 1, -LATE_MAX);
        }
        return postedReceive;
    }

    /** Whether the long messages of this context should rather wait at the relay. */
    boolean isLate() {
        return late >= LATE_MAX;
    }

    /** The receive that {@link #came} would return; null if there is none. Changes nothing. */
    PostedReceive receiver(int source, int tag) {
        return postedReceives.find(source, tag);
    }

    /** As {@link #came}, for a message of the history: its window was checked then. */
    PostedReceive cameAgain(Envelope envelope) {
        return postedReceives.take(envelope.source(), envelope.tag());
    }

    /** @param behind the event before which its receive was not called; 0 if none is still to come */
    void keep(Envelope envelope, ByteBuffer payload, long delivery, long behind) {
        byte[] bytes = new byte[payload.remaining()];
        payload.get(bytes);
        early.add(new Message(envelope, bytes, delivery, behind));
    }

    boolean keepsMessages() {
        return !early.isEmpty();
    }

    // ---- images

    void write(DataOutputStream image) throws IOException {
        image.writeInt(context);
        image.writeInt(early.size());
        for (Message message : early) {
            message.write(image);
        }
    }

    /** Restores the messages of an image, before all that have come. */
    void read(DataInputStream image) throws IOException {
        List<Message> after = List.copyOf(early);
        early.clear();
        for (int left = image.readInt(); left > 0; left--) {
            early.add(Message.read(image));
        }
        early.addAll(after);
    }

    // ---- rounds

    /** Handles a requested message. */
    void delivered(boolean couldBePushed, long bytes) {
        calm = couldBePushed ? calm + 1 : 0;
        measure(couldBePushed ? bytes : 0);
    }

    private void measure(long bytes) {
        if (bytes > SHORT_BYTES_MAX) {
            nextWindow = WIDE_COST;
        }
    }

    /** Whether to open the window: pushable messages come, and the last ones were received. */
    boolean wantsToOpen() {
        return !open && !postsLater && calm >= calmNeeded && taken + nextWindow - pushed >= nextWindow / 2;
    }

    /** Defers the opening: it waits for the same number of messages again. */
    void calmDown() {
        calm = 0;
    }

    /** Cost that the context may have to hold, of messages that have come or may come. */
    long held() {
        return (open ? granted : pushed) - taken;
    }

    /** Cost that the context may have to hold if the window is opened. */
    long heldIfOpen() {
        return Math.max(granted - taken, nextWindow);
    }

    /** @return the bound to grant */
    long open() {
        open = true;
        ending = false;
        round++;
        came = 0;
        late = 0;
        window = nextWindow;
        return more();
    }

    /** Whether half of the window is to be granted again. */
    boolean wantsMore() {
        return open && !ending && taken + window - granted >= window / 2;
    }

    /** Whether the window is narrow and a long message has come since it was opened. */
    boolean wantsWider() {
        return window < nextWindow;
    }

    /** Widens the window: later grants are larger. */
    void widen() {
        window = nextWindow;
    }

    /** @return the bound to grant */
    long more() {
        granted = Math.max(granted, taken + window);
        return granted;
    }

    /**
     * Ends the round.
     *
     * @return whether the relay has to be told
     */
    boolean end() {
        boolean first = open && !ending;
        ending |= first;
        return first;
    }

    /** Forgets all rounds, as the relay has. Only messages that are not received yet remain. */
    void forgetRounds() {
        open = false;
        ending = false;
        posted = 0;
        round = 0;
        granted = 0;
        pushed = 0;
        taken = 0;
        early.forEach(message -> taken -= Wire.cost(message.envelope.bytes()));
        calm = 0;
    }

    void ended(int which, long pushedInAll, int reason) throws WireException {
        if (!open || which != round || pushedInAll != pushed) {
            throw new WireException(
                    CloseReason.NOT_EXPECTED,
                    "the end of round " + which + " of context " + context + " at " + pushedInAll + ", expected round " + round
                            + (open ? "" : ", which has ended,") + " at " + pushed);
        }
        open = false;
        calm = 0;
        if (came >= CALM_MOST) {
            calmNeeded = CALM_LEAST;
        }
        if (reason == NOT_PUSHED || isLate() || reason == BOUND && came < ROUND_MESSAGES_MIN) {
            calmNeeded = Math.min(2 * calmNeeded, CALM_MOST);
        }
    }
}
