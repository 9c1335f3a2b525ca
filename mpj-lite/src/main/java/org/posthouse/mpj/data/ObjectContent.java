package org.posthouse.mpj.data;

import java.io.IOException;
import java.io.ObjectOutputStream;
import java.nio.ByteBuffer;
import org.posthouse.mpj.operation.Content;

/**
 * Objects as a message: one Java serialization stream with one object after another, nulls included, so that objects
 * shared between elements stay shared. Made once, at the call; may be sent several times.
 */
final class ObjectContent implements Content {
    private final SerializedBytes bytes;
    private final int count;

    /** The data elements [{@code from}, {@code from} + {@code count}) of elements from index {@code offset} on. */
    ObjectContent(Layout layout, Object[] array, int offset, long from, int count) {
        this(layout, array, offset, from, count, ObjectSink.BYTES_MAX);
    }

    /** @param bytesMax most bytes that they may be */
    ObjectContent(Layout layout, Object[] array, int offset, long from, int count, int bytesMax) {
        this.count = count;
        bytes = new SerializedBytes(bytesMax);
        try (ObjectOutputStream out = new ObjectOutputStream(bytes)) {
            layout.walk(offset, from, count, (index, run) -> {
                for (int at = index; at < index + run; at++) {
                    write(out, array, at);
                }
            });
        } catch (IOException e) {
            throw bytes.wasRefused() ? refused(array, lastOf(layout, offset, from, count), e)
                    : new UnwritableException("elements cannot be serialized: " + e, e);
        }
    }

    /** Index of the last element: its end is what the stream kept back. */
    private static int lastOf(Layout layout, int offset, long from, int count) {
        int[] last = new int[1];
        layout.walk(offset, from, count, (index, run) -> last[0] = index + run - 1);
        return last[0];
    }

    private void write(ObjectOutputStream out, Object[] array, int at) {
        try {
            out.writeObject(array[at]);
        } catch (OutOfMemoryError e) {
            // The memory was needed for the stream's buffer, or for its table of written objects. Both are garbage now.
            throw tooLong(array, at, "and the heap of " + Runtime.getRuntime().maxMemory() + " bytes has no room for more: " + e.getMessage(), e);
        } catch (IOException | RuntimeException | StackOverflowError e) {
            // RuntimeException: a program's own writeObject may throw any exception.
            throw bytes.wasRefused()
                    ? refused(array, at, e)
                    : new UnwritableException("element " + at + " of " + array[at].getClass() + " cannot be serialized: " + e, e);
        }
    }

    private UnwritableException refused(Object[] array, int at, Throwable cause) {
        return tooLong(array, at, "expected at most " + bytes.max() + " in one message: send it in parts", cause);
    }

    private UnwritableException tooLong(Object[] array, int at, String why, Throwable cause) {
        return UnwritableException.tooLong(
                "element " + at + " of " + array[at].getClass() + " cannot be serialized: the message has " + bytes.size() + " bytes so far, " + why, cause);
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
}
