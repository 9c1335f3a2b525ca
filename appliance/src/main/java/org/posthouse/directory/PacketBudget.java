package org.posthouse.directory;

import java.util.concurrent.atomic.AtomicLong;

/**
 * How much memory packets of other members may take before they are whole: Hazelcast reserves a packet's length when it has read its head. Thread-safe.
 *
 * <p>The longest packet is an answer to "all that you have": a group of one other member with 32,768 ended jobs and 10,000 ranks of 1.4 KB each sends 60 MB.
 *
 * @param packetBytesMax the longest packet
 * @param totalBytesMax of all connections together
 */
record PacketBudget(int packetBytesMax, long totalBytesMax, AtomicLong reserved) {
    private static final int PACKET_BYTES_MAX = 64 << 20;

    /** A packet takes at most a sixteenth of the heap, all together an eighth: of 1 GiB, 64 and 128 MiB. */
    static PacketBudget ofHeap(long heapBytesMax) {
        return new PacketBudget((int) Math.min(PACKET_BYTES_MAX, heapBytesMax / 16), heapBytesMax / 8, new AtomicLong());
    }

    /** @return whether there is room for a packet of so many bytes, which is taken then */
    boolean reserve(int bytes) {
        if (bytes < 0 || bytes > packetBytesMax) {
            return false;
        }
        if (reserved.addAndGet(bytes) > totalBytesMax) {
            reserved.addAndGet(-bytes);
            return false;
        }
        return true;
    }

    void release(long bytes) {
        reserved.addAndGet(-bytes);
    }
}
