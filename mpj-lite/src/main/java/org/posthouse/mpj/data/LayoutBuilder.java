package org.posthouse.mpj.data;

import java.util.Arrays;

/**
 * Builds a {@link Layout} from copies of others, as MPI's type constructors do. For one use, by one thread.
 *
 * <p>A bound set by a marker of a part replaces those that follow from the data (MPI-1.1, 3.12.3). Of several markers,
 * the lowest lower and the highest upper one count. Sums beyond the range of int throw {@link ArithmeticException}.
 *
 * <p>Adjacent blocks become one. Equal blocks at one stride become one run, in whatever way they were added.
 */
public final class LayoutBuilder {
    private int[] at = new int[4];
    private int[] length = new int[4];
    private int[] count = new int[4];
    private int[] stride = new int[4];
    private Layout[] part = new Layout[4];
    private int runs;

    /** The last block, which the next one may extend; its length is 0 if there is none. */
    private int openAt;

    private int openLength;

    private Layout.Bound lower;
    private Layout.Bound upper;

    /** Adds {@code times} elements of {@code added}, one behind the other, the first at {@code displacement}. */
    public LayoutBuilder add(int displacement, int times, Layout added) {
        return addEach(displacement, times, added.extent(), added);
    }

    /**
     * Adds {@code times} elements of {@code added} at {@code distance} from each other, the first at {@code
     * displacement}.
     */
    public LayoutBuilder addEach(int displacement, int times, long distance, Layout added) {
        if (times == 0) {
            return this;
        }
        int last = Math.toIntExact(displacement + Math.multiplyExact(times - 1, distance));
        bounds(displacement, added);
        bounds(last, added);
        if (added.size() > 0) {
            if (times == 1) {
                copy(displacement, added);
            } else {
                repeat(displacement, times, Math.toIntExact(distance), added);
            }
        }
        return this;
    }

    private void copy(int displacement, Layout added) {
        Layout.Runs of = added.runs();
        for (int run = 0; run < of.at().length; run++) {
            int start = Math.addExact(displacement, of.at()[run]);
            if (of.count(run) == 1 && of.part(run) == null) {
                block(start, of.length()[run]);
            } else {
                run(start, of.length()[run], of.count(run), of.stride(run), of.part(run));
            }
        }
    }

    private void repeat(int displacement, int times, int distance, Layout added) {
        Layout.Runs of = added.runs();
        if (!added.isOneRunOfBlocks()) {
            run(displacement, added.size(), times, distance, added);
            return;
        }
        int start = Math.addExact(displacement, of.at()[0]);
        if (added.isBlock() && distance == of.length()[0]) {
            block(start, Math.multiplyExact(times, distance));
        } else if (added.isBlock()) {
            run(start, of.length()[0], times, distance, null);
        } else if (distance == (long) of.count(0) * of.stride(0)) {
            run(start, of.length()[0], Math.multiplyExact(times, of.count(0)), of.stride(0), null);
        } else {
            run(displacement, added.size(), times, distance, added);
        }
    }

    private void block(int start, int elements) {
        if (openLength > 0 && openAt + openLength == start) {
            openLength = Math.addExact(openLength, elements);
            return;
        }
        close();
        openAt = start;
        openLength = elements;
    }

    /** Closes the open block: it becomes the next copy of the last run, or a run of its own. */
    private void close() {
        if (openLength == 0) {
            return;
        }
        int last = runs - 1;
        boolean joins = last >= 0 && part[last] == null && length[last] == openLength
                && (count[last] == 1 || at[last] + (long) count[last] * stride[last] == openAt);
        if (joins) {
            stride[last] = count[last] == 1 ? Math.subtractExact(openAt, at[last]) : stride[last];
            count[last]++;
        } else {
            append(openAt, openLength, 1, 0, null);
        }
        openLength = 0;
    }

    private void run(int start, int elements, int copies, int distance, Layout of) {
        close();
        append(start, elements, copies, distance, of);
    }

    private void append(int start, int elements, int copies, int distance, Layout of) {
        if (runs == at.length) {
            at = Arrays.copyOf(at, runs * 2);
            length = Arrays.copyOf(length, runs * 2);
            count = Arrays.copyOf(count, runs * 2);
            stride = Arrays.copyOf(stride, runs * 2);
            part = Arrays.copyOf(part, runs * 2);
        }
        at[runs] = start;
        length[runs] = elements;
        count[runs] = copies;
        stride[runs] = distance;
        part[runs] = of;
        runs++;
    }

    private void bounds(int start, Layout added) {
        boolean empty = added.size() == 0;
        if (!empty || added.lowerBound().marked()) {
            lower = lowest(lower, start, added.lowerBound());
        }
        if (!empty || added.upperBound().marked()) {
            upper = highest(upper, start, added.upperBound());
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
        close();
        boolean single = Arrays.stream(count, 0, runs).allMatch(copies -> copies == 1);
        boolean blocks = Arrays.stream(part, 0, runs).allMatch(each -> each == null);
        return new Layout(
                new Layout.Runs(
                        Arrays.copyOf(at, runs), Arrays.copyOf(length, runs), single ? null : Arrays.copyOf(count, runs),
                        single ? null : Arrays.copyOf(stride, runs), blocks ? null : Arrays.copyOf(part, runs)),
                lower, upper);
    }
}
