package org.posthouse.logstore;

import java.nio.file.Path;

/**
 * The first place where a log is not what was written.
 *
 * @param kind what is wrong
 * @param file where
 * @param index Chronicle's index of the record that should stand there
 * @param position record number that should stand there
 * @param offset in the file, of Chronicle's four-byte header of that record
 * @param atTail nothing whole follows, in this file or a later one
 * @param lost records from this place on that had been published and are not read, those of later files too, as far as can be told:
 *     Chronicle's own counts, and the gap in the record numbers
 * @param detail actual against expected
 */
public record LogDefect(Kind kind, Path file, long index, long position, long offset, boolean atTail, long lost,
        String detail) {

    /** What can be wrong with a log. */
    public enum Kind {
        /** A published record's bytes differ from what was written: checksum, lengths or header do not agree. */
        FLIPPED_BYTE,
        /** Zeros stand where a record was, and whole records follow. */
        ZEROED_MIDDLE,
        /** The last bytes were never published as a record: the writer died while writing them. */
        TORN_TAIL,
        /** Records that were published are gone. */
        MISSING_RECORDS,
        /** A whole record that does not belong here: it does not carry the hash of the record before it. */
        BROKEN_CHAIN
    }

    @Override
    public String toString() {
        return kind + " in " + file + " at offset " + offset + " (position " + position + ", index 0x"
                + Long.toHexString(index) + "): " + detail;
    }
}
