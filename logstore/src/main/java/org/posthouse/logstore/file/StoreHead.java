package org.posthouse.logstore.file;

import java.nio.ByteBuffer;
import java.util.HexFormat;

/**
 * The first document of every file, which is Chronicle's own. It is the same in every file, except for five numbers.
 * With changed bytes, a writer would misread it or overwrite records. Confined to its walk.
 */
final class StoreHead {
    /** The fixed bytes; the values at the positions of the numbers are arbitrary. */
    private static final byte[] BYTES = HexFormat.of().parseHex(
            "c1000040b906686561646572b60853435153746f726582aa000000cd7772697465506f736974696f6e8e01000000008d0200000000000000"
                    + "0200000000000000" + "0000000000000000" + "0000000000000000"
                    + "c8696e646578696e67b60c53435153496e646578696e67824c000000ca696e646578436f756e74a50010cc696e64657853706163696e67a50001"
                    + "cb696e64657832496e6465788fa7" + "0000000000000000"
                    + "c96c617374496e6465788e00000000a7" + "0000000000000000" + "ca64617461466f726d6174a101");
    private static final int USED = 56;
    private static final int WRITE_POSITION = 64;
    private static final int SEQUENCE = 72;
    private static final int INDEX = 152;
    private static final int LAST_INDEX = 176;
    private static final int UNFINISHED = 0x8000_0000;

    private final long position;
    private final long sequence;
    private boolean positionSeen;
    private boolean sequenceSeen;

    /** @param file its bytes, from the first on */
    StoreHead(ByteBuffer file) {
        boolean there = file.capacity() >= BYTES.length;
        this.position = there ? file.getLong(WRITE_POSITION) : 0;
        this.sequence = there ? file.getLong(SEQUENCE) : 0;
    }

    /** The defect in the fixed bytes, or null. A file that is just being begun has none yet. */
    static String flaw(ByteBuffer file) {
        if (file.capacity() < BYTES.length || file.getInt(0) == 0 || (file.getInt(0) & UNFINISHED) != 0) {
            return null;
        }
        for (int at = 0; at < BYTES.length; at++) {
            if (!isNumber(at) && file.get(at) != BYTES[at]) {
                return String.format("byte %d of the file's head is 0x%02x, expected 0x%02x", at, file.get(at), BYTES[at]);
            }
        }
        return null;
    }

    private static boolean isNumber(int at) {
        return in(at, USED) || in(at, WRITE_POSITION) || in(at, SEQUENCE) || in(at, INDEX) || in(at, LAST_INDEX);
    }

    private static boolean in(int at, int number) {
        return at >= number && at < number + Long.BYTES;
    }

    /**
     * Called for each document of the walk.
     *
     * @param records number of records before it
     */
    void passed(int header, long records) {
        positionSeen |= header == position;
        sequenceSeen |= header == sequence >>> Integer.SIZE && records == (sequence & 0xFFFF_FFFFL);
    }

    /**
     * The reason why a writer would not continue after the last record, or null. Valid once the walk has reached the
     * file's end.
     */
    String misleads() {
        if (position != 0 && !positionSeen) {
            return "the file's head says that the last record begins at " + position + ", where none does";
        }
        return sequence == 0 || sequenceSeen
                ? null
                : "the file's head says that record " + (sequence & 0xFFFF_FFFFL) + " of it begins at " + (sequence >>> Integer.SIZE)
                        + ", where it does not";
    }
}
