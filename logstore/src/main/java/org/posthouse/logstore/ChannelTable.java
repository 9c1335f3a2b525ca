package org.posthouse.logstore;

import java.io.DataInput;
import java.io.DataOutput;
import java.io.IOException;

/**
 * The last sequence number of each channel (context, source) into one mailbox. It uses open addressing in one array, 16
 * bytes a channel and at most half full, and allocates only when it grows. Sequences are 1 or more. Owned by its
 * {@link RankLog}.
 */
final class ChannelTable {
    private static final int SLOTS_MIN = 8;

    /** Pairs of key and sequence; a sequence of 0 marks a free slot. */
    private long[] slots = new long[2 * SLOTS_MIN];
    private int channels;

    static long channel(int context, int source) {
        return (long) context << Integer.SIZE | source & 0xFFFF_FFFFL;
    }

    private static int context(long channel) {
        return (int) (channel >>> Integer.SIZE);
    }

    private static int source(long channel) {
        return (int) channel;
    }

    void put(long channel, long sequence) {
        int slot = slot(channel);
        if (slots[slot + 1] == 0) {
            channels++;
            if (4 * channels > slots.length) {
                grow();
                slot = slot(channel);
            }
        }
        slots[slot] = channel;
        slots[slot + 1] = sequence;
    }

    private int slot(long channel) {
        int mask = slots.length / 2 - 1;
        int at = PartialMessages.hash(channel) & mask;
        while (slots[2 * at + 1] != 0 && slots[2 * at] != channel) {
            at = at + 1 & mask;
        }
        return 2 * at;
    }

    private void grow() {
        long[] old = slots;
        slots = new long[2 * old.length];
        for (int i = 0; i < old.length; i += 2) {
            if (old[i + 1] != 0) {
                int slot = slot(old[i]);
                slots[slot] = old[i];
                slots[slot + 1] = old[i + 1];
            }
        }
    }

    /** Visits each channel, in no particular order. */
    void forEach(RankLog.Channels each) {
        for (int i = 0; i < slots.length; i += 2) {
            if (slots[i + 1] != 0) {
                each.channel(context(slots[i]), source(slots[i]), slots[i + 1]);
            }
        }
    }

    void write(DataOutput out) throws IOException {
        out.writeInt(channels);
        for (int i = 0; i < slots.length; i += 2) {
            if (slots[i + 1] != 0) {
                out.writeLong(slots[i]);
                out.writeLong(slots[i + 1]);
            }
        }
    }

    void read(DataInput in) throws IOException {
        for (int i = in.readInt(); i > 0; i--) {
            put(in.readLong(), in.readLong());
        }
    }
}
