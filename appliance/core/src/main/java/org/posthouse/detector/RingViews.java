package org.posthouse.detector;

import java.util.Arrays;
import java.util.Map;
import java.util.TreeMap;

/** Which hosts are in the ring from which round on. Confined to its detector. */
final class RingViews {
    private static final int[] NOBODY = {};

    /** Views that begin later, and the one that has begun last. */
    private final TreeMap<Long, int[]> views = new TreeMap<>();

    private int[] living = NOBODY;

    void add(long fromRound, int[] hosts) {
        views.put(fromRound, hosts.clone());
    }

    /** Makes the newest view that has begun by {@code round} the current one. @return whether that changed the ring */
    boolean advance(long round) {
        Map.Entry<Long, int[]> begun = views.floorEntry(round);
        if (begun == null) {
            return false;
        }
        views.headMap(begun.getKey(), false).clear();
        if (Arrays.equals(begun.getValue(), living)) {
            return false;
        }
        living = begun.getValue();
        return true;
    }

    /** The hosts in the ring, by place. */
    int[] living() {
        return living;
    }

    /** The place of a host; below 0 if it is not in the ring. */
    int place(int host) {
        return Arrays.binarySearch(living, host);
    }

    boolean has(int host) {
        return place(host) >= 0;
    }
}
