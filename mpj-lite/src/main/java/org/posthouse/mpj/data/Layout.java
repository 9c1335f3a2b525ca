package org.posthouse.mpj.data;

import java.util.Arrays;

/**
 * Which base elements one element of a datatype consists of, and how far the next one is away: MPI's type map, in base
 * elements instead of bytes (mpiJava 1.2, "derived datatypes"). Immutable.
 *
 * <p>The data elements are numbered from 0 in the order of the type map, which is the order in which a message carries
 * them; the gaps between them are never touched.
 */
public final class Layout {
    /** One base element, and the next one right behind it. */
    public static final Layout ONE = dense(1);

    /** Displacement and length of each block, none of length 0, no two that could be one. */
    private final int[] at;

    private final int[] length;
    /** Data elements in front of each block; behind the last block, all of them. */
    private final int[] before;

    private final Bound lower;
    private final Bound upper;

    /** Lowest touched displacement, and that behind the highest; 0 and 0 if there are no data. */
    private final int trueLower;

    private final int trueUpper;

    /** An end of the extent: where it is, and whether a marker put it there, which then counts instead of the data. */
    record Bound(int at, boolean marked) {}

    Layout(int[] at, int[] length, Bound lower, Bound upper) {
        this.at = at;
        this.length = length;
        before = new int[at.length + 1];
        int lowest = at.length == 0 ? 0 : Integer.MAX_VALUE;
        int highest = at.length == 0 ? 0 : Integer.MIN_VALUE;
        for (int block = 0; block < at.length; block++) {
            before[block + 1] = Math.addExact(before[block], length[block]);
            lowest = Math.min(lowest, at[block]);
            highest = Math.max(highest, Math.addExact(at[block], length[block]));
        }
        trueLower = lowest;
        trueUpper = highest;
        this.lower = lower == null ? new Bound(lowest, false) : lower;
        this.upper = upper == null ? new Bound(highest, false) : upper;
    }

    /** {@code size} adjacent base elements. */
    public static Layout dense(int size) {
        return new Layout(new int[] {0}, new int[] {size}, null, null);
    }

    /** No data, but a mark of the lower bound ({@code MPI.LB}). */
    public static Layout lowerMarker() {
        return new Layout(new int[0], new int[0], new Bound(0, true), null);
    }

    /** No data, but a mark of the upper bound ({@code MPI.UB}). */
    public static Layout upperMarker() {
        return new Layout(new int[0], new int[0], null, new Bound(0, true));
    }

    /** The same data with other bounds, which are marked, and override all markers. */
    public Layout resized(int newLower, int newExtent) {
        return new Layout(
                at, length, new Bound(newLower, true), new Bound(Math.addExact(newLower, newExtent), true));
    }

    /** The same data with the bounds 0 and {@code extent}, which in what is made of it count as those of data do. */
    public Layout bounded(int extent) {
        return new Layout(at, length, new Bound(0, false), new Bound(extent, false));
    }

    /** The same data with an extent that is a multiple of {@code align}, unless a marker has set the upper bound. */
    public Layout padded(int align) {
        int extent = Math.multiplyExact(-Math.floorDiv(-extent(), align), align);
        return upper.marked ? this : new Layout(at, length, lower, new Bound(Math.addExact(lower.at, extent), false));
    }

    /** The same data where every base element is {@code factor} smaller ones. */
    public Layout scaled(int factor) {
        return new Layout(scaled(at, factor), scaled(length, factor), scaled(lower, factor), scaled(upper, factor));
    }

    private static int[] scaled(int[] values, int factor) {
        return Arrays.stream(values).map(value -> Math.multiplyExact(value, factor)).toArray();
    }

    private static Bound scaled(Bound bound, int factor) {
        return new Bound(Math.multiplyExact(bound.at, factor), bound.marked);
    }

    /** Data elements. */
    public int size() {
        return before[at.length];
    }

    public int lower() {
        return lower.at;
    }

    public int upper() {
        return upper.at;
    }

    /** Distance from one element of the datatype to the next, in base elements; may be 0 or negative. */
    public int extent() {
        return upper.at - lower.at;
    }

    Bound lowerBound() {
        return lower;
    }

    Bound upperBound() {
        return upper;
    }

    int blocks() {
        return at.length;
    }

    int blockAt(int block) {
        return at[block];
    }

    int blockLength(int block) {
        return length[block];
    }

    /** Whether elements one after another are one block of adjacent base elements. */
    public boolean isDense() {
        return at.length == 1 && at[0] == 0 && extent() == length[0];
    }

    /** Lowest displacement that {@code count} elements touch; 0 if they touch none. */
    public long first(long count) {
        return count == 0 || size() == 0 ? 0 : trueLower + Math.min(0, (count - 1) * extent());
    }

    /** Displacement behind the highest one that {@code count} elements touch; 0 if they touch none. */
    public long end(long count) {
        return count == 0 || size() == 0 ? 0 : trueUpper + Math.max(0, (count - 1) * extent());
    }

    /** Takes adjacent base elements. */
    interface Run {
        /** @param index array index of the first one */
        void take(int index, int count);
    }

    /**
     * Walks the data elements [{@code from}, {@code from} + {@code count}) of elements that begin at array index
     * {@code offset}, in the order of the type map.
     */
    void walk(int offset, long from, int count, Run run) {
        if (count == 0) {
            return;
        }
        if (isDense()) {
            run.take(offset + (int) from, count);
            return;
        }
        int element = (int) (from / size());
        int within = (int) (from % size());
        int block = block(within);
        int skip = within - before[block];
        int left = count;
        while (left > 0) {
            int take = Math.min(length[block] - skip, left);
            run.take(offset + element * extent() + at[block] + skip, take);
            left -= take;
            skip = 0;
            block++;
            if (block == at.length) {
                block = 0;
                element++;
            }
        }
    }

    private int block(int dataElement) {
        int found = Arrays.binarySearch(before, dataElement);
        return found >= 0 ? found : -found - 2;
    }
}
