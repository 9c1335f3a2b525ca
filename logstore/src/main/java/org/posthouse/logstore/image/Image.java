package org.posthouse.logstore.image;

import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.zip.CRC32C;
import org.posthouse.logstore.file.LogException;
import org.posthouse.logstore.record.Checkpoint;

/** A stored image that was verified as complete, read from its beginning. Confined to its user. */
public final class Image implements AutoCloseable {
    private final Path file;
    private final FileChannel channel;
    private final Checkpoint checkpoint;
    private long read;

    private Image(Path file, FileChannel channel, Checkpoint checkpoint) {
        this.file = file;
        this.channel = channel;
        this.checkpoint = checkpoint;
    }

    /** @throws LogException naming the file if it is not the image that the log names, or is damaged */
    static Image open(Path file, long job, int rank, Checkpoint checkpoint) {
        FileChannel channel = null;
        try {
            channel = FileChannel.open(file, StandardOpenOption.READ);
            verify(channel, file, job, rank, checkpoint);
            return new Image(file, channel, checkpoint);
        } catch (IOException e) {
            throw closed(channel, unreadable(file, e));
        } catch (LogException e) {
            throw closed(channel, e);
        }
    }

    private static LogException closed(FileChannel channel, LogException why) {
        try {
            if (channel != null) {
                channel.close();
            }
        } catch (IOException e) {
            why.addSuppressed(e);
        }
        return why;
    }

    /** Reads the whole file and verifies every checksum. */
    static void verify(FileChannel channel, Path file, long job, int rank, Checkpoint expected) throws IOException {
        ByteBuffer header = ByteBuffer.allocate(ImageLayout.HEADER_BYTES).order(ByteOrder.LITTLE_ENDIAN);
        if (channel.size() < ImageLayout.HEADER_BYTES) {
            throw damaged(file, "ends within its header");
        }
        readAll(channel, 0, header);
        String flaw = ImageLayout.flaw(header, job, rank, expected);
        if (flaw != null) {
            throw damaged(file, flaw);
        }
        if (channel.size() != ImageLayout.fileBytes(expected.bytes())) {
            throw damaged(file, "has " + channel.size() + " bytes, expected " + ImageLayout.fileBytes(expected.bytes()));
        }
        CRC32C whole = new CRC32C();
        ByteBuffer chunk = ByteBuffer.allocate(ImageLayout.CHUNK_BYTES);
        for (long at = 0; at < expected.bytes(); at += ImageLayout.CHUNK_BYTES) {
            readChunk(channel, file, expected.bytes(), at, chunk);
            whole.update(chunk);
        }
        if ((int) whole.getValue() != expected.imageCrc()) {
            throw damaged(file, "has chunks that do not belong together");
        }
    }

    private static void readChunk(FileChannel channel, Path file, long bytes, long at, ByteBuffer chunk) throws IOException {
        ByteBuffer crc = ByteBuffer.allocate(ImageLayout.CRC_BYTES).order(ByteOrder.LITTLE_ENDIAN);
        readAll(channel, ImageLayout.chunkAt(at), crc);
        chunk.clear().limit((int) Math.min(ImageLayout.CHUNK_BYTES, bytes - at));
        readAll(channel, ImageLayout.chunkAt(at) + ImageLayout.CRC_BYTES, chunk);
        CRC32C found = new CRC32C();
        found.update(chunk.flip());
        if ((int) found.getValue() != crc.getInt(0)) {
            throw damaged(file, "is damaged in the chunk at offset " + ImageLayout.chunkAt(at));
        }
        chunk.rewind();
    }

    private static void readAll(FileChannel channel, long from, ByteBuffer into) throws IOException {
        while (into.hasRemaining()) {
            if (channel.read(into, from + into.position()) < 0) {
                throw new EOFException("ends before offset " + (from + into.limit()));
            }
        }
    }

    private static LogException damaged(Path file, String how) {
        return new LogException(file, how, "check the disk");
    }

    private static LogException unreadable(Path file, IOException e) {
        return new LogException(file, "cannot be read: " + LogException.words(e), "check the disk and the folder's rights", e);
    }

    /** The checkpoint as the log describes it. */
    public Checkpoint checkpoint() {
        return checkpoint;
    }

    /** Offset of the next piece in the image, bytes. */
    public long offset() {
        return read;
    }

    /** The next piece, 64 KiB or the rest; null at the end. Its checksum is verified again. */
    public ByteBuffer next() {
        if (read == checkpoint.bytes()) {
            return null;
        }
        ByteBuffer chunk = ByteBuffer.allocate(ImageLayout.CHUNK_BYTES);
        try {
            readChunk(channel, file, checkpoint.bytes(), read, chunk);
        } catch (IOException e) {
            throw unreadable(file, e);
        }
        read += chunk.remaining();
        return chunk;
    }

    @Override
    public void close() {
        try {
            channel.close();
        } catch (IOException e) {
            throw unreadable(file, e);
        }
    }
}
