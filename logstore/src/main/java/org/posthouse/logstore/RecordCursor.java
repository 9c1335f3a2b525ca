package org.posthouse.logstore;

import java.nio.ByteBuffer;
import org.posthouse.logstore.record.LogRecord;

/**
 * A cursor over selected records of a log in order, from a given record on; it follows the log as it grows. The records
 * are in files ({@link LogCursor}), or in the memory of the crash simulator. Confined to one user at a time.
 */
public interface RecordCursor extends AutoCloseable {
    /** Moves to the next selected record; false at the present end of the log. */
    boolean advance();

    /** Position of the last record passed, selected or not; all before it was seen. */
    long position();

    /** Place of the current record. */
    long place();

    /** The current record. */
    LogRecord record();

    /** Payload bytes of the current record. */
    int payloadBytes();

    /** CRC32C of the current record's payload, as stored in the record; 0 if there is none. */
    int payloadCrc();

    /** The payload of the current record: a read-only view, valid until the next move. */
    ByteBuffer payload();

    /**
     * The message that the current record is about, as the log held it then. For an arrival, it is the message that
     * arrived. For a delivery, it is the delivered one, with the places of the pieces that had arrived.
     */
    StoredMessage message();

    /**
     * Closes the log's files until the next move, which continues after the last record passed. Otherwise a cut file
     * would occupy its space, and no file would be reused. There is no current record until then.
     */
    default void rest() {}

    @Override
    void close();
}
