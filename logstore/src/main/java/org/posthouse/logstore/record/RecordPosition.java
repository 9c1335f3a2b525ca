package org.posthouse.logstore.record;

/**
 * The place of a record as a long: the number of its file, and the offset of its envelope there in bytes. Stateless.
 */
public final class RecordPosition {
    /** The file number of a prologue; no log has that many files. */
    public static final int PROLOGUE = Integer.MAX_VALUE;

    private static final long OFFSET = 0xffff_ffffL;

    private RecordPosition() {}

    public static long of(int file, long offset) {
        assert offset >= 0 && offset <= OFFSET : offset;
        return (long) file << Integer.SIZE | offset;
    }

    /** The place of a file's first document, after its header. */
    public static long beginning(int file) {
        return of(file, Integer.BYTES);
    }

    public static int file(long place) {
        return (int) (place >>> Integer.SIZE);
    }

    public static long offset(long place) {
        return place & OFFSET;
    }
}
