package mpi;

import org.posthouse.mpj.Content;
import org.posthouse.mpj.Sink;
import org.posthouse.mpj.data.Base;
import org.posthouse.mpj.data.Region;

/**
 * The type of the elements of a message: which kind of array they lie in, and how many array elements make one.
 * Immutable.
 */
public class Datatype {
    private final String name;
    private final Base base;
    private final int size;

    Datatype(String name, Base base, int size) {
        this.name = name;
        this.base = base;
        this.size = size;
    }

    /** Array elements of data in one element of this type. */
    public int Size() throws MPIException {
        return size;
    }

    /** Array elements from the start of one element of this type to the start of the next. */
    public int Extent() throws MPIException {
        return size;
    }

    Base base() {
        return base;
    }

    int size() {
        return size;
    }

    Content content(Object buffer, int offset, int count) {
        return base.content(buffer, offset, count * size);
    }

    Sink sink(Object buffer, int offset, int capacity) {
        return base.sink(buffer, offset, capacity * size);
    }

    Region region(Object buffer, int offset) {
        return new Region(base, size, buffer, offset);
    }

    @Override
    public String toString() {
        return name;
    }
}
