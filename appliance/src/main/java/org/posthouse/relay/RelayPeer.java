package org.posthouse.relay;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import org.posthouse.core.Parcel;
import org.posthouse.wire.BlockedReport;
import org.posthouse.wire.FrameType;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Another relay as one shard sees it. Confined to the shard's strand; what is to be sent is handed to the relay's control
 * strand, where the links are.
 *
 * <p>When the other relay was restarted, the core has to be told before anything more is sent to it: what was on its way
 * to the dead one would come before the beginning of what it belongs to. So {@link OtherRelay} first has this one hold what
 * it is given, then gathers what is on the way between the two strands, and then lets the core decide.
 */
final class RelayPeer extends FramePeer implements Shard.Teller {
    private static final Logger LOG = LoggerFactory.getLogger(RelayPeer.class);

    private final OtherRelay relay;
    private final Shard shard;

    /** What waits at the gate, in its order. */
    private final ArrayDeque<Gated> gated = new ArrayDeque<>();

    /** What was to be sent since the other relay was restarted; null unless that is under way. */
    private List<ByteBuf> held;

    /** What it has said of jobs that are not its. */
    private long strange;

    /** Numbers of frames that were handled in this turn, though not when they came. */
    private List<Long> handled = new ArrayList<>();

    /** A frame that may not leave yet, or a word on a blocked rank, which may not leave before those that are in front of it. */
    private record Gated(ByteBuf bytes, boolean kept, boolean isStall) {}

    RelayPeer(OtherRelay relay, Shard shard) {
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
    void send(ByteBuf frame) {
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
            frame.bytes().release(); // Its job has ended for the disk.
            return;
        }
        gated.add(frame);
        shard.gate().pass(() -> letOut(frame));
    }

    /** Unless the other relay was restarted meanwhile, which has put it among what is decided about anew. */
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

    private void diagnose(ByteBuf frame) {
        if (held == null) {
            relay.diagnose(this, frame);
        }
    }

    /** The other relay has handled so many frames that ranks of the shard keep: of jobs that survive the host, or of others. Thread-safe. */
    void tellAcknowledged(boolean survivesHost, long kept) {
        shard.strand().post(() -> shard.core().handled(this, survivesHost, kept));
    }

    // ---- frames that come

    /** Told of the first, and whenever their number has doubled: there may be millions. */
    @Override
    public void onStranger(String what) {
        strange++;
        if (Long.bitCount(strange) == 1) {
            LOG.warn("{} has said {} times something of jobs of which it has no rank, which was dropped; this time: {}", this, strange, what);
        }
    }

    /** The frame with this number, which had to wait, was handled. Told to the link at the turn's end. */
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

    /** Nothing more is sent until {@link #restarted}. */
    void hold() {
        assert shard.strand().isInside();
        held = new ArrayList<>();
    }

    /**
     * The core decides what of all that the other relay may not have handled is sent again.
     *
     * @param before frames that were sent before {@link #hold}, in their order; taken over
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
