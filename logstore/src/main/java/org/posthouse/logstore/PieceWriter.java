package org.posthouse.logstore;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedByInterruptException;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import org.posthouse.logstore.file.FileBlocks;
import org.posthouse.logstore.file.QueueFiles;

/**
 * Copies large pieces of records into Chronicle's current file by a system call, beside Chronicle's mapping. Both
 * access the same pages. Writing through a new mapping costs a page fault for each page, and the call costs none.
 * Confined to the appender, which publishes the copied bytes. If the disk fails, it throws and nothing is published.
 */
final class PieceWriter implements AutoCloseable {
    /** 16 KiB, four pages: for a shorter piece, the call costs as much as it saves. */
    static final int BYTES_MIN = 16 << 10;

    private final Path folder;
    private FileChannel channel;
    private int file;

    PieceWriter(Path folder) {
        this.folder = folder;
    }

    /** Whether this writer takes a piece; one on the heap would be copied twice. */
    static boolean takes(ByteBuffer piece) {
        return piece.isDirect() && piece.remaining() >= BYTES_MIN;
    }

    /**
     * Whether the file with this number is open, or can be opened unless the disk fails. False while the process has
     * reached its limit of open files.
     */
    boolean mayWrite(int number) {
        try {
            return channel(number).isOpen();
        } catch (IOException e) {
            return !FileBlocks.isForWantOfFiles(e);
        }
    }

    /** Copies the piece's remaining bytes to this offset of the file with this number; its position does not change. */
    void write(int number, long offset, ByteBuffer piece) {
        ByteBuffer from = piece.duplicate();
        boolean interrupted = false;
        try {
            while (from.hasRemaining()) {
                try {
                    channel(number).write(from, offset + from.position() - piece.position());
                } catch (ClosedByInterruptException e) {
                    interrupted = Thread.interrupted();
                }
            }
        } catch (IOException e) {
            throw new UncheckedIOException("a piece of " + piece.remaining() + " bytes cannot be written", e);
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    private FileChannel channel(int number) throws IOException {
        if (channel == null || number != file || !channel.isOpen()) {
            close();
            channel = FileChannel.open(QueueFiles.file(folder, number), StandardOpenOption.WRITE);
            file = number;
        }
        return channel;
    }

    @Override
    public void close() {
        try {
            if (channel != null) {
                channel.close();
            }
        } catch (IOException e) {
            throw new UncheckedIOException("a file of log " + folder + " cannot be closed", e);
        }
    }
}
