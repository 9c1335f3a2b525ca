package org.posthouse.logstore;

import java.util.Arrays;
import org.posthouse.logstore.record.LogRecord;
import org.posthouse.logstore.record.LogRecord.Arrival;
import org.posthouse.logstore.record.LogRecord.Receipt;

/**
 * A message as the log holds it: the content of its arrival record, and the places of its payload. The log's readers
 * create and fill it; afterwards it is immutable.
 */
public final class StoredMessage {
    private final Arrival arrival;
    private final long position;
    private final long place;
    private final int inlineBytes;
    private long arrived;
    private long[] pieces = {};
    private int count;
    private Receipt receipt;

    StoredMessage(Arrival arrival, long position, long place, int inlineBytes) {
        this.arrival = arrival;
        this.position = position;
        this.place = place;
        this.inlineBytes = inlineBytes;
        this.arrived = inlineBytes;
        this.receipt = arrival.receipt();
    }

    void add(long piecePlace, int bytes) {
        if (count == pieces.length) {
            pieces = Arrays.copyOf(pieces, Math.max(4, 2 * count));
        }
        pieces[count++] = piecePlace;
        arrived += bytes;
    }

    void delivered(Receipt to) {
        receipt = to;
    }

    /** Reverses pieces that were added from the last to the first. */
    void reverse() {
        for (int i = 0, j = count - 1; i < j; i++, j--) {
            long swapped = pieces[i];
            pieces[i] = pieces[j];
            pieces[j] = swapped;
        }
    }

    /** The arrival record of the message. */
    public Arrival arrival() {
        return arrival;
    }

    /** Position of its arrival. */
    public long position() {
        return position;
    }

    /** Place of its arrival. */
    public long place() {
        return place;
    }

    /** Payload bytes in the record of its arrival. */
    public int inlineBytes() {
        return inlineBytes;
    }

    /** Payload bytes in the log, [0, length]: those of its arrival and of the pieces below. */
    public long arrived() {
        return arrived;
    }

    /** Number of pieces after its arrival. */
    public int pieces() {
        return count;
    }

    /** Place of a piece, from 0; the pieces follow the inline bytes without a gap. */
    public long piecePlace(int index) {
        return pieces[index];
    }

    /** The receive that got it; null if none did. */
    public Receipt receipt() {
        return receipt;
    }

    /** Whether all of it is in the log. */
    public boolean isWhole() {
        return arrived == arrival.length();
    }
}
