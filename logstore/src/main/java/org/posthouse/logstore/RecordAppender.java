package org.posthouse.logstore;

import java.nio.ByteBuffer;
import java.nio.file.Path;
import net.openhft.chronicle.bytes.Bytes;
import net.openhft.chronicle.core.io.Closeable;
import net.openhft.chronicle.queue.ExcerptAppender;
import net.openhft.chronicle.queue.impl.single.SingleChronicleQueue;
import net.openhft.chronicle.wire.DocumentContext;
import org.posthouse.logstore.file.FileClock;
import org.posthouse.logstore.file.Pretoucher;
import org.posthouse.logstore.file.QueueFiles;
import org.posthouse.logstore.record.RecordPosition;

/**
 * Appends whole records to a Chronicle Queue, and begins a new file on request. Confined to one thread at a time. A
 * record is published completely or not at all: a failure before the publication rolls it back. If Chronicle itself
 * fails to begin or to publish, its state is unknown and the appender is broken: see {@link #broken()}. Every Throwable
 * is caught here, because Chronicle throws checked exceptions unchecked.
 */
final class RecordAppender implements AutoCloseable {
    private final FileClock clock;
    private final SingleChronicleQueue queue;
    private final ExcerptAppender appender;
    private final Pretoucher pretoucher;
    private final PieceWriter pieces;
    private final byte[] copy = new byte[8 << 10];
    private long fileBytes;
    private long rolls;
    private boolean broken;

    RecordAppender(Path folder, int file) {
        this.clock = new FileClock(file);
        this.pretoucher = new Pretoucher(folder);
        this.pieces = new PieceWriter(folder);
        this.queue = QueueFiles.open(folder, clock);
        try {
            this.appender = queue.createAppender();
            appender.singleThreadedCheckDisabled(true);
        } catch (Throwable e) {
            queue.close();
            throw e;
        }
    }

    /**
     * Makes the next record begin a new file.
     *
     * @param spare whether it is a reused file, whose pages are in memory
     */
    void roll(boolean spare) {
        clock.nextFile();
        rolls++;
        fileBytes = 0;
        if (spare) {
            pretoucher.leave(clock.file());
        }
    }

    /** The pretoucher of the files. */
    Pretoucher pretoucher() {
        return pretoucher;
    }

    /** Number of the file for the next record. */
    int file() {
        return clock.file();
    }

    /** Bytes of the current file up to its last record; 0 before the first append to it. */
    long fileBytes() {
        return fileBytes;
    }

    /**
     * Appends one record: the head, then the pieces of its payload. The buffers' positions and limits do not change.
     *
     * @return its {@link RecordPosition}
     */
    long append(ByteBuffer head, ByteBuffer... payload) {
        DocumentContext context = begin();
        long offset;
        try {
            Bytes<?> bytes = context.wire().bytes();
            offset = bytes.writePosition();
            put(bytes, head);
            for (ByteBuffer piece : payload) {
                put(bytes, piece);
            }
            fileBytes = bytes.writePosition();
        } catch (Throwable e) {
            context.rollbackOnClose();
            closeAfter(context, e);
            throw e;
        }
        publish(context);
        pretoucher.follow(clock.file(), fileBytes);
        return RecordPosition.of(clock.file(), offset);
    }

    private DocumentContext begin() {
        broken = true;
        DocumentContext context = appender.writingDocument();
        broken = false;
        return context;
    }

    private void publish(DocumentContext context) {
        broken = true;
        context.close();
        broken = false;
    }

    private void closeAfter(DocumentContext context, Throwable failure) {
        try {
            context.close();
        } catch (Throwable e) {
            broken = true;
            failure.addSuppressed(e);
        }
    }

    /**
     * Copies a piece. The write position moves first, because a rollback clears up to there. Chronicle's own copy
     * ignores the array offset of a slice and refuses read-only heap buffers.
     */
    private void put(Bytes<?> bytes, ByteBuffer piece) {
        int length = piece.remaining();
        long at = bytes.writePosition();
        bytes.writePosition(at + length);
        if (PieceWriter.takes(piece) && pieces.mayWrite(clock.file())) {
            pieces.write(clock.file(), at, piece);
        } else if (piece.isDirect()) {
            bytes.write(at, piece, piece.position(), length);
        } else if (piece.hasArray()) {
            bytes.write(at, piece.array(), piece.arrayOffset() + piece.position(), length);
        } else {
            putCopied(bytes, at, piece);
        }
    }

    private void putCopied(Bytes<?> bytes, long at, ByteBuffer piece) {
        for (int done = 0; done < piece.remaining(); done += copy.length) {
            int step = Math.min(copy.length, piece.remaining() - done);
            piece.get(piece.position() + done, copy, 0, step);
            bytes.write(at + done, copy, 0, step);
        }
    }

    /** True once Chronicle failed in a way that leaves its state unknown; nothing may be appended any more. */
    boolean broken() {
        return broken;
    }

    /** Number of files begun since this appender was created. */
    long rolls() {
        return rolls;
    }

    @Override
    public void close() {
        pretoucher.close();
        pieces.close();
        Closeable.closeQuietly(appender, queue);
    }
}
