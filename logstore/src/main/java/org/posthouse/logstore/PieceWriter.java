package org.posthouse.logstore;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedByInterruptException;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/**
 * Copies large pieces of records into the file that Chronicle writes, by a call of the kernel beside Chronicle's mapping. Both are the same
 * pages; but who writes through a new mapping pays a page fault for each of them, and a call pays none. Confined to the appender, which
 * publishes what was copied. It fails as the disk does, and then nothing is published.
 */
final class PieceWriter implements AutoCloseable {
    /** Four pages: below that, a call costs what it saves. */
    static final int BYTES_MIN = 16 << 10;

    private final Path folder;
    private FileChannel channel;
    private int file;

    PieceWriter(Path folder) {
        this.folder = folder;
    }

    /** Whether a piece is for this writer: those on the heap would be copied twice. */
    static boolean takes(ByteBuffer piece) {
        return piece.isDirect() && piece.remaining() >= BYTES_MIN;
    }

    /** Whether the file with this number is open, or could be if the disk has nothing against it: not while the process may open no more files. */
    boolean mayWrite(int number) {
        try {
            return channel(number).isOpen();
        } catch (IOException e) {
            return !FileBlocks.isForWantOfFiles(e);
        }
    }

    /** Copies what the piece has left to this offset of the file with this number; its position is kept. */
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
