package org.posthouse.logstore;

import java.nio.ByteBuffer;
import java.nio.file.Path;

/**
 * One whole, verified record as a scan shows it. Its bytes are a read-only view of the mapped file and must not be touched
 * after the visitor returned: copy what is to be kept.
 *
 * @param position the log's own record number, 1, 2, … without a gap
 * @param epoch of the writer that appended it
 * @param record what it says
 * @param bytes all of the record: envelope, body and payload
 * @param payload its last bytes, which follow the fields; empty for most types
 * @param file where it stands
 * @param offset of its first byte in the file
 */
public record LogEntry(long position, long epoch, LogRecord record, ByteBuffer bytes, ByteBuffer payload, Path file,
        long offset) {}
