package org.posthouse.mpj.data;

import java.util.Arrays;

/**
 * Puts a {@link Layout} together from copies of others, as MPI's type constructors do. For one use, by one thread.
 *
 * <p>A bound that a marker of a part sets counts instead of those that follow from the data (MPI-1.1, 3.12.3); of
 * several markers, the lowest lower and the highest upper one. Sums beyond the range of int throw
 * {@link ArithmeticException}.
 */
public final class LayoutBuilder {
    private int[] at = new int[4];
    private int[] length = new int[4];
    private int blocks;
    private Layout.Bound lower;
    private Layout.Bound upper;

    /** Adds {@code count} elements of {@code part}, one behind the other, the first at {@code displacement}. */
    public LayoutBuilder add(int displacement, int count, Layout part) {
        if (count > 0 && part.isDense()) {
            block(displacement, Math.multiplyExact(count, part.size()));
            bounds(displacement, part);
            bounds(Math.addExact(displacement, Math.multiplyExact(count - 1, part.extent())), part);
            return this;
        }
        for (int element = 0; element < count; element++) {
            int start = Math.addExact(displacement, Math.multiplyExact(element, part.extent()));
            for (int block = 0; block < part.blocks(); block++) {
                block(Math.addExact(start, part.blockAt(block)), part.blockLength(block));
            }
            bounds(start, part);
        }
        return this;
    }

    private void block(int start, int elements) {
        if (elements == 0) {
            return;
        }
        if (blocks > 0 && at[blocks - 1] + length[blocks - 1] == start) {
            length[blocks - 1] = Math.addExact(length[blocks - 1], elements);
            return;
        }
        if (blocks == at.length) {
            at = Arrays.copyOf(at, blocks * 2);
            length = Arrays.copyOf(length, blocks * 2);
        }
        at[blocks] = start;
        length[blocks] = elements;
        blocks++;
    }

    private void bounds(int start, Layout part) {
        boolean empty = part.size() == 0;
        if (!empty || part.lowerBound().marked()) {
            lower = lowest(lower, start, part.lowerBound());
        }
        if (!empty || part.upperBound().marked()) {
            upper = highest(upper, start, part.upperBound());
        }
    }

    private static Layout.Bound lowest(Layout.Bound known, int start, Layout.Bound part) {
        Layout.Bound moved = new Layout.Bound(Math.addExact(start, part.at()), part.marked());
        if (known == null || known.marked() != moved.marked()) {
            return known == null || moved.marked() ? moved : known;
        }
        return moved.at() < known.at() ? moved : known;
    }

    private static Layout.Bound highest(Layout.Bound known, int start, Layout.Bound part) {
        Layout.Bound moved = new Layout.Bound(Math.addExact(start, part.at()), part.marked());
        if (known == null || known.marked() != moved.marked()) {
            return known == null || moved.marked() ? moved : known;
        }
        return moved.at() > known.at() ? moved : known;
    }

    public Layout build() {
        return new Layout(Arrays.copyOf(at, blocks), Arrays.copyOf(length, blocks), lower, upper);
    }
}
