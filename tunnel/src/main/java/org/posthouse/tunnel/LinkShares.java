package org.posthouse.tunnel;

/**
 * Which of a link's frames that are not acknowledged are of streams, in the order in which they were handed in: the relay is told of
 * its own only. Confined to its link. A ring of runs, of one kind and the other in turn: as long as there are no streams it is one number.
 */
final class LinkShares {
    private long[] runs = new long[16];
    private int head;
    private int size;
    private boolean headOfStreams;

    /** One more frame was handed in. */
    void add(boolean ofStreams) {
        boolean sameKind = size > 0 && (headOfStreams ^ (size - 1 & 1) == 1) == ofStreams;
        if (sameKind) {
            runs[at(size - 1)]++;
            return;
        }
        if (size == 0) {
            headOfStreams = ofStreams;
        } else if (size == runs.length) {
            grow();
        }
        runs[at(size++)] = 1;
    }

    /** The first {@code frames} are done with. Returns how many of them were the relay's. */
    long take(long frames) {
        long own = 0;
        for (long left = frames; left > 0; ) {
            long taken = Math.min(left, runs[head]);
            runs[head] -= taken;
            left -= taken;
            own += headOfStreams ? 0 : taken;
            if (runs[head] == 0) {
                head = at(1);
                size--;
                headOfStreams = !headOfStreams;
            }
        }
        return own;
    }

    void clear() {
        head = 0;
        size = 0;
    }

    private int at(int place) {
        return head + place & runs.length - 1;
    }

    private void grow() {
        long[] larger = new long[2 * runs.length];
        for (int i = 0; i < size; i++) {
            larger[i] = runs[at(i)];
        }
        runs = larger;
        head = 0;
    }
}
