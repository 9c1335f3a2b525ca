package org.posthouse.logstore;

/**
 * The kinds of record in a log, with the id that stands at offset 7 of the envelope. Ids are never reused;
 * docs/log-format.md lists them with the version that introduced them.
 */
public enum RecordType {
    /** A message was stored in a rank's mailbox. */
    ARRIVAL(1, 40),
    /** A piece of the payload of an earlier arrival. */
    PAYLOAD_CHUNK(2, 16),
    /** A determinant: which message a receive got, after how many failed polls. */
    DELIVERY(3, 48),
    /** Failed polls that rode on an output frame. */
    POLLS(4, 16),
    /** A job began. */
    JOB_OPENED(5, 8),
    /** A job ended. */
    JOB_CLOSED(6, 0),
    /** A writer opened the log and took a new epoch. */
    WRITER_STARTED(7, 32);

    private static final RecordType[] BY_ID = values();

    private final byte id;
    private final int bodyBytes;

    RecordType(int id, int bodyBytes) {
        this.id = (byte) id;
        this.bodyBytes = bodyBytes;
    }

    byte id() {
        return id;
    }

    /** Bytes between the envelope's header and the payload; fixed for each type. */
    int bodyBytes() {
        return bodyBytes;
    }

    /** The type with this id, or null if this version knows none. */
    static RecordType of(byte id) {
        return id >= 1 && id <= BY_ID.length ? BY_ID[id - 1] : null;
    }
}
