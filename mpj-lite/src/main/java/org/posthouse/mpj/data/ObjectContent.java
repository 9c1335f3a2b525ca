package org.posthouse.mpj.data;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.ObjectOutputStream;
import java.nio.ByteBuffer;
import org.posthouse.mpj.Content;

/**
 * Objects as a message: one Java serialization stream with one object after another, nulls included, so that objects
 * shared between elements stay shared. Made once, at the call; may be sent several times.
 */
final class ObjectContent implements Content {
    private final Bytes bytes = new Bytes();
    private final int count;

    ObjectContent(Object[] array, int first, int count) {
        this.count = count;
        int at = first;
        try (ObjectOutputStream out = new ObjectOutputStream(bytes)) {
            for (; at < first + count; at++) {
                out.writeObject(array[at]);
            }
        } catch (IOException | RuntimeException | StackOverflowError e) {
            // RuntimeException: a program's own writeObject may throw what it likes.
            throw new UnwritableException(
                    "element " + at + (at < first + count ? " of " + array[at].getClass() : "")
                            + " cannot be serialized: " + e,
                    e);
        }
    }

    @Override
    public long bytes() {
        return bytes.size();
    }

    @Override
    public int elements() {
        return count;
    }

    @Override
    public int datatype() {
        return Base.OBJECT.code();
    }

    @Override
    public void write(long from, ByteBuffer out) {
        bytes.copy((int) from, out);
    }

    /** A byte array stream that gives its array without a copy. */
    private static final class Bytes extends ByteArrayOutputStream {
        void copy(int from, ByteBuffer out) {
            out.put(buf, from, out.remaining());
        }
    }
}
