package org.posthouse.mpj.data;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.ObjectInputStream;
import java.nio.ByteBuffer;
import org.posthouse.mpj.operation.Envelope;
import org.posthouse.mpj.operation.ReceiveException;
import org.posthouse.mpj.operation.Sink;

/**
 * Room for objects in a program's array. The bytes are kept until the last one has come. Then all objects are
 * deserialized with the class loaders of {@link ProgramObjectInput}, and only then stored: a message that cannot be
 * read leaves the array unchanged. For one message.
 */
final class ObjectSink implements Sink {
    /** Longest array that every Java virtual machine can make. */
    static final int BYTES_MAX = Integer.MAX_VALUE - 8;

    private final Layout layout;
    private final Object[] array;
    private final int offset;
    private final long from;
    private final long capacity;
    private final boolean exact;
    /** The context class loader of the thread that posted the receive. */
    private final ClassLoader loader = Thread.currentThread().getContextClassLoader();
    private byte[] bytes;
    private int elements;

    /**
     * The data elements [{@code from}, {@code from} + {@code capacity}) of elements from index {@code offset} on.
     *
     * @param exact whether the message must fill the room
     */
    ObjectSink(Layout layout, Object[] array, int offset, long from, long capacity, boolean exact) {
        this.layout = layout;
        this.array = array;
        this.offset = offset;
        this.from = from;
        this.capacity = capacity;
        this.exact = exact;
    }

    @Override
    public void begin(Envelope envelope) throws ReceiveException {
        ArraySink.checkFit(envelope, Base.OBJECT, capacity, exact);
        ArraySink.checkRoom(envelope, Base.OBJECT, layout, array == null ? 0 : array.length, offset, from);
        if (envelope.bytes() > BYTES_MAX) {
            throw new ReceiveException(
                    ReceiveException.Kind.TRUNCATE,
                    "serialized objects of " + envelope.bytes() + " bytes, expected at most " + BYTES_MAX);
        }
        elements = envelope.elements();
        bytes = new byte[(int) envelope.bytes()];
    }

    @Override
    public void read(long at, ByteBuffer in) {
        in.get(bytes, (int) at, in.remaining());
    }

    @Override
    public void end() throws ReceiveException {
        if (elements == 0) {
            return;
        }
        Object[] objects = new Object[elements];
        int at = 0;
        try (ObjectInputStream in = new ProgramObjectInput(new ByteArrayInputStream(bytes), loader, array.getClass().getComponentType().getClassLoader())) {
            for (; at < elements; at++) {
                objects[at] = in.readObject();
            }
        } catch (OutOfMemoryError | InternalError e) {
            throw e; // An error of the virtual machine, not of the object.
        } catch (IOException | ClassNotFoundException | RuntimeException | Error e) {
            // A program's own readObject may throw any exception, also an AssertionError.
            throw new ReceiveException(
                    ReceiveException.Kind.OBJECT,
                    "object " + at + " of " + elements + " cannot be read back: " + e,
                    e);
        }
        store(objects);
        bytes = null;
    }

    private void store(Object[] objects) throws ReceiveException {
        Class<?> element = array.getClass().getComponentType();
        for (int i = 0; i < objects.length; i++) {
            if (objects[i] != null && !element.isInstance(objects[i])) {
                throw new ReceiveException(
                        ReceiveException.Kind.TYPE,
                        "object " + i + " is a " + objects[i].getClass().getName() + ", expected "
                                + element.getName() + " for the receiving array");
            }
        }
        int[] stored = {0};
        layout.walk(offset, from, objects.length, (index, run) -> {
            System.arraycopy(objects, stored[0], array, index, run);
            stored[0] += run;
        });
    }
}
