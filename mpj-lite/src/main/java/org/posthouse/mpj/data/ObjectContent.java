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

    /** The data elements [{@code from}, {@code from} + {@code count}) of elements from index {@code offset} on. */
    ObjectContent(Layout layout, Object[] array, int offset, long from, int count) {
        this.count = count;
        try (ObjectOutputStream out = new ObjectOutputStream(bytes)) {
            layout.walk(offset, from, count, (index, run) -> {
                for (int at = index; at < index + run; at++) {
                    write(out, array, at);
                }
            });
        } catch (IOException e) {
            throw new UnwritableException("elements cannot be serialized: " + e, e);
        }
    }

    private static void write(ObjectOutputStream out, Object[] array, int at) {
        try {
            out.writeObject(array[at]);
        } catch (IOException | RuntimeException | StackOverflowError e) {
            // RuntimeException: a program's own writeObject may throw what it likes.
            throw new UnwritableException(
                    "element " + at + " of " + array[at].getClass() + " cannot be serialized: " + e, e);
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
