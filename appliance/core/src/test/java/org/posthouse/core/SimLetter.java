package org.posthouse.core;

import java.nio.ByteBuffer;
import java.util.Random;
import org.posthouse.wire.Wire;

/** One message of a simulated program, and what became of it. */
final class SimLetter {
    /** Longest payload of a letter. */
    static final int BYTES_MAX = 12 * Wire.PAYLOAD_BYTES_MAX;

    private static final int STARTS = 16_381;
    private static final byte[] NOISE = new byte[BYTES_MAX + STARTS];

    static {
        new Random(1).nextBytes(NOISE);
    }

    final int id;
    final int context;
    final int source;
    final int destination;
    final int tag;
    final int bytes;

    /** Whether its send ends only when it was matched. */
    final boolean synchronous;

    /** Place in its channel; 0 until it was sent. A letter that was withdrawn is sent again in a new place. */
    long sequence;

    /** Its last place in the channel from which it was taken back; 0 if it never was. */
    long withdrawnUpTo;

    /** Set once its mailbox has given it to a receive. */
    boolean matched;

    /** Whether it was offered for want of credit only. */
    boolean storable;

    /** Set once its offer was cleared before it was matched. */
    boolean pulled;

    /** Set once the receiver has all of it. */
    boolean received;

    /** Payload bytes that the destination's relay has put into its journal. */
    long bytesLogged = -1;

    /** Up to where its offer was cleared. */
    long bytesCleared;

    /** Up to where its destination's core has told its sender to send it, and up to where it came there. */
    long bytesTold;

    long bytesCome;

    /** How often its receiver's connection had been free when it was matched, or cleared last. */
    long timesFree;

    /** Payload bytes that were handed to the destination's connection. */
    long bytesPassed;

    SimLetter(int id, int context, int source, int destination, int tag, int bytes, boolean synchronous) {
        this.id = id;
        this.context = context;
        this.source = source;
        this.destination = destination;
        this.tag = tag;
        this.bytes = bytes;
        this.synchronous = synchronous;
    }

    /** So many bytes from there on were handed to the destination's connection, perhaps not for the first time. */
    void passed(long from, int count) {
        bytesPassed = Math.max(bytesPassed, from + count);
    }

    /** What its sender was told to send, and is not there. */
    long underWay() {
        return Math.max(bytesTold - bytesCome, 0);
    }

    /** Its offer was taken back: it may be sent again, as if it had never been. */
    void withdrawn() {
        withdrawnUpTo = sequence;
        bytesLogged = -1;
    }

    /** Fills {@code out} with the payload from byte {@code from} on; letters differ in where they stand in the noise. */
    void write(long from, ByteBuffer out) {
        out.put(NOISE, start(from), out.remaining());
    }

    void check(long from, ByteBuffer in) {
        int wrong = in.mismatch(ByteBuffer.wrap(NOISE, start(from), in.remaining()));
        if (wrong >= 0) {
            throw new AssertionError("byte " + (from + wrong) + " of " + this + " is " + in.get(wrong) + ", was sent as "
                    + NOISE[start(from) + wrong]);
        }
    }

    private int start(long from) {
        return (int) (id * 61L % STARTS + from);
    }

    @Override
    public String toString() {
        return "letter " + id + " " + source + "->" + destination + " context " + context + " tag " + tag + " sequence "
                + sequence + " (" + bytes + " bytes)";
    }
}
