package org.posthouse.relay.shard;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import org.posthouse.core.Parcel;
import org.posthouse.relay.io.BufferParcel;
import org.posthouse.wire.BlockedReport;
import org.posthouse.wire.FrameType;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Another relay as one shard sees it. Confined to the shard's strand. Outgoing frames are passed to the relay's control
 * strand, which owns the links.
 *
 * <p>When the other relay was restarted, the core must be notified before anything more is sent. Otherwise frames that
 * were under way to the dead process would arrive before the frames that they depend on. {@link LinkedRelay} therefore
 * first lets this peer hold outgoing frames, then gathers those between the two strands, and then lets the core decide.
 */
final class RelayPeer extends FramePeer implements Shard.Teller {
    private static final Logger LOG = LoggerFactory.getLogger(RelayPeer.class);

    private final LinkedRelay relay;
    private final Shard shard;

    /** Frames that wait at the gate, in order. */
    private final ArrayDeque<Gated> gated = new ArrayDeque<>();

    /** Outgoing frames since the other relay's restart; null unless one is being arranged. */
    private List<ByteBuf> held;

    /** Number of frames for jobs of which the other relay has no rank. */
    private long strange;

    /** Numbers of delayed frames that were handled in this turn. */
    private List<Long> handled = new ArrayList<>();

    /** A frame that waits at the gate, or a report of a blocked rank behind such frames. */
    private record Gated(ByteBuf bytes, boolean kept, boolean isStall) {}

    RelayPeer(LinkedRelay relay, Shard shard) {
        this.relay = relay;
        this.shard = shard;
    }

    Shard shard() {
        return shard;
    }

    @Override
    public boolean isFar() {
        return true;
    }

    @Override
    public void send(ByteBuf frame) {
        send(frame, false);
    }

    private boolean send(ByteBuf frame, boolean kept) {
        assert shard.strand().isInside();
        if (!relay.isReachable()) {
            frame.release();
            return false;
        }
        if (shard.isGated(frame)) {
            gate(new Gated(frame, kept, false));
        } else {
            pass(frame, kept, false);
        }
        return true;
    }

    private void gate(Gated frame) {
        if (shard.gate().hasGivenUp()) {
            frame.bytes().release(); // The job of this frame fails, because the disk has failed.
            return;
        }
        gated.add(frame);
        shard.gate().pass(() -> letOut(frame));
    }

    /**
     * Sends a frame that has passed the gate. Does nothing if the other relay was restarted meanwhile; the frame is
     * then among those about which the core decides.
     */
    private void letOut(Gated frame) {
        if (gated.peek() == frame) {
            gated.remove();
            if (frame.isStall()) {
                diagnose(frame.bytes());
            } else {
                pass(frame.bytes(), frame.kept(), true);
            }
        }
    }

    private void pass(ByteBuf frame, boolean kept, boolean wasGated) {
        if (held != null) {
            held.add(frame);
        } else {
            relay.send(this, frame, kept, wasGated);
        }
    }

    @Override
    public boolean forward(Parcel frame, boolean kept) {
        return send(((BufferParcel) frame).take(), kept);
    }

    @Override
    public void stall(FrameType type, BlockedReport blockedReport) {
        assert shard.strand().isInside();
        ByteBuf frame = Unpooled.wrappedBuffer(blockedReport.encode(type));
        if (gated.isEmpty() || shard.gate().hasGivenUp()) {
            diagnose(frame);
        } else {
            gate(new Gated(frame, false, true));
        }
    }

    /** With a log, the frame waits at the gate as the others do: the record behind which it leaves is safe then. */
    @Override
    public void failure(ByteBuffer frame, boolean behind) {
        assert shard.strand().isInside();
        ByteBuf bytes = Unpooled.wrappedBuffer(frame);
        if (behind && shard.isGated(bytes)) {
            shard.gate().pass(() -> failure(bytes, true));
        } else {
            failure(bytes, behind);
        }
    }

    private void failure(ByteBuf bytes, boolean behind) {
        if (behind && held == null && relay.isReachable()) {
            relay.sendBehind(this, bytes);
        } else {
            send(bytes, false);
        }
    }

    private void diagnose(ByteBuf frame) {
        if (held == null) {
            relay.diagnose(this, frame);
        }
    }

    /**
     * Tells the core how many kept frames of the shard's ranks the other relay has handled. Thread-safe.
     *
     * @param survivesHost whether these are frames of jobs with durability {@code host}
     */
    void tellAcknowledged(boolean survivesHost, long kept) {
        shard.strand().post(() -> shard.core().handled(this, survivesHost, kept));
    }

    // ---- frames that come

    /** Logs the first such frame, and each doubling of their number, because there may be millions. */
    @Override
    public void onStranger(String what) {
        strange++;
        if (Long.bitCount(strange) == 1) {
            LOG.warn("{} has said {} times something of jobs of which it has no rank, which was dropped; this time: {}", this, strange, what);
        }
    }

    /** Acknowledges a delayed frame, by its number on the link, at the end of the turn. */
    void handled(long number) {
        assert shard.strand().isInside();
        if (handled.isEmpty()) {
            shard.tellAtEndOfTurn(this);
        }
        handled.add(number);
    }

    @Override
    public void tellHandled() {
        assert shard.strand().isInside();
        List<Long> numbers = handled;
        handled = new ArrayList<>();
        relay.handled(numbers);
    }

    // ---- the other relay was restarted

    /** Holds outgoing frames until {@link #restarted}. */
    void hold() {
        assert shard.strand().isInside();
        held = new ArrayList<>();
    }

    /**
     * Lets the core decide which frames to send again, of all that the other relay may not have handled.
     *
     * @param before frames that were sent before {@link #hold}, in order; taken over
     */
    void restarted(List<ByteBuf> before) {
        assert shard.strand().isInside();
        List<ByteBuf> frames = new ArrayList<>(before);
        frames.addAll(held);
        gated.stream().filter(frame -> !frame.isStall()).forEach(frame -> frames.add(frame.bytes()));
        gated.clear();
        held = null;
        shard.peerRestarted(this, frames);
    }

    @Override
    public String toString() {
        return "relay " + relay.id();
    }
}
