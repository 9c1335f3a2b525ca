package org.posthouse.tunnel.window;

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
 * The frames of one direction of a link that the peer has not acknowledged. Confined to its link; uses no socket and no
 * clock. It owns one reference of each frame from {@link #append} until the frame is settled by the {@link LinkShare}
 * of its sender.
 *
 * <p>Heads and bulk ({@link LinkQueue}) are two separately numbered streams ({@link SentStream}). For this class a lane
 * is only a number. The window records on which lane it wrote each frame last. If that lane is lost and the peer has
 * not reported the frame, the window writes the frame again. The peer recognizes a duplicate by its number. When all
 * lanes are lost, the peer reports exactly what it has.
 */
public final class LinkWindow {
    /**
     * Maximum number of connections of one link. With 4 MiB in each, Linux's limit for a connection, 28 MiB of bulk are
     * in flight.
     */
    public static final int LANES_MAX = 8;

    /**
     * Memory cost of a frame beyond its bytes: buffer object, slice, entry, stamp and three queue slots. It bounds the
     * number of empty frames.
     */
    public static final int FRAME_OVERHEAD_BYTES = 160;

    /**
     * Longest time that a short message may wait for a chunk of several pieces. A link of 2.1 Gbit/s transmits one in
     * this time.
     */
    private static final long LONG_NANOS = 1_000_000;

    private final LongSupplier nanos;
    private final LinkQueue queue = new LinkQueue();
    private final SentStream heads = new SentStream("heads");
    private final SentStream bulk = new SentStream("bulk");
    private final CongestionControl governor = new CongestionControl();

    /** Unsettled frames of the relay itself. */
    private final LinkShare own;

    /** Unsettled frames of streams. */
    private final LinkShare streams;

    /** Pacing of the lanes that report their own arrivals; null for other lanes. */
    private final LanePace[] paces = new LanePace[LANES_MAX];

    /** Bytes of bulk in flight on each other lane: written there, and not known to have arrived. */
    private final long[] underWay = new long[LANES_MAX];

    private long bulkUnderWay;

    /** Bytes of bulk that were never written. */
    private long bulkWaiting;

    /** Bytes of heads written and not acknowledged; heads use lane 0. */
    private long headsUnderWay;

    private long appended;
    private long retransmitted;

    /**
     * @param bytesMax limit for the relay's own frames, and separately for those of streams
     *
     * @param nanos the time, of which only differences count
     */
    public LinkWindow(long bytesMax, LongSupplier nanos) {
        this.own = new LinkShare(bytesMax);
        this.streams = new LinkShare(bytesMax);
        this.nanos = nanos;
    }

    /** Adds one whole frame and takes ownership of it. */
    public void append(ByteBuf frame) {
        LinkFrame last = new LinkFrame(RetainedFrame.rightSized(frame), appended++);
        queue.add(last);
        bulkWaiting += last.isBulk() ? last.length() : 0;
        (last.isOfStreams() ? streams : own).add(last);
    }

    /** Begins pacing for a new lane that has its own path and reports its own arrivals. */
    public void pace(int lane) {
        paces[lane] = new LanePace();
    }

    /**
     * Whether more bulk may be written on this lane. Bulk from a lost lane always may, because the other end holds back
     * everything that arrived after it.
     */
    public boolean allowsBulk(int lane) {
        return queue.hasDoubtful() || (paces[lane] == null ? governor.allows(bulkUnderWay) : paces[lane].allows());
    }

    /**
     * Whether a frame would arrive sooner on this lane than on the other, given their bytes in flight and rates. A lane
     * without a known rate is tried first.
     */
    public boolean isSooner(int lane, int other) {
        return nanosTo(lane) < nanosTo(other);
    }

    /**
     * Whether a frame arrives sooner on this lane than behind all waiting bulk on the soonest lane, which accepts no
     * more now. Without this check, a short message could take a slow path although the fast path alone would be
     * quicker (Lim et al., ECF, CoNEXT 2017).
     */
    public boolean pays(int lane, int soonest) {
        double rate = governor(soonest).rate();
        return rate <= 0 || nanosTo(lane) <= nanosTo(soonest) + bulkWaiting / rate;
    }

    private double nanosTo(int lane) {
        double rate = governor(lane).rate();
        return (underWay(lane) + CongestionControl.FRAME_BYTES) / (rate > 0 ? rate : Integer.MAX_VALUE);
    }

    private CongestionControl governor(int lane) {
        return paces[lane] == null ? governor : paces[lane].governor();
    }

    /** Bytes of bulk in flight on this lane. */
    public long underWay(int lane) {
        return paces[lane] == null ? underWay[lane] : paces[lane].underWay();
    }

    /** Bytes on the wire of this lane that the peer has not reported. */
    public long unacknowledged(int lane) {
        return underWay(lane) + (lane == 0 ? headsUnderWay : 0);
    }

    /**
     * The next wanted frame to write on {@code lane}, or null if there is none. The caller must write its bytes as a
     * slice, so that no handler can write past the frame's end.
     */
    public LinkFrame next(int lane, boolean wantsHeads, boolean wantsBulk) {
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

    /** Writes a run. Its frames arrive together with its last byte, so the last frame accounts for all. */
    private void write(PackedRun run, int lane) {
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

    /** Turns packing on or off for bulk that was never written. Packing uses {@link #takeRun} and {@link #packed}. */
    public void packs(boolean isPacking) {
        queue.packs(isPacking);
    }

    /** Bulk to pack; null if there is none now, or enough is being packed. */
    public PackedRun takeRun() {
        return queue.takeRun();
    }

    /**
     * Returns a run that may now be written, packed, or unpacked if {@code packed} is null. The window owns
     * {@code packed}.
     */
    public void packed(PackedRun run, ByteBuf packed) {
        queue.packed(run, packed);
    }

    /**
     * Handles an acknowledgement of the peer.
     *
     * @param headsHandled number of heads that the peer has handled
     * @param bulkHandled number of bulk frames that the peer has handled
     * @param bulkArrived number of bulk frames that arrived without a gap
     * @param incompleteBytes bytes of the next frames that arrived
     * @throws WireException if the values are impossible, or lower than before
     */
    public void acknowledge(long headsHandled, long bulkHandled, long bulkArrived, long incompleteBytes) throws WireException {
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
        CongestionControl.Stamp stamp = arrive(bulk, bulkArrived);
        governor.come(before - bulkUnderWay, incompleteBytes, stamp, nanos.getAsLong());
        heads.acknowledge(headsHandled);
        bulk.acknowledge(bulkHandled);
        settle();
    }

    /**
     * The peer reports that it has {@code bytes} bytes of bulk written on this lane, in whole or partial frames.
     *
     * @throws WireException if the value is impossible, or lower than before
     */
    public void come(int lane, long bytes) throws WireException {
        if (paces[lane] == null) {
            throw new WireException(CloseReason.NOT_EXPECTED, "the peer has " + bytes + " bytes of lane " + lane + ", which is told of with the link");
        }
        paces[lane].come(bytes, nanos.getAsLong());
    }

    /**
     * @return the stamp of the last newly arrived frame on a lane that does not report its own arrivals; null if there
     *         is none
     */
    private CongestionControl.Stamp arrive(SentStream stream, long count) {
        CongestionControl.Stamp stamp = null;
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

    /**
     * Removes the frame from the bytes in flight.
     *
     * @return false if the frame was not in flight, or if its lane reports its own arrivals and so has its own governor
     */
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
     * Drops the unwritten frames of a job that has ended; they count as handled. Written frames keep their numbers, so
     * they stay until the peer has handled them.
     */
    public void forget(long job) {
        List<LinkFrame> frames = queue.takeAll(job);
        bulkWaiting -= frames.stream().filter(LinkFrame::isBulk).mapToLong(LinkFrame::length).sum();
        frames.forEach(own::abandon);
        own.settle();
    }

    /** Handles the loss of one lane while others remain: its frames are written again. */
    public void lost(int lane) {
        List<LinkFrame> frames = bulk.takeOff(lane);
        frames.forEach(frame -> frame.doubt(true));
        queue.putBack(frames);
        bulkUnderWay -= underWay[lane];
        underWay[lane] = 0;
        paces[lane] = null;
    }

    /**
     * Restarts after all lanes were lost. The peer reports what it received; those frames are not written again. They
     * stay until they are acknowledged, because the peer may not have handled them yet.
     *
     * @throws WireException CANNOT_RESUME, and nothing changed, if the peer reports frames never written, or fewer than
     *         before
     */
    public void resume(long headsArrived, long bulkArrived) throws WireException {
        heads.require(CloseReason.CANNOT_RESUME, "received", headsArrived, heads.arrived());
        bulk.require(CloseReason.CANNOT_RESUME, "received", bulkArrived, bulk.arrived());
        arrive(heads, headsArrived);
        arrive(bulk, bulkArrived);
        queue.putBack(heads.takeOff(LinkFrame.NOWHERE));
        bulk.trust();
        queue.putBack(bulk.takeOff(LinkFrame.NOWHERE));
        nothingUnderWay();
    }

    /** Whether any frame was ever written, as far as this end knows. */
    public boolean hasWritten() {
        return heads.written() + bulk.written() > 0;
    }

    /** Whether the peer is known to have received any frame. */
    public boolean hasArrived() {
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
     * Returns all unsettled frames of the relay itself, in the order of {@link #append}, and restarts the numbering
     * from 0. Used when the peer has lost its state of heads and bulk. The peer may have handled some of the frames.
     * Frames of forgotten jobs contain only their heads.
     */
    public List<ByteBuf> takeAll() {
        streams.takeAll().forEach(ByteBuf::release);
        heads.clear();
        bulk.clear();
        queue.clear();
        nothingUnderWay();
        bulkWaiting = 0;
        appended = 0;
        return own.takeAll();
    }

    /** Releases all frames. */
    public void release() {
        takeAll().forEach(ByteBuf::release);
    }

    /** Unsettled frames of the relay itself. */
    public LinkShare own() {
        return own;
    }

    /** Unsettled frames of streams. */
    public LinkShare streams() {
        return streams;
    }

    /** Bytes of all held frames, including {@link #FRAME_OVERHEAD_BYTES} for each. */
    public long bytes() {
        return own.bytes() + streams.bytes();
    }

    public long retransmitted() {
        return retransmitted;
    }

    /** Rate of the link in bytes a nanosecond, summed over the lanes with a known rate; 0 if there are none. */
    public double rate() {
        long now = nanos.getAsLong();
        return sum(each -> each.linkRate(now));
    }

    /** Rate of this lane in bytes a second; 0 if unknown, or if the lane does not report its own arrivals. */
    public long rate(int lane) {
        return paces[lane] == null ? 0 : (long) (paces[lane].governor().rateWhenHeld(nanos.getAsLong()) * TimeUnit.SECONDS.toNanos(1));
    }

    /**
     * Whether the longest chunk is transmitted within {@link #LONG_NANOS}. Always false with lanes over other relays,
     * because each has its own rate.
     */
    public boolean carriesLong() {
        return !isPaced() && governor.rate() * LONG_NANOS >= Wire.CHUNK_FRAME_BYTES_MAX;
    }

    /** The estimated bandwidth-delay product of the network, in bytes. */
    public long product() {
        return (long) sum(CongestionControl::product);
    }

    /**
     * Sums a value over the lanes that carry bulk. Once other lanes exist, they carry the bulk that lane 0 carried
     * alone.
     */
    private double sum(ToDoubleFunction<CongestionControl> what) {
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
