package org.posthouse.relay;

import io.netty.buffer.ByteBuf;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.posthouse.core.Parcel;
import org.posthouse.relay.io.BufferParcel;
import org.posthouse.relay.shard.FramePeer;
import org.posthouse.wire.BlockedReport;
import org.posthouse.wire.FrameType;
import org.posthouse.wire.FrameView;

/**
 * The way from one core to another: of the same relay, or over a link, which keeps each frame until it is known that it was
 * handled, and through any restart of the other end; its own end's restart is the end of it.
 */
final class SimWay extends FramePeer {
    /** On its way, or handled and behind one that is not known to be. */
    private static final class Sent {
        private final byte[] frame;
        private final boolean kept;

        /** Whether its job survives the host. */
        private final boolean survivesHost;

        /** What is said of a blocked rank; null if it is a frame for a rank. */
        private final Word stall;

        private boolean handled;

        private Sent(byte[] frame, boolean kept, boolean survivesHost, Word stall) {
            this.frame = frame;
            this.kept = kept;
            this.survivesHost = survivesHost;
            this.stall = stall;
        }
    }

    private record Word(FrameType type, BlockedReport stall) {}

    /** @param behind how many frames must have been handled before */
    private record Diagnosis(Sent word, long behind) {}

    private final SimCore from;
    private final int to;
    private final boolean local;
    private final ArrayDeque<Sent> unacknowledged = new ArrayDeque<>();
    private final ArrayDeque<Sent> gated = new ArrayDeque<>();
    private final ArrayDeque<Diagnosis> diagnoses = new ArrayDeque<>();

    /** Which life of the other relay it has linked to; 0 for none. */
    private int otherLife;

    private boolean up;

    /** Grows whenever what is on its way is lost. */
    private int session;

    /** What has come to the other end, which has no room for it. */
    private final ArrayDeque<Runnable> parked = new ArrayDeque<>();

    private long last;
    private long lastAnswer;
    private long handled;

    /** Of jobs that survive the host, and of others: behind a link they are counted apart. */
    private long keptHandledSafe;

    private long keptHandled;

    SimWay(SimCore from, int to) {
        this.from = from;
        this.to = to;
        local = from.host().number() == from.world().relayOfCore(to);
        up = local;
    }

    @Override
    public boolean isFar() {
        return !local;
    }

    @Override
    public void send(ByteBuf frame) {
        leave(SimPort.bytes(frame), false);
    }

    @Override
    public boolean forward(Parcel frame, boolean kept) {
        leave(SimPort.bytes(((BufferParcel) frame).take()), kept);
        return true;
    }

    @Override
    public void failure(ByteBuffer frame, boolean behind) {
        byte[] bytes = new byte[frame.remaining()];
        frame.duplicate().get(bytes);
        leave(bytes, false);
    }

    @Override
    public void stall(FrameType type, BlockedReport stall) {
        Sent word = new Sent(new byte[0], false, from.isGated(stall.job()), new Word(type, stall));
        if (local || gated.isEmpty()) {
            letOut(word);
        } else {
            gate(word);
        }
    }

    private void leave(byte[] bytes, boolean kept) {
        Sent frame = new Sent(bytes, kept, from.isGated(new FrameView().wrap(ByteBuffer.wrap(bytes), 0).job()), null);
        if (local || !frame.survivesHost) {
            letOut(frame);
        } else {
            gate(frame);
        }
    }

    private void gate(Sent frame) {
        gated.add(frame);
        from.gate().pass(() -> {
            if (gated.peek() == frame) {
                gated.remove();
                letOut(frame);
            }
        });
    }

    /** What is said of blocked ranks waits until all that was sent before was handled; without a link it is not said. */
    private void letOut(Sent frame) {
        if (local || frame.stall == null) {
            transmit(frame);
        } else if (up) {
            diagnoses.add(new Diagnosis(frame, handled + unacknowledged.size()));
            sayDiagnoses();
        }
    }

    private void sayDiagnoses() {
        while (!diagnoses.isEmpty() && diagnoses.element().behind() <= handled) {
            transmit(diagnoses.remove().word());
        }
    }

    private void transmit(Sent frame) {
        unacknowledged.add(frame);
        if (up) {
            carry(frame);
        }
    }

    private void carry(Sent sent) {
        int over = session;
        last = local ? from.world().later(last, 3) : from.world().laterOverLink(last, from.world().linkDelayMax());
        from.after(last - from.world().now(), () -> {
            if (over == session) {
                arrive(() -> handOver(sent, over));
            }
        });
    }

    private void arrive(Runnable frame) {
        parked.add(frame);
        if (parked.size() == 1) {
            unpark();
        }
    }

    private void unpark() {
        SimHost host = from.world().core(to).host();
        while (!parked.isEmpty() && host.jammedFor() == 0) {
            parked.remove().run();
        }
        if (!parked.isEmpty()) {
            from.after(host.jammedFor(), this::unpark);
        }
    }

    private void handOver(Sent sent, int over) {
        SimCore other = from.world().core(to);
        if (over == session && other.host().isAlive()) {
            if (sent.stall == null) {
                other.fromPeer(from.number(), sent.frame.clone(), local, () -> handled(sent, over));
            } else {
                other.stalled(from.number(), sent.stall.type(), sent.stall.stall(), local, () -> handled(sent, over));
            }
        }
    }

    /** A link tells of frames in their order: of one when all before it were handled, too. */
    private void handled(Sent sent, int over) {
        lastAnswer = local ? from.world().later(lastAnswer, 3) : from.world().laterOverLink(lastAnswer, 2 * from.world().linkDelayMax());
        from.after(lastAnswer - from.world().now(), () -> {
            if (over == session) {
                sent.handled = true;
                while (!unacknowledged.isEmpty() && unacknowledged.peek().handled) {
                    handled++;
                    count(unacknowledged.remove());
                }
                sayDiagnoses();
            }
        });
    }

    private void count(Sent sent) {
        if (sent.kept) {
            boolean apart = !local && sent.survivesHost;
            from.core().handled(this, apart, apart ? ++keptHandledSafe : ++keptHandled);
        }
    }

    /** Nothing gets through for a while. */
    void hold(long ticks) {
        last = Math.max(last, from.world().now() + ticks);
    }

    /** The other end has died. */
    void down() {
        up = false;
        session++;
    }

    /** The other end is there, in that life of its relay. */
    void linked(int life) {
        boolean restarted = otherLife != 0 && otherLife != life;
        boolean begins = otherLife == 0;
        otherLife = life;
        up = true;
        if (restarted) {
            List<byte[]> frames = new ArrayList<>();
            Stream.of(unacknowledged, gated)
                    .flatMap(ArrayDeque::stream)
                    .filter(sent -> sent.stall == null)
                    .forEach(sent -> frames.add(sent.frame));
            unacknowledged.clear();
            gated.clear();
            diagnoses.clear();
            from.peerRestarted(this, frames);
        } else if (begins) {
            unacknowledged.forEach(this::carry);
        }
    }

    @Override
    public String toString() {
        return "core " + to;
    }
}
