package org.posthouse.wire;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;

/**
 * A message between the failure detectors of two hosts of a job: the body of a GOSSIP frame (docs/wire.md, Failure
 * detectors). Hosts are numbered from 0 by the job's launcher. A lost message costs time only.
 */
public sealed interface DetectorMessage {
    /** Most hosts of a job that has a detector: a vector of their beats is 16 KiB. */
    int HOSTS_MAX = 4_096;

    /** Bytes of a GOSSIP frame before the message. */
    int FRAME_HEADER_BYTES = 28;

    /** Most bytes of a message: the beats of {@link #HOSTS_MAX} hosts. */
    int BYTES_MAX = Byte.BYTES + Short.BYTES + Integer.BYTES * HOSTS_MAX;

    /** Most updates that a message of SWIM carries. */
    int UPDATES_MAX = 8;

    /** Bytes of an encoded update. */
    int UPDATE_BYTES = 9;

    /** The body of a GOSSIP frame. */
    ByteBuffer encode();

    /** Number of bytes of {@link #encode}. */
    int bytes();

    /** What a member of SWIM is, as another says. */
    enum State {
        ALIVE, SUSPECT;

        private static final State[] ALL = values();

        private static State read(FrameReader in) throws WireException {
            int code = in.u8("state");
            if (code >= ALL.length) {
                throw new WireException(CloseReason.MALFORMED_FRAME, in.type() + " with state " + code + ", expected 0 to " + (ALL.length - 1));
            }
            return ALL[code];
        }
    }

    /**
     * News about a member of SWIM.
     *
     * @param incarnation of the member, which it alone raises
     * @param by the host that says so
     */
    record Update(int host, State state, long incarnation, int by) {
        private void write(FrameWriter out) {
            out.u16(host).u8(state.ordinal()).i32((int) incarnation).u16(by);
        }

        private static Update read(FrameReader in) throws WireException {
            return new Update(hostNumber(in), State.read(in), Integer.toUnsignedLong(in.i32("incarnation")), hostNumber(in));
        }
    }

    /** Reads the remaining bytes of {@code body}, whose position stays. */
    static DetectorMessage decode(ByteBuffer body) throws WireException {
        FrameReader in = new FrameReader("detector message", body);
        int kind = in.u8("kind");
        DetectorMessage message;
        switch (kind) {
            case Beats.KIND:
                message = Beats.read(in);
                break;
            case Ping.KIND:
                message = new Ping(in.i64("number"), updates(in));
                break;
            case PingRequest.KIND:
                message = new PingRequest(in.i64("number"), hostNumber(in), updates(in));
                break;
            case Ack.KIND:
                message = new Ack(in.i64("number"), hostNumber(in), updates(in));
                break;
            default:
                throw new WireException(CloseReason.UNKNOWN_TYPE, "detector message of kind " + kind + ", expected 1 to " + Ack.KIND);
        }
        in.end();
        return message;
    }

    private static int hostNumber(FrameReader in) throws WireException {
        int host = in.u16("host");
        if (host >= HOSTS_MAX) {
            throw new WireException(CloseReason.MALFORMED_FRAME, in.type() + " with host " + host + ", expected less than " + HOSTS_MAX);
        }
        return host;
    }

    private static List<Update> updates(FrameReader in) throws WireException {
        int count = in.u8("updates");
        if (count > UPDATES_MAX) {
            throw new WireException(CloseReason.LIMIT, in.type() + " with " + count + " updates, expected at most " + UPDATES_MAX);
        }
        List<Update> updates = new ArrayList<>(count);
        for (int i = 0; i < count; i++) {
            updates.add(Update.read(in));
        }
        return updates;
    }

    private static void write(FrameWriter out, List<Update> updates) {
        if (updates.size() > UPDATES_MAX) {
            throw new IllegalArgumentException("a detector message with " + updates.size() + " updates, expected at most " + UPDATES_MAX);
        }
        out.u8(updates.size());
        updates.forEach(update -> update.write(out));
    }

    private static FrameWriter writer(int kind, int bytes) {
        return new FrameWriter("detector message", bytes).u8(kind);
    }

    /**
     * The newest beat of each host that the sender knows.
     *
     * @param beats by host; 32 bits without sign. The array is not copied
     */
    record Beats(int[] beats) implements DetectorMessage {
        private static final int KIND = 1;

        private static Beats read(FrameReader in) throws WireException {
            int count = in.u16("hosts");
            if (count > HOSTS_MAX) {
                throw new WireException(CloseReason.LIMIT, in.type() + " with beats of " + count + " hosts, expected at most " + HOSTS_MAX);
            }
            in.expect(count, Integer.BYTES, "beats");
            int[] beats = new int[count];
            for (int host = 0; host < count; host++) {
                beats[host] = in.i32("beat");
            }
            return new Beats(beats);
        }

        @Override
        public ByteBuffer encode() {
            FrameWriter out = writer(KIND, bytes()).u16(beats.length);
            for (int beat : beats) {
                out.i32(beat);
            }
            return out.finishPart();
        }

        @Override
        public int bytes() {
            return Byte.BYTES + Short.BYTES + Integer.BYTES * beats.length;
        }
    }

    /** Asks for an {@link Ack} with this number. */
    record Ping(long number, List<Update> updates) implements DetectorMessage {
        private static final int KIND = 2;

        public Ping {
            updates = List.copyOf(updates);
        }

        @Override
        public ByteBuffer encode() {
            FrameWriter out = writer(KIND, bytes()).i64(number);
            DetectorMessage.write(out, updates);
            return out.finishPart();
        }

        @Override
        public int bytes() {
            return 2 * Byte.BYTES + Long.BYTES + UPDATE_BYTES * updates.size();
        }
    }

    /** Asks the receiver to ping {@code host} and to answer with an {@link Ack} of this number if that has answered. */
    record PingRequest(long number, int host, List<Update> updates) implements DetectorMessage {
        private static final int KIND = 3;

        public PingRequest {
            updates = List.copyOf(updates);
        }

        @Override
        public ByteBuffer encode() {
            FrameWriter out = writer(KIND, bytes()).i64(number).u16(host);
            DetectorMessage.write(out, updates);
            return out.finishPart();
        }

        @Override
        public int bytes() {
            return 2 * Byte.BYTES + Long.BYTES + Short.BYTES + UPDATE_BYTES * updates.size();
        }
    }

    /**
     * Answers a ping, or a request for one.
     *
     * @param host that has answered
     */
    record Ack(long number, int host, List<Update> updates) implements DetectorMessage {
        private static final int KIND = 4;

        public Ack {
            updates = List.copyOf(updates);
        }

        @Override
        public ByteBuffer encode() {
            FrameWriter out = writer(KIND, bytes()).i64(number).u16(host);
            DetectorMessage.write(out, updates);
            return out.finishPart();
        }

        @Override
        public int bytes() {
            return 2 * Byte.BYTES + Long.BYTES + Short.BYTES + UPDATE_BYTES * updates.size();
        }
    }
}
