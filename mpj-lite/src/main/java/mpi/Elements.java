package mpi;

import org.posthouse.mpj.data.Region;

/** Elements that stand one after another in a buffer, as a collective's call names them. Not checked yet; immutable. */
record Elements(Object buffer, int offset, int count, Datatype type) {
    Region region() {
        return type.region(buffer, offset);
    }
}
