package org.posthouse.logstore;

/** Where a record stands, in one long: the number of its file, and the offset of its envelope there in bytes. Stateless. */
final class Place {
    /** The number that stands for the file of a prologue. No log has so many. */
    static final int PROLOGUE = Integer.MAX_VALUE;

    private static final long OFFSET = 0xffff_ffffL;

    private Place() {}

    static long of(int file, long offset) {
        assert offset >= 0 && offset <= OFFSET : offset;
        return (long) file << Integer.SIZE | offset;
    }

    /** Where a file's first document stands, behind its header. */
    static long beginning(int file) {
        return of(file, Integer.BYTES);
    }

    static int file(long place) {
        return (int) (place >>> Integer.SIZE);
    }

    static long offset(long place) {
        return place & OFFSET;
    }
}
