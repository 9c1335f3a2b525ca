package mpi;

import java.util.Arrays;

/**
 * Bytes of the basic elements that a datatype consists of, in the order in which a message carries them: a sequence that
 * begins again at its end. It tells how many elements some bytes are where they differ in width. Immutable.
 */
final class Pieces {
    private static final Pieces NONE = new Pieces(new int[0], new int[0]);

    /** Of each run of elements of one width: the width in bytes, and how many they are. */
    private final int[] widths;

    private final int[] counts;

    private final long bytes;
    private final long count;

    private Pieces(int[] widths, int[] counts) {
        this.widths = widths;
        this.counts = counts;
        long sum = 0;
        for (int run = 0; run < widths.length; run++) {
            sum += (long) widths[run] * counts[run];
        }
        bytes = sum;
        count = Arrays.stream(counts).asLongStream().sum();
    }

    /** Elements of one width. */
    static Pieces of(int width) {
        return new Pieces(new int[] {width}, new int[] {1});
    }

    /** The elements of a struct: of each part, as many as there are of it. */
    static Pieces of(int[] lengths, Datatype[] parts) {
        Pieces all = NONE;
        for (int block = 0; block < lengths.length; block++) {
            // The sequence of a datatype is that of the one it was made of, however often it has it.
            long elements = (long) lengths[block] * parts[block].size() * parts[block].bytes();
            Pieces part = parts[block].pieces();
            all = elements == 0 ? all : all.then(Math.toIntExact(elements / part.bytes), part);
        }
        return all == NONE ? of(1) : all;
    }

    /** These, and behind them another sequence so many times. */
    Pieces then(int times, Pieces next) {
        if (next.widths.length == 1) {
            return then(next.widths[0], Math.multiplyExact(times, next.counts[0]));
        }
        int here = widths.length;
        int more = next.widths.length;
        int[] allWidths = Arrays.copyOf(widths, Math.addExact(here, Math.multiplyExact(times, more)));
        int[] allCounts = Arrays.copyOf(counts, allWidths.length);
        for (int time = 0; time < times; time++) {
            System.arraycopy(next.widths, 0, allWidths, here + time * more, more);
            System.arraycopy(next.counts, 0, allCounts, here + time * more, more);
        }
        return new Pieces(allWidths, allCounts);
    }

    private Pieces then(int width, int times) {
        int last = widths.length - 1;
        int[] allCounts = Arrays.copyOf(counts, counts.length);
        if (last >= 0 && widths[last] == width) {
            allCounts[last] = Math.addExact(allCounts[last], times);
            return new Pieces(widths, allCounts);
        }
        int[] allWidths = Arrays.copyOf(widths, last + 2);
        allCounts = Arrays.copyOf(allCounts, last + 2);
        allWidths[last + 1] = width;
        allCounts[last + 1] = times;
        return new Pieces(allWidths, allCounts);
    }

    /** Elements in so many bytes; UNDEFINED if the last one is not whole. */
    long in(long messageBytes) {
        long elements = messageBytes / bytes * count;
        long rest = messageBytes % bytes;
        for (int run = 0; run < widths.length && rest > 0; run++) {
            long whole = Math.min(counts[run], rest / widths[run]);
            elements += whole;
            rest -= whole * widths[run];
            if (whole < counts[run]) {
                break;
            }
        }
        return rest == 0 ? elements : MPI.UNDEFINED;
    }

    /** Bytes of so many elements. */
    long bytes(long elements) {
        long sum = elements / count * bytes;
        long rest = elements % count;
        for (int run = 0; run < widths.length && rest > 0; run++) {
            long taken = Math.min(counts[run], rest);
            sum += taken * widths[run];
            rest -= taken;
        }
        return sum;
    }

    /** Turns the bytes of each element round, in a message's data. */
    void turn(byte[] data) {
        int at = 0;
        while (at < data.length) {
            for (int run = 0; run < widths.length; run++) {
                for (int end = at + widths[run] * counts[run]; at < end; at += widths[run]) {
                    turn(data, at, at + widths[run] - 1);
                }
            }
        }
    }

    private static void turn(byte[] data, int first, int last) {
        for (int i = first, j = last; i < j; i++, j--) {
            byte swap = data[i];
            data[i] = data[j];
            data[j] = swap;
        }
    }

    /** Bytes of the widest element, to which C aligns a struct of them. */
    int widest() {
        return Arrays.stream(widths).max().orElse(1);
    }
}
