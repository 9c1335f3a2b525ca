package org.posthouse.mpj.data;

import java.util.Arrays;

/**
 * The base elements of one element of a datatype, and the distance to the next: MPI's type map, in base elements
 * instead of bytes (mpiJava 1.2, "derived datatypes"). Immutable.
 *
 * <p>The data elements are numbered from 0 in the order of the type map, which is the order in which a message carries
 * them. The gaps between them are never touched.
 *
 * <p>A regular map is kept as a rule. A <em>run</em> is a block, or copies of a block or of another layout's data at
 * one stride. So a vector of any length is one run, and only irregular blocks are a list.
 */
public final class Layout {
    /** Value of {@link #beyond} if all indexes are within the array. */
    static final long WITHIN = Long.MIN_VALUE;

    /** One base element, and the next one right behind it. */
    public static final Layout ONE = dense(1);

    private final Runs runs;
    /** Data elements in front of each run; behind the last run, all of them. */
    private final int[] before;

    private final Bound lower;
    private final Bound upper;

    /** Lowest touched displacement, and that behind the highest; 0 and 0 if there are no data. */
    private final int trueLower;

    private final int trueUpper;

    /** An end of the extent: where it is, and whether a marker put it there, which then counts instead of the data. */
    record Bound(int at, boolean marked) {}

    /**
     * Runs in the order of the type map. Immutable; null arrays are of the value that most layouts have.
     *
     * @param at displacement of each run's first copy
     * @param length of each block, in base elements, none of them 0; of the data of another layout, its size
     * @param count of copies, none of them 0; null if each is one
     * @param stride from one copy to the next; null if each is one
     * @param part what the copies are of, null if a block; null if all are blocks
     */
    record Runs(int[] at, int[] length, int[] count, int[] stride, Layout[] part) {
        int count(int run) {
            return count == null ? 1 : count[run];
        }

        int stride(int run) {
            return stride == null ? 0 : stride[run];
        }

        Layout part(int run) {
            return part == null ? null : part[run];
        }

        /** Displacement of the last copy. */
        long last(int run) {
            return at[run] + (long) (count(run) - 1) * stride(run);
        }

        private Runs scaled(int factor) {
            Layout[] parts = part == null ? null : Arrays.stream(part).map(each -> each == null ? null : each.scaled(factor)).toArray(Layout[]::new);
            return new Runs(Layout.scaled(at, factor), Layout.scaled(length, factor), count, Layout.scaled(stride, factor), parts);
        }
    }

    /** @throws ArithmeticException if a displacement, the size or the extent is beyond the range of int */
    Layout(Runs runs, Bound lower, Bound upper) {
        this.runs = runs;
        int all = runs.at.length;
        before = new int[all + 1];
        long lowest = all == 0 ? 0 : Long.MAX_VALUE;
        long highest = all == 0 ? 0 : Long.MIN_VALUE;
        for (int run = 0; run < all; run++) {
            before[run + 1] = Math.addExact(before[run], Math.multiplyExact(runs.count(run), runs.length[run]));
            Layout part = runs.part(run);
            lowest = Math.min(lowest, Math.min(runs.at[run], runs.last(run)) + (part == null ? 0 : part.trueLower));
            highest = Math.max(highest, Math.max(runs.at[run], runs.last(run)) + (part == null ? runs.length[run] : part.trueUpper));
        }
        trueLower = Math.toIntExact(lowest);
        trueUpper = Math.toIntExact(highest);
        this.lower = lower == null ? new Bound(trueLower, false) : lower;
        this.upper = upper == null ? new Bound(trueUpper, false) : upper;
        Math.subtractExact(this.upper.at, this.lower.at);
    }

    /** {@code size} adjacent base elements. */
    public static Layout dense(int size) {
        return new Layout(new Runs(new int[] {0}, new int[] {size}, null, null, null), null, null);
    }

    private static Layout marker(Bound lower, Bound upper) {
        return new Layout(new Runs(new int[0], new int[0], null, null, null), lower, upper);
    }

    /** No data, but a mark of the lower bound ({@code MPI.LB}). */
    public static Layout lowerMarker() {
        return marker(new Bound(0, true), null);
    }

    /** No data, but a mark of the upper bound ({@code MPI.UB}). */
    public static Layout upperMarker() {
        return marker(null, new Bound(0, true));
    }

    /** The same data with other bounds, which are marked, and override all markers. */
    public Layout resized(int newLower, int newExtent) {
        return new Layout(runs, new Bound(newLower, true), new Bound(Math.addExact(newLower, newExtent), true));
    }

    /**
     * The same data with the bounds 0 and {@code extent}. In a layout made of it, these count like bounds of data, not
     * like markers.
     */
    public Layout bounded(int extent) {
        return new Layout(runs, new Bound(0, false), new Bound(extent, false));
    }

    /** The same data with an extent that is a multiple of {@code align}, unless a marker has set the upper bound. */
    public Layout padded(int align) {
        int extent = Math.multiplyExact(-Math.floorDiv(-extent(), align), align);
        return upper.marked ? this : new Layout(runs, lower, new Bound(Math.addExact(lower.at, extent), false));
    }

    /** The same data where every base element is {@code factor} smaller ones. */
    public Layout scaled(int factor) {
        return new Layout(runs.scaled(factor), scaled(lower, factor), scaled(upper, factor));
    }

    private static int[] scaled(int[] values, int factor) {
        return values == null ? null : Arrays.stream(values).map(value -> Math.multiplyExact(value, factor)).toArray();
    }

    private static Bound scaled(Bound bound, int factor) {
        return new Bound(Math.multiplyExact(bound.at, factor), bound.marked);
    }

    /** Data elements. */
    public int size() {
        return before[before.length - 1];
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

    Runs runs() {
        return runs;
    }

    /** Whether the data are one block, wherever it is. */
    boolean isBlock() {
        return isOneRunOfBlocks() && runs.count(0) == 1;
    }

    boolean isOneRunOfBlocks() {
        return runs.at.length == 1 && runs.part(0) == null;
    }

    /** Whether elements one after another are one block of adjacent base elements. */
    public boolean isDense() {
        return isBlock() && runs.at[0] == 0 && extent() == runs.length[0];
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
        // An index is within int where there is an array; a term of it need not be, and wraps round twice then.
        int start = offset + (int) (from / size()) * extent();
        if (runs.count == null) {
            walkList(start, (int) (from % size()), count, run);
            return;
        }
        int left = walkOne(start, (int) (from % size()), count, run);
        while (left > 0) {
            start += extent();
            left = walkOne(start, 0, left, run);
        }
    }

    /**
     * The same for runs that are single blocks, as of records. A message may have many of them, so there is no call for
     * each element.
     */
    private void walkList(int from, int within, int count, Run taker) {
        int[] at = runs.at;
        int[] length = runs.length;
        int start = from;
        int block = run(within);
        int skip = within - before[block];
        int left = count;
        while (left > 0) {
            int take = Math.min(length[block] - skip, left);
            taker.take(start + at[block] + skip, take);
            left -= take;
            skip = 0;
            block++;
            if (block == at.length) {
                block = 0;
                start += extent();
            }
        }
    }

    /**
     * Walks at most {@code left} data elements of one element from its data element {@code within} on; returns how many
     * are left.
     */
    private int walkOne(int start, int within, int left, Run taker) {
        int run = within == 0 ? 0 : run(within);
        int skip = within - before[run];
        int rest = left;
        for (; run < runs.at.length && rest > 0; run++) {
            rest = runs.part(run) == null ? walkBlocks(run, start, skip, rest, taker) : walkParts(run, start, skip, rest, taker);
            skip = 0;
        }
        return rest;
    }

    private int walkBlocks(int run, int start, int skipped, int left, Run taker) {
        int length = runs.length[run];
        int stride = runs.stride(run);
        int copy = skipped == 0 ? 0 : skipped / length;
        int skip = skipped - copy * length;
        int rest = left;
        int index = start + runs.at[run] + copy * stride;
        for (int copies = runs.count(run); copy < copies && rest > 0; copy++) {
            int take = Math.min(length - skip, rest);
            taker.take(index + skip, take);
            rest -= take;
            skip = 0;
            index += stride;
        }
        return rest;
    }

    private int walkParts(int run, int start, int skipped, int left, Run taker) {
        int length = runs.length[run];
        int copy = skipped / length;
        int skip = skipped - copy * length;
        int rest = left;
        for (int copies = runs.count(run); copy < copies && rest > 0; copy++) {
            rest = runs.part(run).walkOne(start + runs.at[run] + copy * runs.stride(run), skip, rest, taker);
            skip = 0;
        }
        return rest;
    }

    /**
     * Finds where the data elements [{@code from}, {@code from} + {@code count}) of elements that begin at {@code
     * offset} exceed an array of {@code length}. While whole elements are there, single ones are not examined.
     *
     * @return the first index that is not there, or a negative one; {@link #WITHIN} if all are there
     */
    long beyond(int offset, long from, long count, int length) {
        if (count == 0) {
            return WITHIN;
        }
        if (isDense()) {
            return offset + from + count > length ? Math.max(length, offset + from) : offset + from < 0 ? offset + from : WITHIN;
        }
        long elements = (from + count + size() - 1) / size();
        if (offset + first(elements) >= 0 && offset + end(elements) <= length) {
            return WITHIN;
        }
        long[] found = {WITHIN};
        long left = count;
        for (long at = from; left > 0 && found[0] == WITHIN; at += size() - at % size()) {
            int within = (int) (at % size());
            long start = offset + at / size() * extent();
            int take = (int) Math.min(size() - within, left);
            walkOne(0, within, take, (index, run) -> {
                if (found[0] == WITHIN && (start + index < 0 || start + index + run > length)) {
                    found[0] = start + index < 0 ? start + index : Math.max(length, start + index);
                }
            });
            left -= take;
        }
        return found[0];
    }

    private int run(int dataElement) {
        int found = Arrays.binarySearch(before, dataElement);
        return found >= 0 ? found : -found - 2;
    }
}
