package org.posthouse.logstore;

import java.io.DataInput;
import java.io.DataOutput;
import java.io.IOException;

/**
 * Tracks the messages into one mailbox that arrive in pieces and are not yet both complete and delivered. For each, it
 * holds the bytes in the log and the place of the last piece, to which the next record points back. It uses open
 * addressing by the arrival's position, 32 bytes an entry and at most half full. It allocates only when it grows. Owned
 * by its {@link RankLog}.
 */
final class PartialMessages {
    private static final int SLOTS_MIN = 8;
    private static final int LONGS = 4;

    // The fields of an entry: the arrival's position, 0 in a free one; the last piece's place; bytes in the log;
    // bytes of the message.
    private static final int PLACE = 1;
    private static final int ARRIVED = 2;
    private static final int LENGTH = 3;

    /** Flag in the last field of an entry whose message was delivered. */
    private static final long DELIVERED = 1L << 63;

    private long[] slots = new long[LONGS * SLOTS_MIN];
    private int count;

    /** Mixes the bits of a key whose values may be small, or differ only in the upper half. */
    static int hash(long key) {
        long mixed = key * 0x9E37_79B9_7F4A_7C15L;
        return (int) (mixed >>> 32 ^ mixed >>> 48);
    }

    /** Notes a new message with {@code arrived} bytes, fewer than its {@code length}. */
    void begin(long arrival, long place, long arrived, long length, boolean delivered) {
        if (2 * LONGS * (count + 1) > slots.length) {
            grow();
        }
        int slot = slot(arrival);
        count++;
        slots[slot] = arrival;
        slots[slot + PLACE] = place;
        slots[slot + ARRIVED] = arrived;
        slots[slot + LENGTH] = delivered ? length | DELIVERED : length;
    }

    /** Notes a further piece of a message. */
    void piece(long arrival, long place, long bytes) {
        int slot = slot(arrival);
        if (slots[slot] != 0) {
            slots[slot + PLACE] = place;
            slots[slot + ARRIVED] += bytes;
            if (slots[slot + ARRIVED] == (slots[slot + LENGTH] & ~DELIVERED) && slots[slot + LENGTH] < 0) {
                remove(slot);
            }
        }
    }

    /** Notes that a receive got the message. */
    void delivered(long arrival) {
        int slot = slot(arrival);
        if (slots[slot] != 0) {
            slots[slot + LENGTH] |= DELIVERED;
            if (slots[slot + ARRIVED] == (slots[slot + LENGTH] & ~DELIVERED)) {
                remove(slot);
            }
        }
    }

    /** Notes that the message was withdrawn. */
    void withdrawn(long arrival) {
        int slot = slot(arrival);
        if (slots[slot] != 0) {
            remove(slot);
        }
    }

    /** Place of the message's last piece, or {@link MessageLog#NO_PLACE} if the message is unknown here. */
    long lastPlace(long arrival) {
        int slot = slot(arrival);
        return slots[slot] == 0 ? MessageLog.NO_PLACE : slots[slot + PLACE];
    }

    /** Bytes of the message in the log, or -1 if it is unknown here. */
    long arrived(long arrival) {
        int slot = slot(arrival);
        return slots[slot] == 0 ? -1 : slots[slot + ARRIVED];
    }

    /** Bytes of the message that are not in the log yet, or -1 if it is unknown here. */
    long missing(long arrival) {
        int slot = slot(arrival);
        return slots[slot] == 0 ? -1 : (slots[slot + LENGTH] & ~DELIVERED) - slots[slot + ARRIVED];
    }

    /** Position of the oldest incomplete message; {@link Long#MAX_VALUE} if all are complete. */
    long oldest() {
        long oldest = Long.MAX_VALUE;
        for (int i = 0; i < slots.length; i += LONGS) {
            if (slots[i] != 0 && slots[i + ARRIVED] < (slots[i + LENGTH] & ~DELIVERED)) {
                oldest = Math.min(oldest, slots[i]);
            }
        }
        return oldest;
    }

    int count() {
        return count;
    }

    private int slot(long arrival) {
        int mask = slots.length / LONGS - 1;
        int at = hash(arrival) & mask;
        while (slots[LONGS * at] != 0 && slots[LONGS * at] != arrival) {
            at = at + 1 & mask;
        }
        return LONGS * at;
    }

    /** Frees the slot, and moves later entries that could otherwise not be found any more. */
    private void remove(int slot) {
        count--;
        int mask = slots.length / LONGS - 1;
        int free = slot / LONGS;
        slots[slot] = 0;
        for (int at = free + 1 & mask; slots[LONGS * at] != 0; at = at + 1 & mask) {
            int home = hash(slots[LONGS * at]) & mask;
            if ((at - home & mask) >= (at - free & mask)) {
                System.arraycopy(slots, LONGS * at, slots, LONGS * free, LONGS);
                slots[LONGS * at] = 0;
                free = at;
            }
        }
    }

    private void grow() {
        long[] old = slots;
        slots = new long[2 * old.length];
        for (int i = 0; i < old.length; i += LONGS) {
            if (old[i] != 0) {
                System.arraycopy(old, i, slots, slot(old[i]), LONGS);
            }
        }
    }

    void write(DataOutput out) throws IOException {
        out.writeInt(count);
        for (int i = 0; i < slots.length; i += LONGS) {
            if (slots[i] != 0) {
                for (int j = 0; j < LONGS; j++) {
                    out.writeLong(slots[i + j]);
                }
            }
        }
    }

    void read(DataInput in) throws IOException {
        for (int i = in.readInt(); i > 0; i--) {
            long arrival = in.readLong();
            long place = in.readLong();
            long arrived = in.readLong();
            long length = in.readLong();
            begin(arrival, place, arrived, length & ~DELIVERED, length < 0);
        }
    }
}
