package org.posthouse.logstore.record;

/**
 * The record types of a log, with the id at offset 7 of the envelope. Ids are never reused; docs/log-format.md lists
 * them with the version that introduced them.
 */
public enum RecordType {
    /** A message was stored in a rank's mailbox; a waiting receive may have got it at once. */
    ARRIVAL(1, 64, 20),
    /** A piece of the payload of an earlier arrival. */
    PAYLOAD_CHUNK(2, 32, 24),
    /** A determinant: the message that a receive got which was posted after the message's arrival. */
    DELIVERY(3, 64, RecordType.NO_PAYLOAD),
    /** The number of failed polls of a rank so far. */
    POLLS(4, 16, RecordType.NO_PAYLOAD),
    /** A job began. */
    JOB_OPENED(5, 16, 8),
    /** A job ended. */
    JOB_CLOSED(6, 8, RecordType.NO_PAYLOAD),
    /** A writer opened the log and took a new epoch. */
    WRITER_STARTED(7, 40, RecordType.NO_PAYLOAD),
    /** Events that a rank has observed and reported; opaque to the log. */
    EVENTS(8, 24, 16),
    /** A process of a rank was admitted. */
    INCARNATION(9, 16, RecordType.NO_PAYLOAD),
    /** A sender withdrew an offered message. */
    WITHDRAWN(10, 24, RecordType.NO_PAYLOAD),
    /** A rank finalized. */
    FINALIZED(11, 8, RecordType.NO_PAYLOAD),
    /** An image of a rank is safe on disk. */
    CHECKPOINT_TAKEN(12, 72, RecordType.NO_PAYLOAD),
    /** A part of the summary of earlier files: the first records of every file but the first. */
    SNAPSHOT(13, 16, 8),
    /** Restarted ranks of a job sent differently than before. */
    DIVERGED(14, 16, 8),
    /** A rank is dead, or a communicator is revoked; the frame that says so. */
    FAILED(16, 8, 0),
    /** The frame of an agreement's result. */
    AGREED(17, 8, 0);

    private static final int NO_PAYLOAD = -1;
    private static final RecordType[] BY_ID = byId();

    private final byte id;
    /** Bytes between the envelope and the payload; fixed for each type. */
    private final int bodyBytes;

    private final int payloadCrc;

    RecordType(int id, int bodyBytes, int payloadCrcInBody) {
        this.id = (byte) id;
        this.bodyBytes = bodyBytes;
        this.payloadCrc = payloadCrcInBody < 0 ? payloadCrcInBody : RecordEnvelope.BYTES + payloadCrcInBody;
    }

    private static RecordType[] byId() {
        RecordType[] byId = new RecordType[Byte.MAX_VALUE + 1];
        for (RecordType type : values()) {
            byId[type.id] = type;
        }
        return byId;
    }

    byte id() {
        return id;
    }

    /** Bytes of envelope and body. */
    public int headBytes() {
        return RecordEnvelope.BYTES + bodyBytes;
    }

    boolean hasPayload() {
        return payloadCrc >= 0;
    }

    /** Offset of the payload's CRC32C in the record; only for a type that {@link #hasPayload}. */
    int payloadCrc() {
        return payloadCrc;
    }

    /** The type with this id, or null if this version does not know it. */
    public static RecordType of(byte id) {
        return id >= 0 ? BY_ID[id] : null;
    }
}
