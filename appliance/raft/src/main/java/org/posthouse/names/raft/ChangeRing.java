package org.posthouse.names.raft;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import org.posthouse.names.NameChange;

/** The latest changes with their indexes in the log, as many as have room. Not thread-safe. */
final class ChangeRing {
    /** Bytes of names and fields that are kept, about: 128 of the largest records. */
    private static final long BYTES_MAX = 8L << 20;

    /** Bytes of one page, about; the last change may be larger. */
    private static final long PAGE_BYTES_MAX = 1L << 20;

    private final int changesMax;
    private final Deque<Entry> entries = new ArrayDeque<>();

    /** All changes behind this index are here. */
    private long completeAfter;

    /** The index of the last entry of the log that was applied; -1 before the first. */
    private long applied;
    private long bytes;

    private record Entry(long index, NameChange change, long bytes) {}

    ChangeRing(int changesMax) {
        this.changesMax = changesMax;
        reset(-1);
    }

    /** Forgets everything: the state was replaced by that at an index. */
    void reset(long index) {
        entries.clear();
        bytes = 0;
        completeAfter = index;
        applied = index;
    }

    void add(long index, NameChange change) {
        Entry entry = new Entry(index, change, bytes(change));
        entries.add(entry);
        bytes += entry.bytes;
        while (entries.size() > changesMax || bytes > BYTES_MAX) {
            Entry gone = entries.remove();
            bytes -= gone.bytes;
            completeAfter = gone.index;
        }
    }

    void applied(long index) {
        applied = index;
    }

    long applied() {
        return applied;
    }

    /** @param since an index; -1 for a listener that knows nothing yet */
    ChangePage page(long since) {
        if (since < 0 || since < completeAfter) {
            return new ChangePage(true, applied, List.of());
        }
        List<NameChange> changes = new ArrayList<>();
        long pageBytes = 0;
        for (Entry entry : entries) {
            if (entry.index > since) {
                changes.add(entry.change);
                pageBytes += entry.bytes;
                if (pageBytes >= PAGE_BYTES_MAX) {
                    return new ChangePage(false, entry.index, changes);
                }
            }
        }
        return new ChangePage(false, Math.max(since, applied), changes);
    }

    private static long bytes(NameChange change) {
        return new ByteWriter().change(change).size();
    }
}
