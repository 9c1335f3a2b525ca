package org.posthouse.logstore;

import java.io.DataInput;
import java.io.DataOutput;
import java.io.IOException;
import java.util.HashMap;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.LongConsumer;

/**
 * The withdrawn messages of each channel into one mailbox, as ranges of sequence numbers. Kept until the job ends,
 * because a restarted sender must not send them. Owned by its {@link RankLog}; may allocate, because programs seldom
 * cancel.
 */
final class Tombstones {
    /** By channel: first to last of each range, both inclusive. */
    private final Map<Long, TreeMap<Long, Long>> ranges = new HashMap<>();

    void add(long channel, long sequence) {
        TreeMap<Long, Long> of = ranges.computeIfAbsent(channel, c -> new TreeMap<>());
        Map.Entry<Long, Long> before = of.floorEntry(sequence);
        if (before != null && before.getValue() >= sequence) {
            return;
        }
        long first = before != null && before.getValue() == sequence - 1 ? before.getKey() : sequence;
        Long behind = of.remove(sequence + 1);
        of.put(first, behind == null ? sequence : behind);
    }

    /** Visits the withdrawn sequence numbers of this channel in ascending order. */
    void forEach(long channel, LongConsumer each) {
        ranges.getOrDefault(channel, new TreeMap<>()).forEach((first, last) -> {
            for (long sequence = first; sequence <= last; sequence++) {
                each.accept(sequence);
            }
        });
    }

    void write(DataOutput out) throws IOException {
        out.writeInt(ranges.size());
        for (Map.Entry<Long, TreeMap<Long, Long>> of : ranges.entrySet()) {
            out.writeLong(of.getKey());
            out.writeInt(of.getValue().size());
            for (Map.Entry<Long, Long> range : of.getValue().entrySet()) {
                out.writeLong(range.getKey());
                out.writeLong(range.getValue());
            }
        }
    }

    void read(DataInput in) throws IOException {
        for (int i = in.readInt(); i > 0; i--) {
            TreeMap<Long, Long> of = new TreeMap<>();
            ranges.put(in.readLong(), of);
            for (int j = in.readInt(); j > 0; j--) {
                of.put(in.readLong(), in.readLong());
            }
        }
    }
}
