package org.posthouse.directory;

import java.util.concurrent.atomic.AtomicLong;

/**
 * Limits the memory for incomplete packets of other members. Hazelcast reserves a packet's length once it has read the
 * head. Thread-safe.
 *
 * <p>The longest packet answers a request for the whole map. A group of one other member with 32,768 ended jobs and
 * 10,000 ranks of 1.4 KB each sends 60 MB.
 *
 * @param packetBytesMax limit of one packet, in bytes
 * @param totalBytesMax limit of all connections together, in bytes
 */
record PacketBudget(int packetBytesMax, long totalBytesMax, AtomicLong reserved) {
    private static final int PACKET_BYTES_MAX = 64 << 20;

    /** A packet may take a sixteenth of the heap, all packets together an eighth: 64 and 128 MiB of 1 GiB. */
    static PacketBudget ofHeap(long heapBytesMax) {
        return new PacketBudget((int) Math.min(PACKET_BYTES_MAX, heapBytesMax / 16), heapBytesMax / 8, new AtomicLong());
    }

    /**
     * Reserves room for a packet.
     *
     * @return false if there is none
     */
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
