package org.posthouse.tunnel;

import io.netty.buffer.ByteBuf;
import io.netty.util.internal.PlatformDependent;
import java.util.TreeMap;
import org.posthouse.wire.CloseReason;
import org.posthouse.wire.FrameView;
import org.posthouse.wire.Wire;
import org.posthouse.wire.WireException;

/**
 * The receiving end of a link's two streams: hands each frame over once, in the order of its stream, and bulk behind the heads that were
 * written before it, whatever the lanes did. Confined to its link; knows no lane and no clock.
 *
 * <p>Heads come in their order. A frame of bulk comes with its number and the number of heads before it: one that was handed over or is held back already is a
 * repetition, and dropped; one whose turn it is is handed over; any other is held back until it is, as long as the peer's site has no more than its share of the
 * {@link #HELD_BYTES_MAX} that all links may hold back.
 */
final class LinkArrivals {
    /** After so much bulk the peer hears what has come, so that more may be on its way. */
    static final int BYTES_PER_WORD = 32 * 1024;

    /** After so much it hears so before what came is handled, where more is coming: two chunks of a piece, or longer ones, since each word wakes the peer. */
    static final int BYTES_PER_WORD_AT_ONCE = 2 * Wire.PAYLOAD_BYTES_MAX;

    private static final int FRAMES_PER_WORD_AT_ONCE = 2;

    /** So much of a frame is worth a word before the rest of it is there: a record of TLS, */
    static final int PART_BYTES_PER_WORD = 16 * 1024;

    /** unless there was one just now: a link that carries a frame in this time needs no words about parts. */
    static final long PART_NANOS = 1_000_000;

    /**
     * Of all links, with what waits to be unpacked. A site that is alone has three quarters of it, which pin four times as much at worst ({@link KeptFrame}): three quarters of the direct
     * memory. An honest peer has less on its way, but where one of its lanes is silent for long.
     */
    static final long HELD_BYTES_MAX = PlatformDependent.estimateMaxDirectMemory() / 4;

    /** Where frames go. */
    interface Sink {
        /** @param name for {@link LinkArrivals#handle}; @throws WireException if the frame is refused: it counts as not received */
        void onFrame(long name, ByteBuf buffer, int index, int length, FrameView view) throws WireException;
    }

    private record Held(ByteBuf frame, long after) {}

    private final Sink sink;
    private final FairShare room;
    private final String site;
    private final LinkReceipts heads = new LinkReceipts();
    private final LinkReceipts bulk = new LinkReceipts();

    /** By number, none of which is that of the next to hand over unless a head is missing. */
    private final TreeMap<Long, Held> held = new TreeMap<>();

    private final FrameView heldView = new FrameView();
    private long heldBytes;
    private long bytesUntold;
    private long framesUntold;

    /** Of frames whose rest had not come, when the peer was told last; and when that was. */
    private long incompleteTold;

    private long toldAtNanos;
    private long repeated;

    /**
     * @param room bytes that may be held back, of all links
     * @param site the peer's
     */
    LinkArrivals(Sink sink, FairShare room, String site) {
        this.sink = sink;
        this.room = room;
        this.site = site;
    }

    /** The next head. */
    void head(ByteBuf buffer, int index, int length, FrameView view) throws WireException {
        hand(heads, false, buffer, index, length, view);
        handHeld();
    }

    /** A frame of bulk with its number, before which so many heads were written. */
    void bulk(long number, long after, ByteBuf buffer, int index, int length, FrameView view) throws WireException {
        if (number < bulk.received() || held.containsKey(number)) {
            repeated++;
        } else if (number == bulk.received() && after <= heads.received()) {
            hand(bulk, true, buffer, index, length, view);
            handHeld();
        } else {
            hold(number, cost(length));
            held.put(number, new Held(KeptFrame.rightSized(buffer.retainedSlice(index, length)), after));
        }
    }

    private void hold(long number, long cost) throws WireException {
        if (!room.tryTake(site, cost)) {
            throw new WireException(
                    CloseReason.LIMIT,
                    "frame " + number + " of bulk came, " + bulk.received() + " did not, " + heldBytes + " bytes wait for it, " + room.of(site)
                            + " in all of site " + site + ", and " + FairShare.RULE);
        }
        heldBytes += cost;
    }

    private void letGo(long cost) {
        room.giveBack(site, cost);
        heldBytes -= cost;
    }

    private static long cost(int frameBytes) {
        return frameBytes + (long) LinkWindow.FRAME_OVERHEAD_BYTES;
    }

    private void handHeld() throws WireException {
        while (!held.isEmpty() && held.firstKey() == bulk.received() && held.firstEntry().getValue().after <= heads.received()) {
            ByteBuf frame = held.pollFirstEntry().getValue().frame;
            letGo(cost(frame.readableBytes()));
            try {
                heldView.wrap(frame.nioBuffer(), 0);
                hand(bulk, true, frame, frame.readerIndex(), frame.readableBytes(), heldView);
            } finally {
                frame.release();
            }
        }
    }

    private void hand(LinkReceipts stream, boolean isBulk, ByteBuf buffer, int index, int length, FrameView view) throws WireException {
        long number = stream.receive(length);
        long bytesBefore = bytesUntold;
        long framesBefore = framesUntold;
        bytesUntold += isBulk ? length : 0; // Before the sink, which may have it handled, and so told, at once.
        framesUntold += isBulk ? 1 : 0;
        try {
            sink.onFrame(number << 1 | (isBulk ? 1 : 0), buffer, index, length, view);
        } catch (WireException e) {
            stream.takeBack(length);
            bytesUntold = bytesBefore;
            framesUntold = framesBefore;
            throw e;
        }
    }

    /** The frame that the sink has got by this name was handled. @return whether the peer is to hear of it now */
    boolean handle(long name) {
        return ((name & 1) == 0 ? heads : bulk).handle(name >> 1);
    }

    /** Whether the peer is to hear how much bulk has come when what was read is done with. */
    boolean isDue() {
        return bytesUntold >= BYTES_PER_WORD;
    }

    /** Whether the peer is to hear so now, where more is coming. */
    boolean isDueAtOnce() {
        return bytesUntold >= BYTES_PER_WORD_AT_ONCE && framesUntold >= FRAMES_PER_WORD_AT_ONCE;
    }

    /** Whether the peer is to hear at once of bulk whose rest has not come. */
    boolean isPartDue(long incompleteBytes, long nowNanos) {
        return incompleteBytes - incompleteTold >= PART_BYTES_PER_WORD && nowNanos - toldAtNanos >= PART_NANOS;
    }

    /** Whether there is something that the peer has not been told of. */
    boolean pending() {
        return bytesUntold > 0 || heads.pending() || bulk.pending();
    }

    /** Whether all that was handed over was handled. */
    boolean isSettled() {
        return heads.isSettled() && bulk.isSettled();
    }

    /** What the peer is told now. @param incompleteBytes what came of frames whose rest has not */
    Counts tell(long incompleteBytes, long nowNanos) {
        bytesUntold = 0;
        framesUntold = 0;
        incompleteTold = incompleteBytes;
        toldAtNanos = nowNanos;
        return new Counts(heads.acknowledge(), bulk.acknowledge(), bulk.received(), incompleteBytes);
    }

    /** Heads and bulk that were handled without a gap, bulk that came without one, and bytes of what comes next. */
    record Counts(long heads, long bulk, long bulkReceived, long incomplete) {}

    /** Heads that the peer need not write again. */
    long headsReceived() {
        return heads.received();
    }

    /** Frames of bulk that the peer need not write again. */
    long bulkReceived() {
        return bulk.received();
    }

    /** Frames that came and were there already. */
    long repeated() {
        return repeated;
    }

    /** All lanes are lost: the peer will write again what is held back. */
    void drop() {
        held.values().forEach(waiting -> waiting.frame.release());
        held.clear();
        letGo(heldBytes);
        incompleteTold = 0;
    }

    /** The peer restarted: its streams begin with frame 0 again. */
    void forget() {
        drop();
        bytesUntold = 0;
        framesUntold = 0;
        heads.forget();
        bulk.forget();
    }
}
