package org.posthouse.logstore;

import java.io.DataInput;
import java.io.DataOutput;
import java.io.IOException;
import java.util.Arrays;

/**
 * Every 4,096th record of one rank, plus the first and those of its checkpoints. So its history need not be read from
 * the beginning. 40 bytes each. Owned by its {@link RankLog}.
 */
final class HistoryIndex {
    static final int RECORDS = 4_096;

    private static final int LONGS = 5;

    private long[] marks = new long[LONGS];
    private int count;
    private long records;

    /** Notes the next record of the rank, and the rank's counts before it. */
    void record(long position, long place, long deliveries, long events, long polls) {
        if (records++ % RECORDS == 0) {
            add(position, place, deliveries, events, polls);
        }
    }

    /** Makes the record last passed to {@link #record} a milestone in any case. */
    void mark(long position, long place, long deliveries, long events, long polls) {
        if (count == 0 || marks[LONGS * (count - 1)] != position) {
            add(position, place, deliveries, events, polls);
        }
    }

    /** Drops the milestones before this position, which nobody needs any more. */
    void forget(long before) {
        int gone = 0;
        while (gone < count && marks[LONGS * gone] < before) {
            gone++;
        }
        System.arraycopy(marks, LONGS * gone, marks, 0, LONGS * (count - gone));
        count -= gone;
    }

    private void add(long... mark) {
        if (LONGS * (count + 1) > marks.length) {
            marks = Arrays.copyOf(marks, 2 * marks.length);
        }
        System.arraycopy(mark, 0, marks, LONGS * count++, LONGS);
    }

    /** The last milestone whose counts do not exceed these; null if the first one's do, or there is none. */
    HistoryIndexEntry before(long deliveries, long events) {
        int low = 0;
        int high = count;
        while (low < high) {
            int middle = low + high >>> 1;
            if (marks[LONGS * middle + 2] <= deliveries && marks[LONGS * middle + 3] <= events) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        return low == 0 ? null : at(low - 1);
    }

    HistoryIndexEntry at(int index) {
        int i = LONGS * index;
        return new HistoryIndexEntry(marks[i], marks[i + 1], marks[i + 2], marks[i + 3], marks[i + 4]);
    }

    int count() {
        return count;
    }

    void write(DataOutput out) throws IOException {
        out.writeLong(records);
        out.writeInt(count);
        for (int i = 0; i < LONGS * count; i++) {
            out.writeLong(marks[i]);
        }
    }

    void read(DataInput in) throws IOException {
        records = in.readLong();
        count = in.readInt();
        marks = new long[LONGS * Math.max(1, count)];
        for (int i = 0; i < LONGS * count; i++) {
            marks[i] = in.readLong();
        }
    }
}
