package org.posthouse.logstore.image;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.zip.CRC32C;
import org.posthouse.logstore.file.Disk;
import org.posthouse.logstore.file.LogException;
import org.posthouse.logstore.record.Checkpoint;

/**
 * An image that is being stored. The file gets its name only when it is completely on the disk and was read back. Until
 * then there is only a temporary file, which the next start deletes. Confined to its user.
 */
public final class ImageFile implements AutoCloseable {
    private final Path target;
    private final Path written;
    private final long job;
    private final int rank;
    private final int incarnation;
    private final long number;
    private final long bytes;
    private final FileChannel channel;
    private final CRC32C whole = new CRC32C();
    private final CRC32C piece = new CRC32C();
    private final ByteBuffer chunk = ByteBuffer.allocateDirect(ImageLayout.CRC_BYTES + ImageLayout.CHUNK_BYTES)
            .order(ByteOrder.LITTLE_ENDIAN).position(ImageLayout.CRC_BYTES);
    private long taken;
    private boolean committed;

    ImageFile(Path target, long job, int rank, int incarnation, long number, long bytes) throws IOException {
        this.target = target;
        this.written = target.resolveSibling(target.getFileName() + ImageStore.UNFINISHED);
        this.job = job;
        this.rank = rank;
        this.incarnation = incarnation;
        this.number = number;
        this.bytes = bytes;
        this.channel = Disk.create(written);
        channel.position(ImageLayout.HEADER_BYTES);
    }

    /** Bytes of the image received so far. */
    public long taken() {
        return taken;
    }

    /** Writes the image's next bytes; moves the buffer's position. */
    public void put(ByteBuffer next) {
        if (taken + next.remaining() > bytes) {
            throw new IllegalArgumentException("image " + target + ": " + next.remaining() + " bytes at " + taken
                    + ", it has " + bytes);
        }
        taken += next.remaining();
        whole.update(next.duplicate());
        while (next.hasRemaining()) {
            int step = Math.min(next.remaining(), chunk.remaining());
            chunk.put(next.slice(next.position(), step));
            next.position(next.position() + step);
            if (!chunk.hasRemaining()) {
                writeChunk();
            }
        }
    }

    private void writeChunk() {
        piece.reset();
        piece.update(chunk.flip().position(ImageLayout.CRC_BYTES));
        chunk.putInt(0, (int) piece.getValue()).position(0);
        try {
            writeAll(chunk);
        } catch (IOException e) {
            throw failed(e);
        }
        chunk.clear().position(ImageLayout.CRC_BYTES);
    }

    private void writeAll(ByteBuffer from) throws IOException {
        while (from.hasRemaining()) {
            channel.write(from);
        }
    }

    /**
     * Completes the image: syncs it to the disk, reads it back, and gives it its name atomically, in place of an
     * existing file. A crash at any moment leaves the old file or the new one.
     *
     * @param at the rank's position; its number, bytes and checksum are filled in
     * @return the checkpoint to log
     * @throws LogException if it cannot be stored; nothing has changed then
     */
    public Checkpoint commit(Checkpoint at) {
        if (taken != bytes) {
            throw new IllegalStateException("image " + target + " has " + taken + " of " + bytes + " bytes");
        }
        if (chunk.position() > ImageLayout.CRC_BYTES) {
            writeChunk();
        }
        Checkpoint checkpoint = at.ofImage(number, bytes, (int) whole.getValue());
        try {
            channel.position(0);
            writeAll(ImageLayout.header(job, rank, incarnation, number, bytes, checkpoint.imageCrc()));
            channel.force(true);
            Image.verify(channel, written, job, rank, checkpoint);
            Files.move(written, target, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
            Disk.force(target.getParent());
        } catch (IOException e) {
            throw failed(e);
        }
        committed = true;
        return checkpoint;
    }

    private LogException failed(IOException e) {
        return new LogException(written, "cannot be stored: " + LogException.words(e),
                "free disk space for the relay's data folder, or check the disk", e);
    }

    /** Closes the file; an uncommitted one is deleted. */
    @Override
    public void close() {
        try {
            channel.close();
            if (!committed) {
                Files.deleteIfExists(written);
            }
        } catch (IOException e) {
            throw failed(e);
        }
    }
}
