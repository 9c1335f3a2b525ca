package mpi;

import java.util.Arrays;

/**
 * Bytes of the basic elements that a datatype consists of, in the order in which a message carries them: a sequence that
 * begins again at its end. It tells how many elements some bytes are where they differ in width. What is repeated is kept once. Immutable.
 */
final class PackedElements {
    private static final PackedElements NONE = new PackedElements(new int[0], new int[0], new PackedElements[0]);

    /** Of each run of elements of one width: the width in bytes, or 0 if the run is one of sequences. */
    private final int[] widths;

    /** Number of elements or sequences in each run. */
    private final int[] counts;

    /** The sequence that a run repeats; null if it is of one width. */
    private final PackedElements[] sequences;

    private final long bytes;
    private final long count;

    private PackedElements(int[] widths, int[] counts, PackedElements[] sequences) {
        this.widths = widths;
        this.counts = counts;
        this.sequences = sequences;
        long allBytes = 0;
        long all = 0;
        for (int run = 0; run < widths.length; run++) {
            allBytes = Math.addExact(allBytes, Math.multiplyExact(bytesOfOne(run), (long) counts[run]));
            all = Math.addExact(all, Math.multiplyExact(elementsOfOne(run), (long) counts[run]));
        }
        bytes = allBytes;
        count = all;
    }

    private long bytesOfOne(int run) {
        return sequences[run] == null ? widths[run] : sequences[run].bytes;
    }

    private long elementsOfOne(int run) {
        return sequences[run] == null ? 1 : sequences[run].count;
    }

    /** Elements of one width. */
    static PackedElements of(int width) {
        return new PackedElements(new int[] {width}, new int[] {1}, new PackedElements[1]);
    }

    /** The elements of a struct: of each part, as many as there are of it. @throws ArithmeticException if they are beyond the range of int */
    static PackedElements of(int[] lengths, Datatype[] parts) {
        PackedElements all = NONE;
        for (int block = 0; block < lengths.length; block++) {
            // The sequence of a datatype is that of the one it was made of, however often it has it.
            long elements = (long) lengths[block] * parts[block].size() * parts[block].bytes();
            PackedElements part = parts[block].pieces();
            all = elements == 0 ? all : all.then(Math.toIntExact(elements / part.bytes), part);
        }
        return all == NONE ? of(1) : all;
    }

    /** These, and behind them another sequence so many times. */
    PackedElements then(int times, PackedElements next) {
        if (next.widths.length == 1) {
            return then(next.widths[0], Math.multiplyExact(times, next.counts[0]), next.sequences[0]);
        }
        return then(0, times, next);
    }

    private PackedElements then(int width, int times, PackedElements sequence) {
        int runs = widths.length;
        if (sequence == null && runs > 0 && sequences[runs - 1] == null && widths[runs - 1] == width) {
            int[] longer = counts.clone();
            longer[runs - 1] = Math.addExact(longer[runs - 1], times);
            return new PackedElements(widths, longer, sequences);
        }
        int[] allWidths = Arrays.copyOf(widths, runs + 1);
        int[] allCounts = Arrays.copyOf(counts, runs + 1);
        PackedElements[] allSequences = Arrays.copyOf(sequences, runs + 1);
        allWidths[runs] = width;
        allCounts[runs] = times;
        allSequences[runs] = sequence;
        return new PackedElements(allWidths, allCounts, allSequences);
    }

    /** Elements in so many bytes; UNDEFINED if the last one is not whole. */
    long in(long messageBytes) {
        long elements = messageBytes / bytes * count;
        long rest = messageBytes % bytes;
        for (int run = 0; run < widths.length && rest > 0; run++) {
            long whole = Math.min(counts[run], rest / bytesOfOne(run));
            elements += whole * elementsOfOne(run);
            rest -= whole * bytesOfOne(run);
            if (whole < counts[run]) {
                long begun = sequences[run] == null ? 0 : sequences[run].in(rest);
                return sequences[run] == null && rest > 0 || begun == MPI.UNDEFINED ? MPI.UNDEFINED : elements + begun;
            }
        }
        return elements;
    }

    /** Bytes of so many elements. */
    long bytes(long elements) {
        long sum = elements / count * bytes;
        long rest = elements % count;
        for (int run = 0; run < widths.length && rest > 0; run++) {
            long whole = Math.min(counts[run], rest / elementsOfOne(run));
            sum += whole * bytesOfOne(run);
            rest -= whole * elementsOfOne(run);
            if (whole < counts[run]) {
                return rest == 0 ? sum : sum + sequences[run].bytes(rest);
            }
        }
        return sum;
    }

    /** Turns the bytes of each element round, in a message's data. */
    void turn(byte[] data) {
        int at = 0;
        while (at < data.length) {
            at = turn(data, at);
        }
    }

    /** Turns one sequence that begins at {@code from}; returns its end. */
    private int turn(byte[] data, int from) {
        int at = from;
        for (int run = 0; run < widths.length; run++) {
            for (int i = 0; i < counts[run]; i++) {
                if (sequences[run] == null) {
                    turn(data, at, at + widths[run] - 1);
                    at += widths[run];
                } else {
                    at = sequences[run].turn(data, at);
                }
            }
        }
        return at;
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
        int widest = widths.length == 0 ? 1 : 0;
        for (int run = 0; run < widths.length; run++) {
            widest = Math.max(widest, sequences[run] == null ? widths[run] : sequences[run].widest());
        }
        return widest;
    }
}
