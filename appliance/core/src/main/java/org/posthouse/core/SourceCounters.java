package org.posthouse.core;

import java.util.Arrays;

/**
 * Counts a rank's deliveries by their source. Confined to the relay core.
 *
 * <p>A hash table with open addressing, so that a delivery allocates nothing. Bound: {@value #SOURCES_MAX} sources of 20
 * bytes at a load of a half, 40 KiB; deliveries from further sources are in the rank's totals only.
 */
public final class SourceCounters {
    /** Sources that are told apart. */
    public static final int SOURCES_MAX = 1_024;

    private static final int CAPACITY_FIRST = 8;
    private static final int FREE = -1;

    private int[] sources = {};
    private long[] messages = {};
    private long[] bytes = {};
    private int size;

    /** Receives the count of one source. */
    public interface Visitor {
        void visit(int source, long messages, long bytes);
    }

    /** Counts a delivery. */
    public void count(int source, long messageBytes) {
        if (2 * size >= sources.length && sources.length < 2 * SOURCES_MAX) {
            grow();
        }
        int at = slot(source);
        if (sources[at] == FREE) {
            if (size == SOURCES_MAX) {
                return;
            }
            sources[at] = source;
            size++;
        }
        messages[at]++;
        bytes[at] += messageBytes;
    }

    /** The slot of this source, or the free one where it belongs. */
    private int slot(int source) {
        int mask = sources.length - 1;
        int at = source * 0x9E3779B9 >>> 16 & mask;
        while (sources[at] != FREE && sources[at] != source) {
            at = at + 1 & mask;
        }
        return at;
    }

    private void grow() {
        int[] oldSources = sources;
        long[] oldMessages = messages;
        long[] oldBytes = bytes;
        int capacity = Math.max(CAPACITY_FIRST, 2 * oldSources.length);
        sources = new int[capacity];
        Arrays.fill(sources, FREE);
        messages = new long[capacity];
        bytes = new long[capacity];
        for (int old = 0; old < oldSources.length; old++) {
            if (oldSources[old] != FREE) {
                int at = slot(oldSources[old]);
                sources[at] = oldSources[old];
                messages[at] = oldMessages[old];
                bytes[at] = oldBytes[old];
            }
        }
    }

    /** Sources that are told apart here. */
    public int size() {
        return size;
    }

    /** Visits each source that a message was delivered from. */
    public void forEach(Visitor visitor) {
        for (int at = 0; at < sources.length; at++) {
            if (sources[at] != FREE) {
                visitor.visit(sources[at], messages[at], bytes[at]);
            }
        }
    }
}
