package org.posthouse.launch.stage;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.MessageDigest;
import java.util.Set;

/**
 * A file whose content arrives in order, and its digest so far. Its senders share it. Guarded by itself; its lock may be
 * taken before the store's, and not behind it.
 */
final class PartialContent {
    private static final int BUFFER_BYTES = 1 << 16;

    private final ContentStore store;
    private final ContentStore.Entry entry;
    private final FileChannel file;
    private final MessageDigest digest = ContentId.newDigest();
    /** Bytes that are stored. Written by the sender that has the lock, read by any thread. */
    private volatile long position;
    /** Why it is of no use any more; null while it is. */
    private StageException failure;

    private PartialContent(ContentStore store, ContentStore.Entry entry, FileChannel file) {
        this.store = store;
        this.entry = entry;
        this.file = file;
    }

    /** Opens the file, new or with what an earlier attempt has left. */
    static PartialContent open(ContentStore store, ContentStore.Entry entry, Path path) throws IOException {
        FileChannel file = FileChannel.open(
                path, Set.of(StandardOpenOption.CREATE, StandardOpenOption.READ, StandardOpenOption.WRITE),
                PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
        try {
            PartialContent partial = new PartialContent(store, entry, file);
            partial.readOn();
            return partial;
        } catch (IOException e) {
            file.close();
            throw e;
        }
    }

    private void readOn() throws IOException {
        ByteBuffer buffer = ByteBuffer.allocate(BUFFER_BYTES);
        long end = 0;
        while (file.read(buffer, end) > 0) {
            buffer.flip();
            end += buffer.remaining();
            digest.update(buffer);
            buffer.clear();
        }
        position = end;
    }

    long position() {
        return position;
    }

    /** Writes what is not stored yet of these bytes. @return the position after it */
    synchronized long write(long offset, ByteBuffer bytes) throws StageException {
        if (failure != null) {
            throw new StageException(failure.getMessage(), failure);
        }
        long stored = position;
        if (offset < 0 || offset > stored) {
            throw new StageException("content " + entry.id + " has a gap: bytes from " + offset + " on, expected from " + stored + " on");
        }
        if (offset + bytes.remaining() > entry.id.bytes()) {
            throw new StageException("content " + entry.id + " has more bytes than that: " + (offset + bytes.remaining()));
        }
        int known = (int) Math.min(bytes.remaining(), stored - offset);
        bytes.position(bytes.position() + known);
        if (bytes.hasRemaining()) {
            append(bytes);
        }
        return position;
    }

    private void append(ByteBuffer bytes) throws StageException {
        digest.update(bytes.duplicate());
        long end = position;
        try {
            while (bytes.hasRemaining()) {
                end += file.write(bytes, end);
            }
        } catch (IOException e) {
            throw fail(StageException.of("content " + entry.id + " cannot be stored in " + store.folder(), e));
        }
        if (end == entry.id.bytes()) {
            finish(end);
        }
        position = end; // Behind the verification: a position at the end says that the content is whole.
    }

    /** What an earlier attempt has left is all of the content. */
    void finish() throws StageException {
        finish(position);
    }

    private void finish(long end) throws StageException {
        ContentId found = ContentId.of(digest.digest(), end);
        if (!found.equals(entry.id)) {
            throw fail(new StageException("content " + entry.id + " has arrived with another digest, " + found.sha256().substring(0, 12)
                    + "…, and is removed"));
        }
        try {
            file.force(true);
            file.close();
            store.complete(entry);
        } catch (IOException e) {
            throw fail(StageException.of("content " + entry.id + " cannot be stored in " + store.folder(), e));
        }
    }

    private StageException fail(StageException why) {
        failure = why;
        closeFile();
        store.discard(entry);
        return why;
    }

    void closeFile() {
        try {
            file.close();
        } catch (IOException e) {
            // What it holds is verified before its use.
            assert !file.isOpen();
        }
    }
}
