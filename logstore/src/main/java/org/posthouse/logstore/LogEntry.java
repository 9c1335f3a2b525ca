package org.posthouse.logstore;

import java.nio.ByteBuffer;
import java.nio.file.Path;
import org.posthouse.logstore.record.LogRecord;

/**
 * One whole, verified record as a scan shows it. Its buffers are read-only views of the mapped file and must not be
 * used after the visitor has returned; copy what must be kept.
 *
 * @param position of the record: 1, 2, … without a gap
 * @param epoch of the writer that appended it
 * @param record its content
 * @param bytes all of the record: envelope, body and payload
 * @param payload its last bytes, which follow the fields; empty for most types
 * @param file of the record
 * @param offset of its first byte in the file
 */
public record LogEntry(long position, long epoch, LogRecord record, ByteBuffer bytes, ByteBuffer payload, Path file,
        long offset) {}
