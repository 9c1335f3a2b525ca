package org.posthouse.core;

import java.util.ArrayDeque;
import java.util.Arrays;
import org.posthouse.wire.Wire;

/**
 * Tracks how far the payload of a chunked message has arrived, and where waiting chunks are. Short messages, which
 * arrive whole, have no such object, since it would take most of their memory. Confined to the mailbox's owner.
 */
final class Chunks {
    private static final int PLACES_MIN = 4;
    private static final long[] NONE = {};

    private final long bytes;
    private long arrived;
    private long granted;
    private long span;
    private long told;
    private boolean wordWaits;
    private boolean exempt;
    private long passed;
    private ArrayDeque<Parcel> waiting;
    private long[] places = NONE;

    /** Of a message of {@code bytes}, of which {@code arrived} came with its first frame. */
    Chunks(long bytes, long arrived) {
        this.bytes = bytes;
        this.arrived = arrived;
    }

    long arrived() {
        return arrived;
    }

    void arrive(int chunkBytes) {
        arrived += chunkBytes;
    }

    long passed() {
        return passed;
    }

    void pass(long payloadBytes) {
        passed += payloadBytes;
        assert passed <= arrived : passed + " of " + arrived;
    }

    long granted() {
        return granted;
    }

    void grant(long upTo) {
        assert (upTo > granted || bytes == 0) && upTo <= bytes;
        granted = upTo;
        span = upTo - arrived;
    }

    /** Bytes that could be under way after the last grant. */
    long span() {
        return span;
    }

    /** Bytes that its sender was cleared to send and that have not arrived; 0 if it is exempt. */
    long underWay() {
        return exempt ? 0 : Math.max(told - arrived, 0);
    }

    /** Whether no bytes of it count as under way. */
    boolean isExempt() {
        return exempt;
    }

    void exempt() {
        exempt = true;
    }

    void tell(long upTo) {
        told = upTo;
    }

    /** Whether a further CLEAR to its sender waits for room. */
    boolean wordWaits() {
        return wordWaits;
    }

    void wordWaits(boolean waits) {
        wordWaits = waits;
    }

    /** Where the chunk that began at {@code offset} and waits in the log can be read back. */
    long place(long offset) {
        return places[(int) (offset / Wire.PAYLOAD_BYTES_MAX)];
    }

    /** Notes where the chunk that arrives next stands in the log. */
    void keepPlace(long place) {
        int chunk = Math.toIntExact(arrived / Wire.PAYLOAD_BYTES_MAX);
        if (chunk >= places.length) {
            places = Arrays.copyOf(places, Math.max(PLACES_MIN, 2 * chunk));
        }
        places[chunk] = place;
    }

    void keep(Parcel chunk) {
        if (waiting == null) {
            waiting = new ArrayDeque<>();
        }
        waiting.add(chunk);
    }

    /** The next chunk that waits in memory, or null. */
    Parcel nextWaiting() {
        return waiting == null ? null : waiting.poll();
    }
}
