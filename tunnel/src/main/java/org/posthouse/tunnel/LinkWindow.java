package org.posthouse.tunnel;

import io.netty.buffer.ByteBuf;
import java.util.Arrays;
import java.util.List;
import java.util.function.LongSupplier;
import org.posthouse.wire.Reason;
import org.posthouse.wire.WireException;

/**
 * The frames of one direction of a link that the peer has not acknowledged. Confined to its link; knows no socket
 * and no clock. It owns one reference of each frame from {@link #append} until it is settled, by who handed it in ({@link LinkShare}).
 *
 * <p>Heads and bulk ({@link LinkQueue}) are two streams with numbers of their own ({@link LinkSent}). A lane is a number for this class: it notes
 * on which one a frame was written last, and has it written again if that one is lost and the peer has not said that the frame
 * came. That may be once too often; the peer knows it by its number. When all lanes are lost, the peer says exactly what it has.
 */
final class LinkWindow {
    /** What a frame costs beyond its bytes: buffer object, slice, its entry, stamp and three places in queues. Bounds empty frames. */
    static final int FRAME_OVERHEAD_BYTES = 160;

    private final LongSupplier nanos;
    private final LinkQueue queue = new LinkQueue();
    private final LinkSent heads = new LinkSent("heads");
    private final LinkSent bulk = new LinkSent("bulk");
    private final LinkGovernor governor = new LinkGovernor();

    /** What is not settled of the relay's own frames, */
    private final LinkShare own;

    /** and of those of streams. */
    private final LinkShare streams;

    /** Bytes of bulk on their way on each lane: written there, and not known to have come. */
    private final long[] underWay = new long[LinkConfig.LANES_MAX];

    private long bulkUnderWay;

    /** Bytes of heads written and not acknowledged; they go over lane 0. */
    private long headsUnderWay;

    private long appended;
    private long retransmitted;

    /**
     * @param bytesMax of the relay's own frames, and as much of those of streams
     * @param nanos the time, of which only differences count
     */
    LinkWindow(long bytesMax, LongSupplier nanos) {
        this.own = new LinkShare(bytesMax);
        this.streams = new LinkShare(bytesMax);
        this.nanos = nanos;
    }

    /** Takes over {@code frame}, one whole frame. */
    void append(ByteBuf frame) {
        LinkFrame last = new LinkFrame(KeptFrame.rightSized(frame), appended++);
        queue.add(last);
        (last.isOfStreams() ? streams : own).add(last);
    }

    /** Whether more bulk may be on its way than is now. What was on a lost lane may: all that came since waits for it at the other end. */
    boolean allowsBulk() {
        return queue.hasDoubtful() || governor.allows(bulkUnderWay);
    }

    /** Bytes of bulk on their way on this lane. */
    long underWay(int lane) {
        return underWay[lane];
    }

    /** Bytes written on this lane that the peer has not said to have, as they went. */
    long unacknowledged(int lane) {
        return underWay[lane] + (lane == 0 ? headsUnderWay : 0);
    }

    /**
     * The next frame to write on {@code lane}, or null if there is none of those that are wanted. Its bytes are to be written as a slice, so that
     * nobody downstream can write behind the frame's end.
     */
    LinkFrame next(int lane, boolean wantsHeads, boolean wantsBulk) {
        LinkFrame frame = queue.next(wantsHeads, wantsBulk);
        if (frame == null) {
            return null;
        }
        if (frame.run() != null) {
            write(frame.run(), lane);
        } else if (frame.isBulk()) {
            writeBulk(frame, lane);
        } else {
            retransmitted += frame.isNumbered() ? 1 : 0;
            if (!frame.isNumbered()) {
                heads.write(frame, 0);
            }
            frame.on(lane, frame.length());
            headsUnderWay += frame.length();
        }
        return frame;
    }

    private void writeBulk(LinkFrame frame, int lane) {
        if (frame.isNumbered()) {
            retransmitted++;
        } else {
            bulk.write(frame, heads.written());
        }
        depart(frame, lane, frame.length());
    }

    /** Its frames come together, with its last byte: so the last one stands for all. */
    private void write(LinkRun run, int lane) {
        for (LinkFrame frame : run.frames()) {
            bulk.write(frame, heads.written());
            frame.on(lane, 0);
        }
        depart(run.last(), lane, run.packedBytes());
    }

    private void depart(LinkFrame frame, int lane, int wireBytes) {
        frame.on(lane, wireBytes);
        frame.stamp(frame.isDoubtful() ? null : governor.write(wireBytes, bulkUnderWay, nanos.getAsLong()));
        underWay[lane] += wireBytes;
        bulkUnderWay += wireBytes;
    }

    /** From now on bulk that was never written is to be packed, by {@link #takeRun} and {@link #packed}, or is not. */
    void packs(boolean isPacking) {
        queue.packs(isPacking);
    }

    /** Bulk to pack; null if there is none now, or enough is under way. */
    LinkRun takeRun() {
        return queue.takeRun();
    }

    /** It may be written, packed, or as it is if {@code packed} is null. The window owns {@code packed}. */
    void packed(LinkRun run, ByteBuf packed) {
        queue.packed(run, packed);
    }

    /**
     * The peer has handled the first frames of either stream, has so much bulk without a gap, and so many bytes of what comes next.
     *
     * @throws WireException if it cannot, or says less than before
     */
    void acknowledge(long headsHandled, long bulkHandled, long bulkArrived, long incompleteBytes) throws WireException {
        heads.require(Reason.NOT_EXPECTED, "acknowledges", headsHandled, heads.acknowledged());
        bulk.require(Reason.NOT_EXPECTED, "has", bulkArrived, bulk.arrived());
        if (incompleteBytes < 0) {
            throw new WireException(Reason.NOT_EXPECTED, "has " + incompleteBytes + " bytes of a frame, expected 0 or more");
        }
        if (bulkHandled < bulk.acknowledged() || bulkHandled > bulkArrived) {
            throw new WireException(
                    Reason.NOT_EXPECTED,
                    "acknowledges " + bulkHandled + " of " + bulkArrived + " frames of bulk, expected at least " + bulk.acknowledged());
        }
        arrive(heads, headsHandled);
        long before = bulkUnderWay;
        LinkFrame last = arrive(bulk, bulkArrived);
        governor.come(before - bulkUnderWay, incompleteBytes, last == null ? null : last.stamp(), nanos.getAsLong());
        heads.acknowledge(headsHandled);
        bulk.acknowledge(bulkHandled);
        settle();
    }

    /** @return the last frame that has come; null if none has */
    private LinkFrame arrive(LinkSent stream, long count) {
        LinkFrame frame = null;
        while (stream.arrived() < count) {
            frame = stream.first();
            leave(frame);
            stream.arrive();
            queue.came(frame);
        }
        return frame;
    }

    /** It is not on its way any more. */
    private void leave(LinkFrame frame) {
        if (frame.lane() == LinkFrame.NOWHERE) {
            return;
        }
        if (frame.isBulk()) {
            underWay[frame.lane()] -= frame.wireBytes();
            bulkUnderWay -= frame.wireBytes();
        } else {
            headsUnderWay -= frame.wireBytes();
        }
    }

    private void settle() {
        own.settle();
        streams.settle();
    }

    /**
     * Lets go of what was never written of a job that has ended. It counts as handled; what was written keeps its number, and so stays until the
     * peer has handled it.
     */
    void forget(long job) {
        queue.takeAll(job).forEach(own::abandon);
        own.settle();
    }

    /** This lane is lost, and others are not: what was on it is written again. */
    void lost(int lane) {
        List<LinkFrame> frames = bulk.takeOff(lane);
        frames.forEach(frame -> frame.doubt(true));
        queue.putBack(frames);
        bulkUnderWay -= underWay[lane];
        underWay[lane] = 0;
    }

    /**
     * Begins anew after all lanes were lost. The peer says what it received: that is not written again, and is kept
     * until it is acknowledged, because the peer may not have handled it yet.
     *
     * @throws WireException CANNOT_RESUME, and nothing changed, if that was never written, or less than was said before
     */
    void resume(long headsArrived, long bulkArrived) throws WireException {
        heads.require(Reason.CANNOT_RESUME, "received", headsArrived, heads.arrived());
        bulk.require(Reason.CANNOT_RESUME, "received", bulkArrived, bulk.arrived());
        arrive(heads, headsArrived);
        arrive(bulk, bulkArrived);
        queue.putBack(heads.takeOff(LinkFrame.NOWHERE));
        bulk.trust();
        queue.putBack(bulk.takeOff(LinkFrame.NOWHERE));
        nothingUnderWay();
    }

    private void nothingUnderWay() {
        Arrays.fill(underWay, 0);
        bulkUnderWay = 0;
        headsUnderWay = 0;
        governor.forget();
    }

    /**
     * The peer has forgotten heads and bulk: hands over all of the relay's own frames that are not settled, in the order in which they were handed in,
     * and counts from 0 again. The peer may have handled some of them. Of those of jobs that were forgotten it is the heads only.
     */
    List<ByteBuf> takeAll() {
        streams.takeAll().forEach(ByteBuf::release);
        heads.clear();
        bulk.clear();
        queue.clear();
        nothingUnderWay();
        appended = 0;
        return own.takeAll();
    }

    /** Nobody wants it any more. */
    void release() {
        takeAll().forEach(ByteBuf::release);
    }

    /** What is not settled of the relay's own frames. */
    LinkShare own() {
        return own;
    }

    /** What is not settled of the frames of streams. */
    LinkShare streams() {
        return streams;
    }

    /** Bytes of all frames held, {@link #FRAME_OVERHEAD_BYTES} for each included. */
    long bytes() {
        return own.bytes() + streams.bytes();
    }

    long retransmitted() {
        return retransmitted;
    }

    /** Bytes a nanosecond that the link carries; 0 if that is not known. */
    double rate() {
        return governor.linkRate(nanos.getAsLong());
    }

    LinkGovernor governor() {
        return governor;
    }
}
