package mpi;

/** An object that a program can free: Open MPI's common type of such objects. */
public interface Freeable {
    /** Gives the object back; it must not be used any more. */
    void free() throws MPIException;
}
