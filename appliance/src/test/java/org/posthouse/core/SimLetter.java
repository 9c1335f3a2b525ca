package org.posthouse.core;

import java.nio.ByteBuffer;

/** One message of a simulated program, and what became of it. */
final class SimLetter {
    final int id;
    final int context;
    final int source;
    final int destination;
    final int tag;
    final int bytes;

    /** Place in its channel; 0 until it was sent. */
    long sequence;

    /** Set once the receiver has all of it. */
    boolean received;

    /** Payload bytes that the destination's relay has put into its journal. */
    long bytesLogged = -1;

    /** Up to where its offer was cleared. */
    long bytesCleared;

    /** Payload bytes that were handed to the destination's connection. */
    long bytesPassed;

    SimLetter(int id, int context, int source, int destination, int tag, int bytes) {
        this.id = id;
        this.context = context;
        this.source = source;
        this.destination = destination;
        this.tag = tag;
        this.bytes = bytes;
    }

    /** Fills {@code out} with the payload from byte {@code from} on; every letter has other bytes. */
    void write(long from, ByteBuffer out) {
        for (long at = from; out.hasRemaining(); at++) {
            out.put(byteAt(at));
        }
    }

    void check(long from, ByteBuffer in) {
        for (long at = from; in.hasRemaining(); at++) {
            byte found = in.get();
            if (found != byteAt(at)) {
                throw new AssertionError("byte " + at + " of " + this + " is " + found + ", was sent as " + byteAt(at));
            }
        }
    }

    private byte byteAt(long at) {
        return (byte) ((id * 31 + at * 7 + (at >> 8)) ^ (at >> 16));
    }

    @Override
    public String toString() {
        return "letter " + id + " " + source + "->" + destination + " context " + context + " tag " + tag + " sequence "
                + sequence + " (" + bytes + " bytes)";
    }
}
