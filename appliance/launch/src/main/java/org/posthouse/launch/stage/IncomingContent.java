package org.posthouse.launch.stage;

import java.io.Closeable;
import java.nio.ByteBuffer;
import java.nio.file.Path;

/**
 * One sender's end of content that arrives. When it is closed before the content is whole, the bytes that have come
 * stay for the next attempt. Whole content stays in use until this is closed. Any thread may call it; a call blocks on
 * the disk.
 */
public final class IncomingContent implements Closeable {
    private final PinnedContent pin;
    /** Null if the content was whole from the start. */
    private final PartialContent partial;

    IncomingContent(PinnedContent pin, PartialContent partial) {
        this.pin = pin;
        this.partial = partial;
    }

    /** Which content it is. */
    public ContentId id() {
        return pin.id();
    }

    /** Bytes that are stored. The sender continues there. */
    public long position() {
        return partial == null ? pin.id().bytes() : partial.position();
    }

    /** Whether all bytes are there and verified. */
    public boolean isWhole() {
        return position() == pin.id().bytes();
    }

    /** Its file, once it is whole. */
    public Path path() {
        return pin.path();
    }

    /**
     * Stores bytes. Those below {@link #position} are skipped. The call that stores the last byte verifies the digest.
     *
     * @param offset of the first byte, at most {@link #position}
     * @return the position after it
     * @throws StageException in one line, if there is a gap, too many bytes, another digest, or no room on the disk; in the
     *     last two cases nothing of the content stays
     */
    public long write(long offset, ByteBuffer bytes) throws StageException {
        return partial == null ? pin.id().bytes() : partial.write(offset, bytes);
    }

    /** Ends this sender's part. A second call does nothing. */
    @Override
    public void close() {
        pin.close();
    }
}
