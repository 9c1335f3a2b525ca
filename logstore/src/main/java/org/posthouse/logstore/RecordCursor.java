package org.posthouse.logstore;

import java.nio.ByteBuffer;

/**
 * Some records of a log in their order, from one of them on, following the log as it grows: those of its files ({@link
 * LogCursor}), or of the memory that the crash simulator has instead. Confined to one user at a time.
 */
public interface RecordCursor extends AutoCloseable {
    /** Goes to the next record that is to be shown; false at the present end of the log. */
    boolean advance();

    /** Of the last record that was passed, shown or not: all before it was seen. */
    long position();

    /** Of the record that is shown. */
    long place();

    /** What the record that is shown says. */
    LogRecord record();

    /** Payload bytes of the record that is shown. */
    int payloadBytes();

    /** CRC32C of the payload of the record that is shown, as it says; 0 if there is none. */
    int payloadCrc();

    /** The payload of the record that is shown: a read-only view, good until the next move. */
    ByteBuffer payload();

    /**
     * The message that the record that is shown is about, as the log held it then: of an arrival the message that came,
     * of a delivery the one that was delivered, with the places of the pieces that had come.
     */
    StoredMessage message();

    /**
     * Lets go of the log's files until the next move, which goes on behind what was passed: else a file that is cut keeps its room, and no
     * other is begun again. Nothing is shown until then.
     */
    default void rest() {}

    @Override
    void close();
}
