package org.posthouse.names.raft;

import java.io.DataInputStream;
import java.io.IOException;
import java.nio.ByteBuffer;

/**
 * A question to a judge, or its answer: a length of 4 bytes, a type, the number of the question, the content. Immutable.
 *
 * @param type of a question one of {@link Question}, of an answer one of {@link Answer}
 */
record Frame(int type, long id, byte[] content) {
    /** Most bytes of a content: a page of the log, of a snapshot or of a listing has 1 MiB and one record of 64 KiB more. */
    static final int CONTENT_BYTES_MAX = 4 << 20;

    private static final int HEAD_BYTES = 1 + Long.BYTES;

    /** In the order of their numbers. */
    enum Question {
        REQUEST_VOTE,
        APPEND_ENTRIES,
        INSTALL_SNAPSHOT,
        START_ELECTION,
        COMMAND,
        LOOKUP,
        LIST,
        CHANGES
    }

    /** In the order of their numbers. */
    enum Answer {
        DONE,
        /** The content is the leader's id, or empty. */
        NOT_LEADER,
        /** The content says why. Whether a change was made is not known. */
        FAILED
    }

    ByteBuffer toBytes() throws MalformedException {
        if (content.length > CONTENT_BYTES_MAX) {
            throw new MalformedException("a frame of " + content.length + " bytes, expected at most " + CONTENT_BYTES_MAX);
        }
        return ByteBuffer.allocate(Integer.BYTES + HEAD_BYTES + content.length)
                .putInt(HEAD_BYTES + content.length).put((byte) type).putLong(id).put(content).flip();
    }

    /** @param types how many types there are */
    static Frame read(DataInputStream in, int types) throws IOException {
        int length = in.readInt();
        if (length < HEAD_BYTES || length > HEAD_BYTES + CONTENT_BYTES_MAX) {
            throw new MalformedException("a frame of " + length + " bytes, expected " + HEAD_BYTES + " to " + (HEAD_BYTES + CONTENT_BYTES_MAX));
        }
        int type = in.readUnsignedByte();
        if (type >= types) {
            throw new MalformedException("a frame of type " + type + ", expected 0 to " + (types - 1));
        }
        long id = in.readLong();
        byte[] content = new byte[length - HEAD_BYTES];
        in.readFully(content);
        return new Frame(type, id, content);
    }
}
