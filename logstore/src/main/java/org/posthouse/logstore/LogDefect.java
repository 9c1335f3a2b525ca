package org.posthouse.logstore;

import java.nio.file.Path;

/**
 * The first place where a log differs from what was written. Immutable.
 *
 * @param kind of the defect
 * @param file where
 * @param index Chronicle's index of the expected record
 * @param position of the expected record
 * @param offset in the file, of Chronicle's four-byte header of that record
 * @param atTail whether no whole record follows, in this file or a later one
 * @param lost published records from this place on that are not read, those of later files included. The number is as
 *         far as is known from Chronicle's counters and the gap in the positions
 * @param detail actual against expected
 */
public record LogDefect(Kind kind, Path file, long index, long position, long offset, boolean atTail, long lost,
        String detail) {

    /** The kinds of defects. */
    public enum Kind {
        /** The bytes of a published record differ from what was written: checksum, lengths or header do not agree. */
        FLIPPED_BYTE,
        /** Zeros replace a record, and whole records follow. */
        ZEROED_MIDDLE,
        /** The last bytes were never published as a record: the writer died while writing them. */
        TORN_TAIL,
        /** Published records are missing. */
        MISSING_RECORDS,
        /** A whole record in the wrong place: it does not carry the hash of the record before it. */
        BROKEN_CHAIN
    }

    @Override
    public String toString() {
        return kind + " in " + file + " at offset " + offset + " (position " + position + ", index 0x"
                + Long.toHexString(index) + "): " + detail;
    }
}
