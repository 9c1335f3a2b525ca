package org.posthouse.tunnel.window;

import io.netty.buffer.ByteBuf;
import io.netty.util.internal.PlatformDependent;
import java.util.TreeMap;
import org.posthouse.wire.CloseReason;
import org.posthouse.wire.FrameView;
import org.posthouse.wire.Wire;
import org.posthouse.wire.WireException;

/**
 * The receiving end of a link's two streams. It delivers each frame once and in the order of its stream, and bulk after
 * all heads written before it, whatever the lanes did. Confined to its link; uses no lane and no clock.
 *
 * <p>Heads arrive in order. A bulk frame arrives with its number and the number of heads before it. A frame that was
 * delivered or is held already is a duplicate and is dropped. The next frame in order is delivered. Any other is held
 * back, as long as the peer's site stays within its share of the {@link #HELD_BYTES_MAX} that all links may hold back.
 */
public final class LinkReceiver {
    /** After this much bulk the peer is told what has arrived, so that it may send more. */
    static final int BYTES_PER_WORD = 32 * 1024;

    /**
     * After this much, if more is arriving, the peer is told before the frames are handled. The value is two chunks of
     * a piece, or one longer chunk, because each report wakes the peer.
     */
    static final int BYTES_PER_WORD_AT_ONCE = 2 * Wire.PAYLOAD_BYTES_MAX;

    private static final int FRAMES_PER_WORD_AT_ONCE = 2;

    /** This much of an incomplete frame justifies a report: one TLS record, */
    static final int PART_BYTES_PER_WORD = 16 * 1024;

    /**
     * unless a report was sent within this time. A link that carries a frame in this time needs no reports of partial
     * frames.
     */
    public static final long PART_NANOS = 1_000_000;

    /**
     * Limit for all links, including frames that wait to be unpacked. A single site may use three quarters of it. That
     * pins at worst four times as much ({@link RetainedFrame}): three quarters of the direct memory. An honest peer has
     * less in flight, unless one of its lanes is silent for long.
     */
    public static final long HELD_BYTES_MAX = PlatformDependent.estimateMaxDirectMemory() / 4;

    /** Receives the frames. */
    public interface Sink {
        /**
         * @param name identifies the frame for {@link LinkReceiver#handle}
         *
         * @throws WireException if the frame is refused: it counts as not received
         */
        void onFrame(long name, ByteBuf buffer, int index, int length, FrameView view) throws WireException;
    }

    private record Held(ByteBuf frame, long after) {}

    private final Sink sink;
    private final FairShare room;
    private final String site;
    private final ReceiveWindow heads = new ReceiveWindow();
    private final ReceiveWindow bulk = new ReceiveWindow();

    /** Frames held back, by number. The next number to deliver is among them only if a head is missing. */
    private final TreeMap<Long, Held> held = new TreeMap<>();

    private final FrameView heldView = new FrameView();
    private long heldBytes;
    private long bytesUntold;
    private long framesUntold;

    /** Bytes of incomplete frames in the last report to the peer, and the time of that report. */
    private long incompleteTold;

    private long toldAtNanos;
    private long repeated;

    /**
     * @param room bytes that all links together may hold back
     *
     * @param site the peer's
     */
    public LinkReceiver(Sink sink, FairShare room, String site) {
        this.sink = sink;
        this.room = room;
        this.site = site;
    }

    /** Receives the next head. */
    public void head(ByteBuf buffer, int index, int length, FrameView view) throws WireException {
        hand(heads, false, buffer, index, length, view);
        handHeld();
    }

    /** Receives a bulk frame with its number; {@code after} heads were written before it. */
    public void bulk(long number, long after, ByteBuf buffer, int index, int length, FrameView view) throws WireException {
        if (number < bulk.received() || held.containsKey(number)) {
            repeated++;
        } else if (number == bulk.received() && after <= heads.received()) {
            hand(bulk, true, buffer, index, length, view);
            handHeld();
        } else {
            hold(number, cost(length));
            held.put(number, new Held(RetainedFrame.rightSized(buffer.retainedSlice(index, length)), after));
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

    private void hand(ReceiveWindow stream, boolean isBulk, ByteBuf buffer, int index, int length, FrameView view) throws WireException {
        long number = stream.receive(length);
        long bytesBefore = bytesUntold;
        long framesBefore = framesUntold;
        // Counted before the call, because the sink may report the frame as handled at once.
        bytesUntold += isBulk ? length : 0;
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

    /**
     * Notes that the frame with this name was handled.
     *
     * @return whether the peer must be told now
     */
    public boolean handle(long name) {
        return ((name & 1) == 0 ? heads : bulk).handle(name >> 1);
    }

    /** Whether the peer must be told of arrived bulk after the current read. */
    public boolean isDue() {
        return bytesUntold >= BYTES_PER_WORD;
    }

    /** Whether the peer must be told now, if more is arriving. */
    public boolean isDueAtOnce() {
        return bytesUntold >= BYTES_PER_WORD_AT_ONCE && framesUntold >= FRAMES_PER_WORD_AT_ONCE;
    }

    /** Whether the peer must be told now of an incomplete bulk frame. */
    public boolean isPartDue(long incompleteBytes, long nowNanos) {
        return incompleteBytes - incompleteTold >= PART_BYTES_PER_WORD && nowNanos - toldAtNanos >= PART_NANOS;
    }

    /** Whether there is something that the peer was not told yet. */
    public boolean pending() {
        return bytesUntold > 0 || heads.pending() || bulk.pending();
    }

    /** Whether all delivered frames were handled. */
    public boolean isSettled() {
        return heads.isSettled() && bulk.isSettled();
    }

    /**
     * The counts to tell the peer now.
     *
     * @param incompleteBytes received bytes of incomplete frames
     */
    public Counts tell(long incompleteBytes, long nowNanos) {
        bytesUntold = 0;
        framesUntold = 0;
        incompleteTold = incompleteBytes;
        toldAtNanos = nowNanos;
        return new Counts(heads.acknowledge(), bulk.acknowledge(), bulk.received(), incompleteBytes);
    }

    /** Heads and bulk handled without a gap, bulk received without a gap, and bytes of the next frames. */
    public record Counts(long heads, long bulk, long bulkReceived, long incomplete) {}

    /** Number of heads that the peer need not write again. */
    public long headsReceived() {
        return heads.received();
    }

    /** Number of bulk frames that the peer need not write again. */
    public long bulkReceived() {
        return bulk.received();
    }

    /** Number of duplicate frames. */
    public long repeated() {
        return repeated;
    }

    /** Drops the held frames after all lanes were lost; the peer will write them again. */
    public void drop() {
        held.values().forEach(waiting -> waiting.frame.release());
        held.clear();
        letGo(heldBytes);
        incompleteTold = 0;
    }

    /** Resets the numbering after a restart of the peer, whose streams begin with frame 0 again. */
    public void forget() {
        drop();
        bytesUntold = 0;
        framesUntold = 0;
        heads.forget();
        bulk.forget();
    }
}
