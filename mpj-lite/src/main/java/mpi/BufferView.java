package mpi;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.function.BiFunction;
import java.util.function.Function;
import org.posthouse.mpj.data.Base;

/**
 * The view that Open MPI's blocking calls have of an array of another kind than the datatype's. They see memory in
 * native byte order, as {@code byte[]} of INT or {@code int[]} of BYTE. An array of bytes is viewed in place. Any other
 * array is copied for the call, and copied back after it. Stateless.
 */
final class BufferView {
    private BufferView() {}

    /** The buffer itself if it is of the datatype's kind, or of none that has a memory; else its bytes. */
    static Object of(Object buffer, Datatype type) {
        Base own = kind(buffer);
        if (own == null || type == null || !type.isUsable() || type.base() == Base.OBJECT
                || type.base().holds(type.store(buffer))) {
            return buffer;
        }
        if (buffer instanceof byte[] bytes) {
            return ByteBuffer.wrap(bytes).order(ByteOrder.nativeOrder());
        }
        int length = own.length(buffer);
        ByteBuffer copy = ByteBuffer.allocate(Math.multiplyExact(length, own.bytes())).order(ByteOrder.nativeOrder());
        own.put(buffer, 0, length, copy);
        return copy.clear();
    }

    /** The element kind of a primitive array; null for anything else. */
    private static Base kind(Object buffer) {
        if (buffer == null || !buffer.getClass().isArray() || !buffer.getClass().getComponentType().isPrimitive()) {
            return null;
        }
        return Arrays.stream(Base.values())
                .filter(base -> base.arrayClass().isInstance(buffer))
                .findFirst()
                .orElseThrow();
    }

    /** Puts what {@link #of} returned back to the buffer that it was made of. */
    static void back(Object memory, Object buffer) {
        if (memory != buffer && !(buffer instanceof byte[])) {
            Base own = kind(buffer);
            own.take(buffer, 0, own.length(buffer), ((ByteBuffer) memory).clear());
        }
    }

    /** Makes a collective of one buffer. */
    static void run(Object buffer, Datatype type, Function<Object, Collective> collective) {
        Object memory = of(buffer, type);
        collective.apply(memory).run();
        back(memory, buffer);
    }

    /** Makes a collective of two buffers, which may be one. */
    static void run(
            Object sendbuf, Datatype sendtype, Object recvbuf, Datatype recvtype,
            BiFunction<Object, Object, Collective> collective) {
        Object from = of(sendbuf, sendtype);
        Object to = recvbuf == sendbuf && from != sendbuf ? from : of(recvbuf, recvtype);
        collective.apply(from, to).run();
        back(to, recvbuf);
    }
}
