package org.posthouse.logstore;

/**
 * The kinds of record in a log, with the id that stands at offset 7 of the envelope. Ids are never reused;
 * docs/log-format.md lists them with the version that introduced them.
 */
public enum RecordType {
    /** A message was stored in a rank's mailbox; perhaps a receive that waited there got it at once. */
    ARRIVAL(1, 64, 20),
    /** A piece of the payload of an earlier arrival. */
    PAYLOAD_CHUNK(2, 32, 24),
    /** A determinant: which message a receive got that was posted after the message had come. */
    DELIVERY(3, 64, RecordType.NO_PAYLOAD),
    /** How many polls of a rank have failed so far. */
    POLLS(4, 16, RecordType.NO_PAYLOAD),
    /** A job began. */
    JOB_OPENED(5, 16, 8),
    /** A job ended. */
    JOB_CLOSED(6, 8, RecordType.NO_PAYLOAD),
    /** A writer opened the log and took a new epoch. */
    WRITER_STARTED(7, 40, RecordType.NO_PAYLOAD),
    /** What a rank has observed and told: opaque to the log. */
    EVENTS(8, 24, 16),
    /** A process of a rank was let in. */
    INCARNATION(9, 16, RecordType.NO_PAYLOAD),
    /** An offered message was taken back by its sender. */
    WITHDRAWN(10, 24, RecordType.NO_PAYLOAD),
    /** A rank said goodbye. */
    FINALIZED(11, 8, RecordType.NO_PAYLOAD),
    /** An image of a rank is safe on disk. */
    CHECKPOINT_TAKEN(12, 72, RecordType.NO_PAYLOAD),
    /** A part of what the files before said: the first records of every file but the first. */
    SNAPSHOT(13, 16, 8),
    /** Ranks of a job that were started again do not do what they did before. */
    DIVERGED(14, 16, 8);

    private static final int NO_PAYLOAD = -1;
    private static final RecordType[] BY_ID = values();

    private final byte id;
    /** Bytes between the envelope's header and the payload; fixed for each type. */
    private final int bodyBytes;

    private final int payloadCrc;

    RecordType(int id, int bodyBytes, int payloadCrcInBody) {
        this.id = (byte) id;
        this.bodyBytes = bodyBytes;
        this.payloadCrc = payloadCrcInBody < 0 ? payloadCrcInBody : RecordEnvelope.BYTES + payloadCrcInBody;
    }

    byte id() {
        return id;
    }

    /** Envelope and body. */
    int headBytes() {
        return RecordEnvelope.BYTES + bodyBytes;
    }

    boolean hasPayload() {
        return payloadCrc >= 0;
    }

    /** Where in the record the CRC32C of its payload stands; only of a type that {@link #hasPayload}. */
    int payloadCrc() {
        return payloadCrc;
    }

    /** The type with this id, or null if this version knows none. */
    static RecordType of(byte id) {
        return id >= 1 && id <= BY_ID.length ? BY_ID[id - 1] : null;
    }
}
