package org.posthouse.tunnel;

import io.netty.buffer.ByteBuf;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import java.util.function.ToDoubleFunction;
import org.posthouse.wire.CloseReason;
import org.posthouse.wire.Wire;
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

    /** What a short message may wait for a chunk of several pieces: a link of 2.1 Gbit/s has one through. */
    private static final long LONG_NANOS = 1_000_000;

    private final LongSupplier nanos;
    private final LinkQueue queue = new LinkQueue();
    private final LinkSent heads = new LinkSent("heads");
    private final LinkSent bulk = new LinkSent("bulk");
    private final LinkGovernor governor = new LinkGovernor();

    /** What is not settled of the relay's own frames, */
    private final LinkShare own;

    /** and of those of streams. */
    private final LinkShare streams;

    /** Of lanes that tell themselves what has come on them. */
    private final LanePace[] paces = new LanePace[LinkLimits.LANES_MAX];

    /** Bytes of bulk on their way on each other lane: written there, and not known to have come. */
    private final long[] underWay = new long[LinkLimits.LANES_MAX];

    private long bulkUnderWay;

    /** Bytes of bulk that were never written. */
    private long bulkWaiting;

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
        bulkWaiting += last.isBulk() ? last.length() : 0;
        (last.isOfStreams() ? streams : own).add(last);
    }

    /** This lane is new, goes a way of its own, and tells itself what has come on it. */
    void pace(int lane) {
        paces[lane] = new LanePace();
    }

    /** Whether more bulk may be on its way on this lane than is now. What was on a lost lane may: all that came since waits for it at the other end. */
    boolean allowsBulk(int lane) {
        return queue.hasDoubtful() || (paces[lane] == null ? governor.allows(bulkUnderWay) : paces[lane].allows());
    }

    /** Whether a frame would come sooner on this lane than on the other one, by what is on their way and their rates; one whose rate is not known is tried first. */
    boolean isSooner(int lane, int other) {
        return nanosTo(lane) < nanosTo(other);
    }

    /**
     * Whether a frame comes sooner on this lane than behind all that waits on the one that would be the soonest, and takes no more now. Otherwise a message of a few frames would wait
     * for a slow way where the fast one alone would have brought it (Lim et al., ECF, CoNEXT 2017).
     */
    boolean pays(int lane, int soonest) {
        double rate = governor(soonest).rate();
        return rate <= 0 || nanosTo(lane) <= nanosTo(soonest) + bulkWaiting / rate;
    }

    private double nanosTo(int lane) {
        double rate = governor(lane).rate();
        return (underWay(lane) + LinkGovernor.FRAME_BYTES) / (rate > 0 ? rate : Integer.MAX_VALUE);
    }

    private LinkGovernor governor(int lane) {
        return paces[lane] == null ? governor : paces[lane].governor();
    }

    /** Bytes of bulk on their way on this lane. */
    long underWay(int lane) {
        return paces[lane] == null ? underWay[lane] : paces[lane].underWay();
    }

    /** Bytes written on this lane that the peer has not said to have, as they went. */
    long unacknowledged(int lane) {
        return underWay(lane) + (lane == 0 ? headsUnderWay : 0);
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
            number(frame);
        }
        depart(List.of(frame), lane, frame.length());
    }

    /** Its frames come together, with its last byte: so the last one stands for all. */
    private void write(LinkRun run, int lane) {
        run.frames().forEach(this::number);
        depart(run.frames(), lane, run.packedBytes());
    }

    private void number(LinkFrame frame) {
        bulk.write(frame, heads.written());
        bulkWaiting -= frame.length();
    }

    private void depart(List<LinkFrame> together, int lane, int wireBytes) {
        LinkFrame last = together.getLast();
        together.forEach(frame -> frame.on(lane, frame == last ? wireBytes : 0));
        if (paces[lane] != null) {
            paces[lane].write(together, wireBytes, !last.isDoubtful(), nanos.getAsLong());
            return;
        }
        last.stamp(last.isDoubtful() ? null : governor.write(wireBytes, bulkUnderWay, nanos.getAsLong()));
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
        heads.require(CloseReason.NOT_EXPECTED, "acknowledges", headsHandled, heads.acknowledged());
        bulk.require(CloseReason.NOT_EXPECTED, "has", bulkArrived, bulk.arrived());
        if (incompleteBytes < 0) {
            throw new WireException(CloseReason.NOT_EXPECTED, "has " + incompleteBytes + " bytes of a frame, expected 0 or more");
        }
        if (bulkHandled < bulk.acknowledged() || bulkHandled > bulkArrived) {
            throw new WireException(
                    CloseReason.NOT_EXPECTED,
                    "acknowledges " + bulkHandled + " of " + bulkArrived + " frames of bulk, expected at least " + bulk.acknowledged());
        }
        arrive(heads, headsHandled);
        long before = bulkUnderWay;
        LinkGovernor.Stamp stamp = arrive(bulk, bulkArrived);
        governor.come(before - bulkUnderWay, incompleteBytes, stamp, nanos.getAsLong());
        heads.acknowledge(headsHandled);
        bulk.acknowledge(bulkHandled);
        settle();
    }

    /** The peer has so many bytes of bulk that were written on this lane, whole frames or not. @throws WireException if it cannot, or says less than before */
    void come(int lane, long bytes) throws WireException {
        if (paces[lane] == null) {
            throw new WireException(CloseReason.NOT_EXPECTED, "the peer has " + bytes + " bytes of lane " + lane + ", which is told of with the link");
        }
        paces[lane].come(bytes, nanos.getAsLong());
    }

    /** @return the stamp of the last frame that has come on a lane which does not say so itself; null if there is none */
    private LinkGovernor.Stamp arrive(LinkSent stream, long count) {
        LinkGovernor.Stamp stamp = null;
        while (stream.arrived() < count) {
            LinkFrame frame = stream.first();
            if (leave(frame)) {
                stamp = frame.stamp();
            }
            stream.arrive();
            queue.came(frame);
        }
        return stamp;
    }

    /** It is not on its way any more. @return false if it was on none, or its lane says so itself, whose governor it is that has stamped it */
    private boolean leave(LinkFrame frame) {
        if (frame.lane() == LinkFrame.NOWHERE || frame.isThere() || paces[frame.lane()] != null) {
            return false;
        }
        if (frame.isBulk()) {
            underWay[frame.lane()] -= frame.wireBytes();
            bulkUnderWay -= frame.wireBytes();
        } else {
            headsUnderWay -= frame.wireBytes();
        }
        return true;
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
        List<LinkFrame> frames = queue.takeAll(job);
        bulkWaiting -= frames.stream().filter(LinkFrame::isBulk).mapToLong(LinkFrame::length).sum();
        frames.forEach(own::abandon);
        own.settle();
    }

    /** This lane is lost, and others are not: what was on it is written again. */
    void lost(int lane) {
        List<LinkFrame> frames = bulk.takeOff(lane);
        frames.forEach(frame -> frame.doubt(true));
        queue.putBack(frames);
        bulkUnderWay -= underWay[lane];
        underWay[lane] = 0;
        paces[lane] = null;
    }

    /**
     * Begins anew after all lanes were lost. The peer says what it received: that is not written again, and is kept
     * until it is acknowledged, because the peer may not have handled it yet.
     *
     * @throws WireException CANNOT_RESUME, and nothing changed, if that was never written, or less than was said before
     */
    void resume(long headsArrived, long bulkArrived) throws WireException {
        heads.require(CloseReason.CANNOT_RESUME, "received", headsArrived, heads.arrived());
        bulk.require(CloseReason.CANNOT_RESUME, "received", bulkArrived, bulk.arrived());
        arrive(heads, headsArrived);
        arrive(bulk, bulkArrived);
        queue.putBack(heads.takeOff(LinkFrame.NOWHERE));
        bulk.trust();
        queue.putBack(bulk.takeOff(LinkFrame.NOWHERE));
        nothingUnderWay();
    }

    /** Whether any frame was ever written, as far as is known here. */
    boolean hasWritten() {
        return heads.written() + bulk.written() > 0;
    }

    /** Whether the peer is known to have received any. */
    boolean hasArrived() {
        return heads.arrived() + bulk.arrived() > 0;
    }

    private void nothingUnderWay() {
        Arrays.fill(underWay, 0);
        Arrays.fill(paces, null);
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
        bulkWaiting = 0;
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

    /** Bytes a nanosecond that the link carries, on all lanes of which that is known; 0 if it is of none. */
    double rate() {
        long now = nanos.getAsLong();
        return sum(each -> each.linkRate(now));
    }

    /** Bytes a second that this lane carries; 0 if that is not known, or it does not tell itself what has come on it. */
    long rate(int lane) {
        return paces[lane] == null ? 0 : (long) (paces[lane].governor().rateWhenHeld(nanos.getAsLong()) * TimeUnit.SECONDS.toNanos(1));
    }

    /** Whether the longest chunk is through within {@link #LONG_NANOS}. On lanes over other relays, each of which has a rate of its own, none goes. */
    boolean carriesLong() {
        return !isPaced() && governor.rate() * LONG_NANOS >= Wire.CHUNK_FRAME_BYTES_MAX;
    }

    /** Bytes that the network holds, as far as is known. */
    long product() {
        return (long) sum(LinkGovernor::product);
    }

    /** Of the lanes that carry bulk: what lane 0 carried while it was alone is carried by the others now. */
    private double sum(ToDoubleFunction<LinkGovernor> what) {
        double sum = 0;
        for (LanePace pace : paces) {
            if (pace != null) {
                sum += what.applyAsDouble(pace.governor());
            }
        }
        return isPaced() ? sum : what.applyAsDouble(governor);
    }

    private boolean isPaced() {
        for (LanePace pace : paces) {
            if (pace != null) {
                return true;
            }
        }
        return false;
    }
}
