package mpi;

import java.lang.reflect.Array;
import java.nio.ByteBuffer;
import java.util.Arrays;
import org.posthouse.mpj.data.Base;

/** A reduction that a program defines, in Open MPI's form: it overrides one of the two methods. What it throws ends as with a {@link User_function}. */
public abstract class UserFunction {
    /**
     * Computes {@code inOutVec[i] = inVec[i] op inOutVec[i]} for {@code count} elements of {@code datatype}, from index
     * 0 on. The arrays are as long as the elements' extents, and for INT2 and structs they are arrays of bytes in native
     * order, whatever that of the program's buffers. If elements have data at negative displacements, the lowest of them is at index 0 instead.
     * {@code inVec} holds the values of lower ranks, and must not be changed.
     *
     * @throws UnsupportedOperationException unless overridden
     */
    public void call(Object inVec, Object inOutVec, int count, Datatype datatype) throws MPIException {
        throw new UnsupportedOperationException(
                getClass().getName() + " overrides neither call(Object, ...) nor call(ByteBuffer, ...), expected one");
    }

    /**
     * The same in direct buffers in native byte order. Unless overridden, it copies them to arrays, and calls the other
     * method. Not called for BOOLEAN and OBJECT.
     */
    public void call(ByteBuffer in, ByteBuffer inOut, int count, Datatype datatype) throws MPIException {
        Base kind = datatype.isOpenMpiStruct() ? Base.BYTE : datatype.base();
        int elements = in.capacity() / kind.bytes();
        Object inVec = array(kind, in, elements);
        Object inOutVec = array(kind, inOut, elements);
        call(inVec, inOutVec, count, datatype);
        kind.put(inOutVec, 0, elements, fromStart(inOut));
    }

    private static Object array(Base base, ByteBuffer buffer, int elements) {
        Object array = Array.newInstance(base.arrayClass().getComponentType(), elements);
        base.take(array, 0, elements, fromStart(buffer));
        return array;
    }

    private static ByteBuffer fromStart(ByteBuffer buffer) {
        return buffer.duplicate().clear().order(buffer.order());
    }

    /** Whether the program defines it on buffers. */
    boolean takesBuffers() {
        return Arrays.stream(getClass().getMethods())
                .anyMatch(method -> method.getName().equals("call")
                        && method.getParameterCount() == 4
                        && method.getParameterTypes()[0] == ByteBuffer.class
                        && method.getDeclaringClass() != UserFunction.class);
    }
}
